import { type DetectionSettings, utf8Length } from '@loopwatch/contract';
import { type MaskPatterns, maskPatterns } from './mask-patterns.ts';
import type { SecretMask } from './secret-mask.ts';

/** Privacy settings for verdicts. */
export interface Privacy {
  /** Additional patterns whose matches are masked, besides known secret formats. */
  readonly mask: MaskPatterns;
  /** Whether verdicts may contain the agent's arguments and text. */
  readonly storeText: boolean;
}

export function privacyOf({ mask, store_text: storeText }: DetectionSettings['privacy']): Privacy {
  return { mask: maskPatterns(mask), storeText };
}

/** Maximum text length and list length in an evidence, which together keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Evidence fields that hold text from the agent. */
const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis']);
export const NOT_STORED = '‹not stored›';

/** How to present the texts of a verdict. */
export interface Presentation {
  readonly secrets: SecretMask;
  /** Whether they may contain text from the agent. */
  readonly storeText: boolean;
}

/**
 * An evidence for publication: secrets masked, bounded to 32 KiB of UTF-8, and without the agent's text unless
 * allowed.
 */
export function presentable<T extends object>(evidence: T, presentation: Presentation): T {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const shown = (text: string, key: string) =>
      presentation.storeText || !AGENT_TEXT.has(key)
        ? presentableText(text, limit, presentation)
        : NOT_STORED;
    const bounded = mapTexts(evidence, shown, MAX_ENTRIES) as T;
    const json = JSON.stringify(bounded);
    if (json.length * MAX_UNIT_BYTES <= MAX_BYTES || utf8Length(json) <= MAX_BYTES) return bounded;
  }
}

/** A text for publication: masked and bounded. */
export function presentableText(text: string, maxUnits: number, { secrets }: Presentation): string {
  const masked = secrets.mask(text);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Masks the rests of truncated secrets in every text of a value. */
export function withoutRests<T>(value: T, secrets: SecretMask): T {
  return secrets.hasSecrets ? (mapTexts(value, (text) => secrets.maskRests(text)) as T) : value;
}

/**
 * A copy of a value with other texts, each of which is changed by the key that it stands under, and with at most so many
 * entries a list. Evidence is built by detectors and never deeply nested, so this recursion is bounded.
 */
function mapTexts(
  value: unknown,
  change: (text: string, key: string) => string,
  most?: number,
  under = '',
): unknown {
  if (typeof value === 'string') return change(value, under);
  if (Array.isArray(value)) return value.slice(0, most).map((entry) => mapTexts(entry, change, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change, most, key)]),
  );
}
