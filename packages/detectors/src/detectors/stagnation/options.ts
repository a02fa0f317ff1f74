import type { Mode } from '@loopwatch/contract';

/** Numbers of the rules; which runs they were chosen on is documented with the detector. */
export interface StagnationOptions {
  /** Steps in a row that fail with the same error, under varying arguments. */
  readonly sameError: number;
  /** The same failing call with the same error, or rejected changes for the same reason, with looks in between. */
  readonly sameFailure: number;
  /** The same call with the same result, with other steps in between that change nothing. */
  readonly sameResult: number;
  /** Steps in a row in which one reading tool answers the same, whatever its arguments. */
  readonly sameAnswer: number;
  /** The same prompt of a harness, although nothing comes of it. */
  readonly samePrompt: number;
  /** Steps in a row that bring nothing that was not known. */
  readonly nothingNew: number;
  readonly mode: Mode;
  /** Steps of the longest cycle that tool-cycle finds, whose incident it is then; 1 where that detector is off. */
  readonly longestCycle: number;
}
