/** Longer results keep their order, to bound the cost of sorting. */
const MAX_UNITS = 16_384;
/** Deeper parts of a result keep their order. */
const MAX_DEPTH = 6;

/** A result whose lines, and lists of texts, are sorted. */
export function inFixedOrder(result: unknown, depth = 0): unknown {
  if (typeof result === 'string') return sortedLines(result);
  if (typeof result !== 'object' || result === null || depth === MAX_DEPTH) return result;
  if (Array.isArray(result)) {
    const parts = result.map((part) => inFixedOrder(part, depth + 1));
    return parts.every((part) => typeof part === 'string') ? parts.sort() : parts;
  }
  return Object.fromEntries(
    Object.entries(result).map(([name, part]) => [name, inFixedOrder(part, depth + 1)]),
  );
}

function sortedLines(text: string): string {
  if (!text.includes('\n') || text.length > MAX_UNITS) return text;
  return text.split('\n').sort().join('\n');
}
