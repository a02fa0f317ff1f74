import type { ThresholdAdjustment } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import { fingerprint, sha256OfUnits } from '../lib/digest.ts';
import { ownCopy } from '../lib/own-copy.ts';
import { separateWords } from '../lib/separate-words.ts';
import { errorsMoveOn } from '../results/error-tokens.ts';
import { type NormalizedResult, SHOWN_UNITS } from '../results/normalize-result.ts';
import { isAlike, movesOn } from '../results/sameness.ts';
import type { Mark } from './mark.ts';
import { AMENDS, SETS_STATE } from './verbs.ts';

/** Longer canonical arguments are stored as a prefix and a SHA-256 digest. */
const KEPT_UNITS = 512;

/** The identity of a call: the tool and its canonical arguments, never the call id. */
export interface ToolIdentity {
  readonly name: string;
  /** Canonical arguments, or their first units if they are long. */
  readonly arguments: string;
  /** Length of the whole canonical form, in UTF-16 code units. */
  readonly length: number;
  /** SHA-256 of the whole canonical form if `arguments` holds only its beginning. */
  readonly digest: string | undefined;
}

export function toolIdentity(name: string, canonical: string): ToolIdentity {
  const { length } = canonical;
  if (length <= KEPT_UNITS) return { name, arguments: canonical, length, digest: undefined };
  const kept = ownCopy(canonical, 0, KEPT_UNITS);
  return { name, arguments: kept, length, digest: sha256OfUnits(canonical) };
}

/** Equal for equal identities. */
export function identityKey({ name, arguments: canonical, digest = '' }: ToolIdentity): string {
  return fingerprint(`${name}\n${canonical}${digest}`);
}

export function sameIdentity(a: ToolIdentity, b: ToolIdentity): boolean {
  return a.length === b.length && a.digest === b.digest && a.name === b.name && a.arguments === b.arguments;
}

/** The identity in readable form: `read_file:{"path":"a"}`. */
export function signature(identity: ToolIdentity): string {
  return `${identity.name}:${identity.arguments}${identity.digest === undefined ? '' : '…'}`;
}

/** What kind of call this is, derived from its tool's contract, its tool's name and its command. */
export interface CallNature {
  /** It may change something, so that retrying an earlier call is legitimate. */
  readonly changes: boolean;
  /**
   * The command that it runs, which would count as a change, asks for a state or fetches something; absent in snapshots
   * of earlier versions.
   */
  readonly onlyAsks?: true;
  /** Its tool's name suggests that it answers questions; for commands, {@link changes} is more precise. */
  readonly asks: boolean;
  /** Its tool exists to change something, by its contract or its name. */
  readonly edits: boolean;
  /** It runs a command line or a program. */
  readonly runs: boolean;
  /** It looks for what others send, and may have to wait for it; absent in snapshots of earlier versions. */
  readonly receives?: true;
  /** It waits, or polls a status; `null`: the result decides. */
  readonly waits: boolean | null;
  /** It operates a user interface, where a first attempt may have no effect. */
  readonly gui: boolean;
  /** It moves on in something shown piece by piece: scrolls, turns a page, clicks. */
  readonly navigates: boolean;
  /** It fills in a field of a user interface. */
  readonly enters: boolean;
  /** It runs a command that does nothing. */
  readonly idles: boolean;
  /** It returns text written by others: a file, a page, a list of hits. */
  readonly reads: boolean;
}

/** A call, with its result once known. */
export interface PastCall {
  readonly identity: ToolIdentity;
  readonly key: string;
  readonly mark: Mark;
  readonly nature: CallNature;
  /** Call ids that its result may refer to; empty once the step is settled. */
  readonly callIds: string[];
  /** Its arguments, because its result may echo them; empty once the step is settled. */
  said: string;
  result: NormalizedResult | null;
  /** It was refused because of a loop; its result is the one before, if it has run before. */
  refused?: true;
}

/**
 * The calls of one model response, in whatever order they and their results are reported; identical calls count once.
 * A step is settled when no more calls or results of it are expected.
 */
export interface CallStep {
  readonly calls: PastCall[];
  readonly turn: number;
  /** For navigation and handoffs, what the agent wrote since the step before; it may tell of something new. */
  remark: string;
  settled: boolean;
  /** Equal for equal sets of calls. */
  key: string;
  /** Equal for equal calls with equal results; `null` while a result is unknown, or if no call was run. */
  outcome: string | null;
  /** How the calls that were run turned out. */
  kind: 'ok' | 'error' | 'transient' | 'unknown';
  /** A detector has an open incident for it, so a less specific rule need not report it too. */
  explained: boolean;
}

/** A mutable copy, independent of the one in a snapshot. */
export function copyStep(step: CallStep): CallStep {
  return { ...step, calls: step.calls.map((call) => ({ ...call, callIds: [...call.callIds] })) };
}

/**
 * Computes the key, outcome and kind of a step when it settles.
 *
 * @returns whether the results of all its calls are known
 */
export function concludeStep(step: CallStep): boolean {
  const calls = step.calls.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const known = calls.every(({ result }) => result !== null);
  for (const call of calls) {
    call.callIds.length = 0;
    call.said = '';
  }
  const run = calls.filter(({ result }) => result?.kind !== 'not_run');
  // A call's key is a fingerprint already.
  step.key =
    calls.length === 1 ? (calls[0] as PastCall).key : fingerprint(calls.map(({ key }) => key).join('\n\n'));
  step.outcome =
    known && run.length > 0
      ? fingerprint(calls.map(({ key, result }) => `${key}\n${result?.form ?? ''}`).join('\n\n'))
      : null;
  step.kind = known && run.length > 0 ? kindOf(run) : 'unknown';
  return known;
}

function kindOf(calls: readonly PastCall[]): CallStep['kind'] {
  if (calls.every(({ result }) => result?.kind === 'transient')) return 'transient';
  return calls.every(({ result }) => result?.kind !== 'ok') ? 'error' : 'ok';
}

/** Names of tools, and commands, that return another value each time. */
const DRAWING_TOOL =
  /(?<![a-z])(?:next|draw|pop|shift|take(?!_?(?:screen|snap|photo|picture))|claim|lease|dequeue|receive|pull|generate|gen|random|rand|roll|create|new|issue|mint|make|allocate|acquire|reserve|sample|pick|shuffle|token|password|secret|uuid|nonce|otp|advance|more|latest|newest|current|commit|sha|hash|checksum|cursor)(?![a-z])/i;
/** Tools that bring one thing into the same state again, and return nothing new of it. */
const REAPPLIES = new RegExp(`(?<![a-z])(?:${SETS_STATE}|${AMENDS})(?![a-z])`, 'i');
/** Arguments of a request that may create something, or that ask for whatever is newest. */
const ASKS_NEW = /"method":"(?:POST|PUT|PATCH)"|"(?:latest|newest|next|head|tip|random)"/i;
const DRAWING_COMMAND =
  /(?<![a-z])(?:next-?\w*(?! build)|(?<!stash )pop|claim|lease|draw|[lr]pop|dequeue|receive-message|rand|random|urandom|secrets|pwgen|passwd|token|uuid|uuidgen|mktemp|shuf|faker|rev-parse|ls-remote|git log|POST)(?![a-z])/i;

/** Tools that deliver something, with a receipt that has a number of its own. */
const DELIVERS =
  /(?<![a-z])(?:send|notify|publish|enqueue|charge|refund|pay|invite|book|(?:place|submit)_(?:\w+_)?order|post_?(?:message|comment|reply)|(?:create|add|insert|schedule|save|store)_(?:\w+_)?(?:event|meeting|invoice|issue|reminder|comment|note|memory|memories))(?![a-z])/i;
/** What is sent to a terminal acts again each time. */
const KEYS = /"(?:keys?|keystrokes|input|chars)":/;
/** Tools that put a setting in place, and what numbers their receipts. */
const SETS = /(?:^|__)(?:set|enable|disable)_/i;
const NUMBER_OF_RECEIPT = /\b(?:seq\w*|txn|\w{0,20}id|re[fv]\w*)"?[:=#]\s?"?[\w-]{1,64}/gi;
const RECEIPT_WORD = /[^\s"',:/=?&]+/g;

function withoutNumber(word: string): string {
  return /\d/.test(word) ? '#' : word;
}

/** Whether a call has delivered, or set, the same thing twice, whatever number each receipt has. */
function isDeliveredAgain({ identity }: PastCall, ...receipts: readonly NormalizedResult[]): boolean {
  const words = separateWords(identity.name);
  const delivers = DELIVERS.test(words) && !KEYS.test(identity.arguments);
  if (!delivers && !SETS.test(words)) return false;
  const texts = receipts.map(
    ({ kind, shown }) =>
      kind === 'ok' &&
      (delivers ? shown.replace(RECEIPT_WORD, withoutNumber) : shown.replace(NUMBER_OF_RECEIPT, '#')),
  );
  return texts[0] !== false && texts[0] === texts[1];
}

/** Whether a call may be meant to return another value each time. */
export function drawsValue({ identity, nature }: PastCall): boolean {
  const { name, arguments: canonical } = identity;
  if (nature.runs) return DRAWING_COMMAND.test(canonical);
  const words = separateWords(name);
  if (ASKS_NEW.test(canonical) || DRAWING_TOOL.test(words)) return true;
  return nature.edits && !nature.navigates && !REAPPLIES.test(words);
}

/**
 * Whether two steps are the same calls with the same results, apart from tokens that look random and are not what was
 * asked for.
 */
export function isAlikeStep(before: CallStep, now: CallStep): boolean {
  if (before.key !== now.key) return false;
  if (before.outcome === now.outcome) return true;
  return now.calls.every((call) => {
    const old = before.calls.find(({ key }) => key === call.key);
    return old !== undefined && isAlikeCall(old, call);
  });
}

/** The same for two calls. */
export function isAlikeCall(before: PastCall, now: PastCall): boolean {
  if (before.key !== now.key) return false;
  const [old, result] = [before.result, now.result];
  if (!result || !old) return result === old;
  if (result.failure !== null && result.failure === old.failure) return true;
  if (isShuffled(now, old, result) || isDeliveredAgain(now, old, result)) return true;
  return isAlike(old, result) && (old.form === result.form || result.kind !== 'ok' || !drawsValue(now));
}

const QUERIES = /query/i;
/** Parts of a list, as JSON, as a table or as a program prints it. */
const PARTS = /[^\s,()[\]{}]+/g;

/** Whether a look has the result from before, not cut off, in another order: sets and tables have none. */
function isShuffled({ identity, nature }: PastCall, old: NormalizedResult, now: NormalizedResult): boolean {
  const { length } = now.shown;
  if (old.shown.length !== length || length >= SHOWN_UNITS || old.form === now.form) return false;
  if (nature.gui || nature.navigates || !(nature.reads || QUERIES.test(identity.name))) return false;
  const [one, two] = [old, now].map(({ shown }) => shown.match(PARTS)?.toSorted().join(' '));
  return one === two;
}

/** Whether a number in the results of these equal steps moves towards something. */
export function movesTowards(steps: readonly CallStep[]): boolean {
  return (steps.at(-1)?.calls ?? []).some(({ key, result }) => {
    const results = steps.flatMap(({ calls }) => calls.find((call) => call.key === key)?.result ?? []);
    return movesOn(results) || (result?.kind === 'error' && errorsMoveOn(results));
  });
}

/** Polling calls repeat by design: their threshold is this many times higher. */
const PATIENCE = 3;

/** Polls this far apart, on average, wait rather than load anything: a build takes its minutes. */
const UNHURRIED_MS = 25_000;
/** Looks this far apart, on average, are no haste either: the user asked for one every few minutes. */
const RARE_MS = 120_000;

/**
 * The factor by which thresholds rise if one of these steps polls, or all of them look at long intervals.
 *
 * @param run the latest steps, with those repeated before
 */
export function pollingPatience(rounds: readonly CallStep[], run = rounds): number {
  if (pollOf(rounds) === undefined) return looksRarely(rounds, run) ? PATIENCE * PATIENCE : 1;
  return comesBackAfter(UNHURRIED_MS, run, rounds.length) ? PATIENCE * PATIENCE : PATIENCE;
}

/** The first step that polls, unless the others fail to bring about what it waits for. */
function pollOf(rounds: readonly CallStep[]): CallStep | undefined {
  return rounds.some(isFailedChange) ? undefined : rounds.find(isPollingStep);
}

function isFailedChange({ kind, calls }: CallStep): boolean {
  return (
    kind === 'error' &&
    calls.every(
      ({ identity, nature }) =>
        nature.changes && nature.waits !== true && REAPPLIES.test(`${identity.name} ${identity.arguments}`),
    )
  );
}

/** What is looked for may come. */
const ABSENT = /no such file|not found|not exist/i;

/** A command may well take minutes, so its intervals say nothing, unless it asks for a state or for what is not there. */
function looksRarely(rounds: readonly CallStep[], run: readonly CallStep[]): boolean {
  const isLook = (call: PastCall) => {
    const { kind, shown = '' } = call.result ?? {};
    const isThere = kind === 'ok' && (!call.nature.runs || call.nature.onlyAsks === true);
    return !mayChange(call) && (isThere || ABSENT.test(shown));
  };
  return rounds.every(({ calls }) => calls.every(isLook)) && comesBackAfter(RARE_MS, run, 1);
}

/** Whether a call may change something. */
export function mayChange({ nature }: Pick<PastCall, 'nature'>): boolean {
  return nature.changes && nature.onlyAsks !== true;
}

/** Whether the steps come back after so many milliseconds or more, on average. */
function comesBackAfter(ms: number, run: readonly CallStep[], period: number): boolean {
  const [first, last] = [run[0], run.at(-1)].map((step) => step?.calls[0]?.mark.time ?? 0);
  const rounds = (run.length - 1) / period;
  return rounds >= 1 && (last ?? 0) - (first ?? 0) >= rounds * ms;
}

/** The reason for a raised threshold, if it is raised. */
export function pollingAdjustments(
  rounds: readonly CallStep[],
  { tools }: Pick<CallKnowledge, 'tools'>,
  run = rounds,
): ThresholdAdjustment[] {
  const call = pollOf(rounds)?.calls[0];
  if (call === undefined) return looksRarely(rounds, run) ? ['looks-like-poller'] : [];
  const { name } = call.identity;
  if (Object.hasOwn(tools, name) && tools[name]?.poller === true) return ['declared-poller'];
  return [call.nature.waits === true ? 'looks-like-poller' : 'under-way'];
}

/** Whether the step only waits, or polls the status of work in progress. */
export function isPollingStep({ calls }: CallStep): boolean {
  return calls.every(isPolling);
}

/** Failures that time does not mend. */
const IN_VAIN = /access ?denied|permission denied|unauthori[sz]ed|forbidden/i;
/** The state of work that has ended badly. */
const ENDED =
  /^[^[]{0,99}\b(?:status|state|conclusion)\W{1,4}(?:failed|failure|cancell?ed|error(?:ed)?|aborted|exited)\b/i;

/** Whether repeating the call is to be expected. */
export function isPolling({ identity, nature, result }: PastCall): boolean {
  if (result && (ENDED.test(result.shown) || (result.kind === 'error' && IN_VAIN.test(result.shown))))
    return false;
  if (nature.waits === null && nature.receives && result?.kind === 'ok') return true;
  // What is delivered again does not wait, though its receipt says that it is queued.
  return nature.waits ?? (result?.isUnderWay === true && !DELIVERS.test(separateWords(identity.name)));
}

/** Whether the step may have changed something, so that retrying an earlier call is legitimate. */
export function changesSomething({ kind, calls }: CallStep): boolean {
  return kind !== 'error' && calls.some((call) => mayChange(call) && call.result?.kind !== 'not_run');
}

/** The only tool that a step calls; undefined if it calls several. */
export function soleToolOf({ calls }: CallStep): string | undefined {
  const name = calls[0]?.identity.name;
  return calls.every(({ identity }) => identity.name === name) ? name : undefined;
}

/** Whether the steps contain different calls. */
export function isVaried(steps: readonly CallStep[]): boolean {
  return new Set(steps.map(({ key }) => key)).size > 1;
}

/**
 * The non-transient error that all calls of a step share; `null` if there is none, or it only says that something
 * failed.
 */
export function errorOf(step: CallStep | undefined): NormalizedResult | null {
  if (step?.kind !== 'error') return null;
  const run = (call: PastCall) => call.result?.kind !== 'not_run';
  const first = step.calls.find(run)?.result ?? null;
  if (first === null || first.failure === null) return null;
  return step.calls.every((call) => !run(call) || isSameError(call.result, first)) ? first : null;
}

/** Whether two errors are equal, or differ only in text echoed from the calls. */
export function isSameError(a: NormalizedResult | null, b: NormalizedResult): boolean {
  return a !== null && a.failure !== null && (a.failure === b.failure || a.gist === b.gist);
}
