import { isOpenAfter } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import { type DetectionPlan, denialMessage, guidanceOf, stopMessage } from '@loopwatch/detectors/internal';

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

/** What the verdicts on a request's history require. Limits are tracked separately; an outage requires nothing. */
export function enforcementOf(
  verdicts: readonly PureVerdict[],
  plan: DetectionPlan,
): Enforcement | undefined {
  return strongestOf(
    verdicts.filter((verdict) => verdict.kind === 'loop' && isOpenAfter(verdict)),
    plan,
  );
}

/** What these open incidents require. @param tool the name from the call, if a call continues them */
export function strongestOf(
  open: readonly PureVerdict[],
  plan: DetectionPlan,
  tool?: string,
): Enforcement | undefined {
  const block = open.find(({ action }) => action === 'block');
  if (block !== undefined) return blockFor(block, plan, tool);
  const chance = open.findLast(({ action }) => action === 'chance');
  if (chance === undefined) return undefined;
  const text = tool === undefined ? guidanceOf(chance) : denialMessage(chance, plan, tool);
  return { action: 'chance', verdict: chance, text };
}
