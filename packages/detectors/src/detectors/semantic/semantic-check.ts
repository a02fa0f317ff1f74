import type { Mark } from '../../calls/mark.ts';
import { sha256 } from '../../lib/digest.ts';
import type { JudgeMessage } from './judge-prompt.ts';

/** A question to a model: does this session loop? */
export interface SemanticCheck {
  /** The same in every run, so that a recorded answer can be found again. */
  readonly id: string;
  readonly sessionId: string;
  readonly promptId: string | null;
  /** The `turn_started` that asks. */
  readonly eventId: string;
  readonly eventIndex: number;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Turn of the prompt, from 1. */
  readonly turn: number;
  /** A confidence above this is a loop. */
  readonly threshold: number;
  readonly messages: readonly JudgeMessage[];
}

export function checkId(sessionId: string, { eventId, time }: Pick<Mark, 'eventId' | 'time'>): string {
  const parts = JSON.stringify(['check', sessionId, eventId, time]);
  return `c-${sha256(parts, 32)}`;
}
