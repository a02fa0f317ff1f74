import { fingerprint } from '../lib/digest.ts';
import type { NormalizedResult } from '../results/normalize-result.ts';
import type { Mark } from './mark.ts';
import type { ToolIdentity } from './tool-identity.ts';

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

/** Whether a call may change something. */
export function mayChange({ nature }: Pick<PastCall, 'nature'>): boolean {
  return nature.changes && nature.onlyAsks !== true;
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
