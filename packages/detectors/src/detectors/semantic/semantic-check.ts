import type { Mark } from '../../calls/mark.ts';
import { sha256 } from '../../lib/digest.ts';
import type { JudgeMessage } from './judge-prompt.ts';

/** A question to a model: is this session in a loop? */
export interface SemanticCheck {
  /** Deterministic across runs, so that a recorded answer can be found again. */
  readonly id: string;
  readonly sessionId: string;
  readonly promptId: string | null;
  /** The `turn_started` event that raised the check. */
  readonly eventId: string;
  readonly eventIndex: number;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Turn of the prompt, from 1. */
  readonly turn: number;
  /** A confidence above this counts as a loop. */
  readonly threshold: number;
  readonly messages: readonly JudgeMessage[];
}

export function checkId(sessionId: string, { eventId, time }: Pick<Mark, 'eventId' | 'time'>): string {
  const parts = JSON.stringify(['check', sessionId, eventId, time]);
  return `c-${sha256(parts, 32)}`;
}
