import type { ThresholdAdjustment } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { CallNature } from './call-nature.ts';
import type { Mark } from './mark.ts';
import type { NormalizedResult } from './normalize-result.ts';
import { fingerprint, type ToolIdentity } from './tool-identity.ts';

/** A call, with its result once that is known. */
export interface PastCall {
  readonly identity: ToolIdentity;
  readonly key: string;
  readonly mark: Mark;
  readonly nature: CallNature;
  /** Ids that its result may come under; none once the step is settled. */
  readonly callIds: string[];
  /** Its arguments, because its result may repeat them; nothing once the step is settled. */
  said: string;
  result: NormalizedResult | null;
}

/**
 * The calls of one model response: they are one step, in whatever order they and their results are reported, so
 * identical ones among them count once. A step is settled when nothing more is expected of it.
 */
export interface CallStep {
  readonly calls: PastCall[];
  readonly turn: number;
  settled: boolean;
  /** The same for the same set of calls. */
  key: string;
  /** The same for the same calls with the same results; `null` while a result is not known, or none was run. */
  outcome: string | null;
  /** What came of the calls that were run. */
  kind: 'ok' | 'error' | 'transient' | 'unknown';
  /** A detector has an open incident for it, so that a vaguer rule need not report it too. */
  explained: boolean;
}

/** A copy that may change, independent of the one in a snapshot. */
export function copyStep(round: CallStep): CallStep {
  return { ...round, calls: round.calls.map((call) => ({ ...call, callIds: [...call.callIds] })) };
}

/**
 * Computes the key, outcome and kind of a step once nothing more is expected of it.
 *
 * @returns whether the results of all its calls are known
 */
export function concludeStep(round: CallStep): boolean {
  const calls = round.calls.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const known = calls.every(({ result }) => result !== null);
  for (const call of calls) {
    call.callIds.length = 0;
    call.said = '';
  }
  const run = calls.filter(({ result }) => result?.kind !== 'not_run');
  round.key = fingerprint(calls.map(({ key }) => key).join('\n\n'));
  round.outcome =
    known && run.length > 0
      ? fingerprint(calls.map(({ key, result }) => `${key}\n${result?.form ?? ''}`).join('\n\n'))
      : null;
  round.kind = known && run.length > 0 ? kindOf(run) : 'unknown';
  return known;
}

function kindOf(calls: readonly PastCall[]): CallStep['kind'] {
  if (calls.every(({ result }) => result?.kind === 'transient')) return 'transient';
  return calls.every(({ result }) => result?.kind !== 'ok') ? 'error' : 'ok';
}

/** Polling calls repeat by design: their threshold is this many times higher. */
const PATIENCE = 3;

/** The factor by which thresholds rise where one of these steps polls. */
export function pollingPatience(rounds: readonly CallStep[]): number {
  return rounds.some(isPollingStep) ? PATIENCE : 1;
}

/** Why the threshold is raised, where it is. */
export function pollingAdjustments(
  rounds: readonly CallStep[],
  { tools }: Pick<CallKnowledge, 'tools'>,
): ThresholdAdjustment[] {
  const call = rounds.find(isPollingStep)?.calls[0];
  if (call === undefined) return [];
  const { name } = call.identity;
  if (Object.hasOwn(tools, name) && tools[name]?.poller === true) return ['declared-poller'];
  return [call.nature.waits === true ? 'looks-like-poller' : 'under-way'];
}

/** Whether the step does nothing but let time pass, or ask for what is still under way. */
export function isPollingStep({ calls }: CallStep): boolean {
  return calls.every(isPolling);
}

/** Whether the call may well have to be made again. */
export function isPolling({ nature, result }: PastCall): boolean {
  return nature.waits ?? result?.isUnderWay ?? false;
}

/** Whether the step may have changed something, so that what was tried before may be tried again. */
export function changesSomething({ kind, calls }: CallStep): boolean {
  return kind !== 'error' && calls.some(({ nature, result }) => nature.changes && result?.kind !== 'not_run');
}

/** The one tool that a step calls; undefined where it calls several. */
export function soleToolOf({ calls }: CallStep): string | undefined {
  const [first, ...others] = calls;
  return others.every(({ identity }) => identity.name === first?.identity.name)
    ? first?.identity.name
    : undefined;
}

/** Whether the steps hold different calls. */
export function isVaried(steps: readonly CallStep[]): boolean {
  return new Set(steps.map(({ key }) => key)).size > 1;
}

/** The error of a step that failed for good, if all its calls had the same; none where it only says that it failed. */
export function errorOf(round: CallStep | undefined): NormalizedResult | null {
  if (round?.kind !== 'error') return null;
  const [first, ...others] = round.calls
    .map(({ result }) => result)
    .filter((result) => result?.kind !== 'not_run');
  if (!first || first.failure === null) return null;
  return others.every((other) => isSameError(other, first)) ? first : null;
}

/** The same words, or the same but for what came from the calls. */
export function isSameError(a: NormalizedResult | null, b: NormalizedResult): boolean {
  return a !== null && a.failure !== null && (a.failure === b.failure || a.gist === b.gist);
}
