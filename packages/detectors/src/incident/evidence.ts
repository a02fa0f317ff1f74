import { maskSecrets } from '../privacy/mask.ts';
import type { Privacy } from '../privacy/privacy.ts';

/** No text of an evidence is longer, and no list has more entries: together they keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;

/** Entries of an evidence that hold what the agent wrote. */
const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis']);
export const NOT_STORED = '‹not stored›';

/** An evidence as it may leave: secrets masked, bounded to 32 KiB of UTF-8, without the agent's text if so wanted. */
export function presentable(evidence: Record<string, unknown>, privacy: Privacy): Record<string, unknown> {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const bounded = bound(evidence, limit, privacy) as Record<string, unknown>;
    if (utf8Length(JSON.stringify(bounded)) <= MAX_BYTES) return bounded;
  }
}

/** A text as it may leave. */
export function presentableText(text: string, maxUnits: number, { mask }: Privacy): string {
  const masked = maskSecrets(text, mask);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Evidence is built by detectors and never deep, so this recursion is bounded. */
function bound(value: unknown, maxUnits: number, privacy: Privacy): unknown {
  if (typeof value === 'string') return presentableText(value, maxUnits, privacy);
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).map((entry) => bound(entry, maxUnits, privacy));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => {
    const hidden = !privacy.storeText && typeof entry === 'string' && AGENT_TEXT.has(key);
    return [key, hidden ? NOT_STORED : bound(entry, maxUnits, privacy)] as const;
  });
  return Object.fromEntries(entries);
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
