/**
 * A short, deterministic hash of a text, for the ids of events whose producer has none, so that a history that is sent
 * twice counts once. 53 bits of a multiplicative hash, in base 36.
 */
export function textId(text: string): string {
  let low = 0x811c9dc5;
  let high = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high + unit, 0x5bd1e995) ^ (low >>> 13);
  }
  return ((high >>> 11) * 2 ** 32 + (low >>> 0)).toString(36);
}
