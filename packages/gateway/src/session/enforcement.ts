import { isOpenAfter } from '@loopwatch/contract';
import { type DetectionPlan, guidanceOf, type PureVerdict, stopMessage } from '@loopwatch/detectors';

/** An action that detection requires. */
export interface Enforcement {
  readonly action: 'block' | 'chance';
  readonly verdict: PureVerdict;
  /** The message to the user (block) or to the model (chance). */
  readonly text: string;
}

/** @param tool tool name in the message to the user */
export function blockFor(verdict: PureVerdict, plan: DetectionPlan, tool?: string): Enforcement {
  const text = verdict.detector === 'turn-limit' ? limitText(verdict) : stopMessage(verdict, plan, tool);
  return { action: 'block', verdict, text };
}

/** After a limit, the user may simply continue. */
function limitText({ threshold }: PureVerdict): string {
  return (
    `The limit of ${String(threshold)} model requests for one prompt is reached. ` +
    'Send another message to continue, or raise turn_requests.max_turn_requests.'
  );
}

/** What the verdicts of one event require. Limits are tracked separately; an outage requires nothing. */
export function enforcementOf(
  verdicts: readonly PureVerdict[],
  plan: DetectionPlan,
  tool?: string,
): Enforcement | undefined {
  let enforcement: Enforcement | undefined;
  for (const verdict of verdicts) {
    const { action, kind } = verdict;
    if (kind !== 'loop' || !isOpenAfter(verdict)) continue;
    if (action === 'block') return blockFor(verdict, plan, tool ?? verdict.tool?.name);
    if (action === 'chance') enforcement = { action, verdict, text: guidanceOf(verdict) };
  }
  return enforcement;
}
