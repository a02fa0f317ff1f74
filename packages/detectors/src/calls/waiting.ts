import type { ThresholdAdjustment } from '@loopwatch/contract';
import type { PastCall, Round } from './call-history.ts';
import type { CallKnowledge } from './call-knowledge.ts';

/** Asking again is what there is to do while one waits: it gets this many times the patience. */
const PATIENCE = 3;

/** How many times the usual patience it takes where one of these steps is for waiting. */
export function patienceWith(rounds: readonly Round[]): number {
  return rounds.some(isForWaiting) ? PATIENCE : 1;
}

/** Why it takes more patience, where it does. */
export function waitingAdjustments(
  rounds: readonly Round[],
  { tools }: Pick<CallKnowledge, 'tools'>,
): ThresholdAdjustment[] {
  const call = rounds.find(isForWaiting)?.calls[0];
  if (call === undefined) return [];
  const { name } = call.identity;
  if (Object.hasOwn(tools, name) && tools[name]?.poller === true) return ['declared-poller'];
  return [call.nature.waits === true ? 'looks-like-poller' : 'under-way'];
}

/** Whether the step does nothing but let time pass, or ask for what is still under way. */
export function isForWaiting({ calls }: Round): boolean {
  return calls.every(waits);
}

/** Whether the call may well have to be made again. */
export function waits({ nature, result }: PastCall): boolean {
  return nature.waits ?? result?.isUnderWay ?? false;
}
