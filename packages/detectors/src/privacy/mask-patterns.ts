import { type PatternProgram, parsePattern } from '@loopwatch/contract/internal';

/** Step limit per unit of a text, for all patterns together; beyond it, the rest of the text is masked entirely. */
const STEPS_PER_UNIT = 500;
const STEPS_AT_LEAST = 100_000;

/** Regular expressions whose matches are masked. */
export type MaskPatterns = readonly PatternProgram[];

export const noMaskPatterns: MaskPatterns = [];

/** @throws Error that describes an invalid pattern; settings with such a pattern are rejected beforehand */
export function maskPatterns(patterns: readonly string[]): MaskPatterns {
  return patterns.map((pattern) => {
    const parsed = parsePattern(pattern);
    if (!parsed.ok) throw new Error(`The pattern ${JSON.stringify(pattern)} ${parsed.why}`);
    return parsed.program;
  });
}

/**
 * Replaces all matches of the patterns with a mask; overlapping or adjacent matches get one mask.
 *
 * @param hide called with what is masked, returns the mask
 * @param isCut whether the text may have been truncated: matches that the cut may have left unfinished are masked too
 */
export function maskMatches(
  text: string,
  patterns: MaskPatterns,
  hide: (secret: string) => string,
  isCut = false,
): string {
  if (patterns.length === 0 || text === '') return text;
  let steps = STEPS_AT_LEAST + STEPS_PER_UNIT * text.length;
  const spans: Span[] = [];
  for (const pattern of patterns) {
    const found = searchPattern(pattern, text, steps);
    steps -= found.steps;
    for (const span of found.spans) spans.push(span);
    if (isCut) spans.push(...found.unfinished, ...cutBeginnings(pattern, text));
    // Prefer showing too little to leaking a secret.
    if (!found.isWhole) spans.push([found.spans.at(-1)?.[1] ?? 0, text.length]);
    if (!found.isWhole) break;
  }
  return withMask(text, spans, hide);
}

function withMask(text: string, spans: readonly Span[], hide: (secret: string) => string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const [from, to] of merged(spans)) {
    pieces.push(text.slice(end, from), hide(text.slice(from, to)));
    end = to;
  }
  return [...pieces, text.slice(end)].join('');
}

/** Spans that touch or overlap become one. */
function merged(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last === undefined || from > last[1]) whole.push([from, to]);
    else whole[whole.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return whole;
}

/** Start and end of a match. */
export type Span = readonly [from: number, to: number];

export interface PatternSearch {
  /** The matches of a regular expression with flags `g` and `u`, in order. */
  readonly spans: readonly Span[];
  /** Possible beginnings of matches that are cut off by the end of the text or by a truncation mark. */
  readonly unfinished: readonly Span[];
  readonly steps: number;
  /** Whether the step limit sufficed; if not, the text after the last span was not searched. */
  readonly isWhole: boolean;
}

/** Minimum units of an unfinished match; fewer reveal little. */
const MIN_UNFINISHED = 4;
/** Ends of truncated text: an ellipsis, or the closing quote around it. */
const CUTS = '…”';

/** Positions whose marks share one word. */
const BLOCK = 32;

/**
 * Finds all matches of a pattern. It explores states in the order of a backtracking engine, but never the same state
 * twice at the same position, neither within a match nor from different starts. So all matches together take at most
 * states × characters steps. States on the path of a match need no second visit either: no match is empty, so the
 * next one starts after the last one's end.
 */
export function searchPattern(
  { states, start, marks, prefix }: PatternProgram,
  text: string,
  maxSteps: number,
): PatternSearch {
  const spans: Span[] = [];
  const unfinished: Span[] = [];
  const tried: (Uint32Array | undefined)[] = [];
  /** States still to be tried, each preceded by its position. */
  const later: number[] = [];
  let steps = 0;

  /** Marks a state as tried at a position. @returns whether it already was */
  function wasTried(mark: number, position: number): boolean {
    const block = (tried[Math.floor(position / BLOCK)] ??= new Uint32Array(marks));
    const bit = 1 << (position % BLOCK);
    const word = block[mark] ?? 0;
    block[mark] = word | bit;
    return (word & bit) !== 0;
  }

  /** @returns -1 if no match starts at the position */
  function endOfMatch(from: number): number {
    later.push(from, start);
    while (later.length > 0) {
      let state = states[later.pop() ?? 0];
      let position = later.pop() ?? 0;
      while (state !== undefined) {
        steps += 1;
        if (steps > maxSteps) return -1;
        if (state === states[0]) {
          later.length = 0;
          return position;
        }
        if (state.mark >= 0 && wasTried(state.mark, position)) break;
        if (state.other >= 0) {
          later.push(position, state.other);
        } else if (state.edge !== '') {
          if (!isEdge(state.edge, text, position)) break;
        } else {
          const width = widthAt(text, position);
          if (position - from >= MIN_UNFINISHED && isCut(text, position)) unfinished.push([from, position]);
          if (
            width === 0 ||
            !(
              state.ascii?.[text.charCodeAt(position)] ??
              state.pattern?.test(text.slice(position, position + width))
            )
          )
            break;
          position += width;
        }
        state = states[state.next];
      }
    }
    return -1;
  }

  for (let from = 0; from < text.length && steps <= maxSteps; ) {
    from = text.indexOf(prefix, from);
    if (from < 0) break;
    const end = endOfMatch(from);
    if (end >= 0) spans.push([from, end]);
    from = end < 0 ? from + widthAt(text, from) : end;
  }
  return { spans, unfinished, steps, isWhole: steps <= maxSteps };
}

/**
 * Places where a cut may have left only part of a pattern's literal prefix, which {@link searchPattern} does not
 * find.
 */
export function cutBeginnings({ prefix }: PatternProgram, text: string): Span[] {
  if (prefix.length <= MIN_UNFINISHED) return [];
  const ends = [...Array.from(text.matchAll(/[…”]/g), ({ index }) => index), text.length];
  return ends.flatMap((end) => {
    let length = Math.min(prefix.length - 1, end);
    while (length >= MIN_UNFINISHED && !text.startsWith(prefix.slice(0, length), end - length)) length -= 1;
    return length < MIN_UNFINISHED ? [] : [[end - length, end]];
  });
}

function isCut(text: string, position: number): boolean {
  return position >= text.length || CUTS.includes(text.charAt(position));
}

/** Units of the character at a position; 0 after the end. */
function widthAt(text: string, position: number): number {
  if (position >= text.length) return 0;
  return (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
}

function isEdge(edge: string | undefined, text: string, position: number): boolean {
  if (edge === '^') return position === 0;
  if (edge === '$') return position === text.length;
  const isWordEdge = /\w/.test(text.charAt(position - 1)) !== /\w/.test(text.charAt(position));
  return isWordEdge === (edge === 'b');
}
