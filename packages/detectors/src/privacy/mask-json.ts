import { maskSecrets } from './mask.ts';
import { type MaskPatterns, noMaskPatterns } from './mask-patterns.ts';

/**
 * Masks all secrets in a JSON value: in its texts, and those that a key or a neighbor names.
 *
 * @returns the same value if it contains none
 */
export function maskJson(value: unknown, further: MaskPatterns = noMaskPatterns): unknown {
  return maskTexts(maskWhole(value, further), further);
}

/** Masks the value's JSON text, where keys stand beside their values. */
function maskWhole(value: unknown, further: MaskPatterns): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const json = JSON.stringify(value);
  const masked = maskSecrets(json, further);
  if (masked === json) return value;
  try {
    return JSON.parse(masked);
  } catch {
    // A secret that reaches across quotes, such as an unfinished private key: part by part, they are shorter.
    if (Array.isArray(value)) return value.map((item) => maskWhole(item, further));
    return mapMembers(value, (member) => maskWhole(member, further));
  }
}

/** Masks each text on its own. The value was JSON, so it is not nested too deeply. */
function maskTexts(value: unknown, further: MaskPatterns): unknown {
  if (typeof value === 'string') return maskSecrets(value, further);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskTexts(item, further));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  return mapMembers(value, (member) => maskTexts(member, further));
}

function mapMembers(value: object, map: (member: unknown) => unknown): object {
  const members = Object.entries(value).map(([name, member]) => [name, member, map(member)] as const);
  if (members.every(([, before, after]) => before === after)) return value;
  // Not by assignment, which would set the prototype for `__proto__`.
  return Object.fromEntries(members.map(([name, , after]) => [name, after]));
}
