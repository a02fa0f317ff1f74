import type { DetectionSettings } from '@loopwatch/contract';
import { type MaskPatterns, maskPatterns } from './mask-patterns.ts';

/** What may leave the detectors. */
export interface Privacy {
  /** Further patterns whose matches are masked, beside those of known secrets. */
  readonly mask: MaskPatterns;
  /** Whether verdicts may carry what the agent wrote: arguments and text. */
  readonly storeText: boolean;
}

export function privacyOf({ mask, store_text: storeText }: DetectionSettings['privacy']): Privacy {
  return { mask: maskPatterns(mask), storeText };
}
