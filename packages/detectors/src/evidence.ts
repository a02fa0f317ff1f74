import { maskSecrets } from './mask.ts';

/** No text of an evidence is longer, and no list has more entries: together they keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;

/** An evidence as it may leave: secrets masked, bounded to 32 KiB of UTF-8. */
export function presentable(evidence: Record<string, unknown>): Record<string, unknown> {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const bounded = bound(evidence, limit) as Record<string, unknown>;
    if (utf8Length(JSON.stringify(bounded)) <= MAX_BYTES) return bounded;
  }
}

/** A text as it may leave. */
export function presentableText(text: string, maxUnits: number): string {
  const masked = maskSecrets(text);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Evidence is built by detectors and never deep, so this recursion is bounded. */
function bound(value: unknown, maxUnits: number): unknown {
  if (typeof value === 'string') return presentableText(value, maxUnits);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => bound(entry, maxUnits));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bound(entry, maxUnits)]));
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
