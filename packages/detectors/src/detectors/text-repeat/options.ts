import type { Mode } from '@loopwatch/contract';
import type { TextIndex, TextRule } from '../../text/text-index.ts';

/** Options of the two detectors of repeated text. */
export interface TextRepeatOptions extends TextRule {
  /** The stream of the session that is read: its answer or its reasoning. */
  readonly stream: 'content' | 'thought';
  readonly mode: Mode;
  readonly createIndex: () => TextIndex;
}
