import { isOpenAfter } from '@loopwatch/contract';
import { type DetectionPlan, guidanceOf, type PureVerdict, stopMessage } from '@loopwatch/detectors';

/** What detection asks for. */
export interface Demand {
  readonly action: 'block' | 'chance';
  readonly verdict: PureVerdict;
  /** What the user is told (block), or the model (chance). */
  readonly text: string;
}

/** @param tool the tool that is named to the user */
export function blockBy(verdict: PureVerdict, plan: DetectionPlan, tool?: string): Demand {
  const text = verdict.detector === 'turn-limit' ? limitText(verdict) : stopMessage(verdict, plan, tool);
  return { action: 'block', verdict, text };
}

/** A limit is no fault of the user's: they may go on. */
function limitText({ threshold }: PureVerdict): string {
  return (
    `The limit of ${String(threshold)} model requests for one prompt is reached. ` +
    'Send another message to go on, or raise turn_requests.max_turn_requests.'
  );
}

/** What the verdicts at one event ask for; limits are kept elsewhere, an outage asks for nothing. */
export function demandOf(
  verdicts: readonly PureVerdict[],
  plan: DetectionPlan,
  tool?: string,
): Demand | undefined {
  let demand: Demand | undefined;
  for (const verdict of verdicts) {
    const { action, kind } = verdict;
    if (kind !== 'loop' || !isOpenAfter(verdict)) continue;
    if (action === 'block') return blockBy(verdict, plan, tool ?? verdict.tool?.name);
    if (action === 'chance') demand = { action, verdict, text: guidanceOf(verdict) };
  }
  return demand;
}
