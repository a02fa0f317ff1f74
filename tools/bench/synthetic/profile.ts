import type { ArgumentKind, TextKind } from './texts.ts';

/** Values at these shares of a sorted distribution. */
export const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1] as const;

export type Quantiles = readonly number[];

/** Statistics of one file of recorded sessions. Sizes are in UTF-16 units. */
export interface Profile {
  readonly name: string;
  readonly kind: 'sessions' | 'trajectories';
  readonly sessions: number;
  /** Events of a session. */
  readonly events: Quantiles;
  readonly prompt: Quantiles;
  readonly content: Quantiles;
  readonly thought: Quantiles;
  readonly args: Quantiles;
  readonly result: Quantiles;
  /** `content` events of a turn. */
  readonly pieces: Quantiles;
  /** Share of turns with a thought. */
  readonly thoughts: number;
  /** Shares of turns with 0, 1, 2 … calls. */
  readonly calls: readonly number[];
  /** Shares of turns that end with a new prompt, and that say that they finished. */
  readonly prompts: number;
  readonly finished: number;
  /** Share of calls with a result. */
  readonly answered: number;
  readonly results: 'inTurn' | 'afterTurn' | 'never';
  /** Shares of calls made before in the session, and of those made in a row. */
  readonly repeated: number;
  readonly inARow: number;
  /** Shares of results seen before in the session, and of errors. */
  readonly sameResult: number;
  readonly errors: number;
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly name: string;
  readonly share: number;
  readonly args: ArgumentKind;
  readonly result: TextKind;
}
