import type { Mode } from '@loopwatch/contract';
import type { TextIndex, TextRule } from '../../text/text-index.ts';

/** Options of content-repeat and thought-repeat. */
export interface TextRepeatOptions extends TextRule {
  /** The stream to read: the session's answer or its reasoning. */
  readonly stream: 'content' | 'thought';
  readonly mode: Mode;
  readonly createIndex: () => TextIndex;
}
