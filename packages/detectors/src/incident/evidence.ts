import type { SecretMask } from '../privacy/secret-mask.ts';

/** No text of an evidence is longer, and no list has more entries: together they keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;

/** Entries of an evidence that hold what the agent wrote. */
const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis']);
export const NOT_STORED = '‹not stored›';

/** How the texts of a verdict may leave. */
export interface Presentation {
  readonly secrets: SecretMask;
  /** Whether they may hold what the agent wrote. */
  readonly storeText: boolean;
}

/** An evidence as it may leave: secrets masked, bounded to 32 KiB of UTF-8, without the agent's text if so wanted. */
export function presentable<T extends object>(evidence: T, presentation: Presentation): T {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const bounded = bound(evidence, limit, presentation) as T;
    if (utf8Length(JSON.stringify(bounded)) <= MAX_BYTES) return bounded;
  }
}

/** A text as it may leave. */
export function presentableText(text: string, maxUnits: number, { secrets }: Presentation): string {
  const masked = secrets.mask(text);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Evidence is built by detectors and never deep, so this recursion is bounded. */
function bound(value: unknown, maxUnits: number, presentation: Presentation): unknown {
  if (typeof value === 'string') return presentableText(value, maxUnits, presentation);
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).map((entry) => bound(entry, maxUnits, presentation));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => {
    const hidden = !presentation.storeText && typeof entry === 'string' && AGENT_TEXT.has(key);
    return [key, hidden ? NOT_STORED : bound(entry, maxUnits, presentation)] as const;
  });
  return Object.fromEntries(entries);
}

/** The same with what cuts have left of secrets masked, in every text of it. */
export function withoutRests<T>(value: T, secrets: SecretMask): T {
  return secrets.hasSecrets ? (mapTexts(value, (text) => secrets.maskRests(text)) as T) : value;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
}

/** Bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
