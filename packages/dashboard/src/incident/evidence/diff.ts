/** A piece of a text, and whether the other text has it too. */
export interface Piece {
  readonly text: string;
  readonly same: boolean;
}

/** With more pairs of tokens the comparison would be noticeably slow; then only common ends are matched. */
const MAX_PAIRS = 1_000_000;

/** Indents JSON; text that does not parse (cut off, or not JSON) is returned unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Lengths at which detection cuts off the results and the arguments that evidence holds. */
const CUT_AT: ReadonlySet<number> = new Set([400, 512]);

/** A text of evidence, which says if it is cut off. */
export function withCutMark(text: string): string {
  return CUT_AT.has(text.length) ? `${text}…` : text;
}

/** Indented JSON, or a text that says if it is cut off. */
export function evidenceText(text: string): string {
  const pretty = prettyJson(text);
  return pretty === text ? withCutMark(text) : pretty;
}

/** Splits two texts into shared and differing pieces. */
export function diff(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const a = tokens(before);
  const b = tokens(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;

  const middleA = a.slice(start, a.length - end);
  const middleB = b.slice(start, b.length - end);
  const shared = common(middleA, middleB);
  const around = (middle: readonly string[], same: ReadonlySet<number>) =>
    join([
      ...a.slice(0, start).map((text) => ({ text, same: true })),
      ...middle.map((text, index) => ({ text, same: same.has(index) })),
      ...a.slice(a.length - end).map((text) => ({ text, same: true })),
    ]);
  return { before: around(middleA, shared.a), after: around(middleB, shared.b) };
}

/** Words, numbers, runs of white space, and single other characters. */
function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Indices of a longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): { a: Set<number>; b: Set<number> } {
  const shared = { a: new Set<number>(), b: new Set<number>() };
  if (a.length * b.length > MAX_PAIRS) return shared;
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      shared.a.add(i);
      shared.b.add(j);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return shared;
}

function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.same === piece.same)
      joined[joined.length - 1] = { text: last.text + piece.text, same: piece.same };
    else joined.push(piece);
  }
  return joined;
}
