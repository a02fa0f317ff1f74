import type { DetectionSettings } from '@loopwatch/contract';

/** What may leave the detectors. */
export interface Privacy {
  /** Further patterns whose matches are masked, beside those of known secrets. */
  readonly mask: readonly RegExp[];
  /** Whether verdicts may carry what the agent wrote: arguments and text. */
  readonly storeText: boolean;
}

export function privacyOf({ mask, store_text: storeText }: DetectionSettings['privacy']): Privacy {
  return { mask: mask.map((pattern) => new RegExp(pattern, 'g')), storeText };
}
