import type { ThresholdAdjustment } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import { separateWords } from '../lib/separate-words.ts';
import { DELIVERS, REAPPLIES } from './call-effects.ts';
import { type CallStep, mayChange, type PastCall } from './step.ts';

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

/** Changes that no waiting mends if they fail. */
const FAILS = new RegExp(`${REAPPLIES.source}|(?<![a-z])start(?![a-z])`, 'i');

function isFailedChange({ kind, calls }: CallStep): boolean {
  return (
    kind === 'error' &&
    calls.every(
      ({ identity, nature }) =>
        nature.changes && nature.waits !== true && FAILS.test(`${identity.name} ${identity.arguments}`),
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
