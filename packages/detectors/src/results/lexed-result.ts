import { unitAt } from './text-units.ts';
import { isAnnounced } from './token-context.ts';
import type { ShapeKind } from './token-shape.ts';

/**
 * What differs by itself, or may: a token that looks random, a number, a size in bytes, a counter in a frame, or a
 * token that is likely to be what was asked for.
 */
export type HoleKind = ShapeKind | 'size' | 'counter' | 'news';

/** A token that may differ although two results say the same. */
export interface Hole {
  readonly kind: HoleKind;
  readonly value: string;
}

/** A result as read by the lexer. */
export interface LexedResult {
  /** Without known volatile tokens, and with white space folded. */
  readonly normal: string;
  /** The same with a placeholder for each hole; the same string if there is none. */
  readonly bulk: string;
  /** In the order of the text; `null` if there are more. */
  readonly holes: readonly Hole[] | null;
  /** Words outside of holes and keys. */
  readonly words: number;
  /** Names of fields. */
  readonly keys: number;
}

export interface LexOptions {
  /** Whether the text is an error: numbers in it are rarely the answer. */
  readonly isError: boolean;
}

/** A result with more holes is a list of ids, which are its content. */
const MAX_HOLES = 16;
const MAX_VALUE_UNITS = 32;
const EQUALS = 0x3d;

/** Copies a text in ranges, with replacements between them. */
export class ResultWriter {
  readonly #text: string;
  #normal = '';
  /** Written from the first hole on: most results have none. */
  #bulk = '';
  #hasBulk = false;
  /** Where the text that is still to be copied starts. */
  #from = 0;
  #holes: Hole[] | null = [];
  /** Where each of these starts if the words before it may announce it; else -1. */
  readonly #starts: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Ignored within what is already replaced. */
  replace(start: number, end: number, sign: string): void {
    if (start < this.#from) return;
    const copied = this.#text.slice(this.#from, start) + sign;
    this.#normal += copied;
    if (this.#hasBulk) this.#bulk += copied;
    this.#from = end;
  }

  /** @param mayBeNews whether the words before the token decide if it is what was asked for */
  hole(kind: HoleKind, start: number, tokenEnd: number, mayBeNews = false): void {
    const text = this.#text;
    let end = tokenEnd;
    // Padding of base64 differs with the length.
    while (end - tokenEnd < 2 && unitAt(text, end) === EQUALS) end += 1;
    if (this.#holes !== null) {
      if (this.#holes.length === MAX_HOLES) this.#holes = null;
      else {
        this.#holes.push({ kind, value: text.slice(start, Math.min(end, start + MAX_VALUE_UNITS)) });
        this.#starts.push(mayBeNews ? start : -1);
      }
    }
    if (start < this.#from) return;
    if (!this.#hasBulk) this.#bulk = this.#normal;
    this.#hasBulk = true;
    this.#normal += text.slice(this.#from, end);
    this.#bulk += `${text.slice(this.#from, start)}<?>`;
    this.#from = end;
  }

  result(words: number, keys: number): LexedResult {
    const rest = this.#text.slice(this.#from);
    const normal = (this.#normal + rest).trim();
    const bulk = this.#hasBulk ? (this.#bulk + rest).trim() : normal;
    return { normal, bulk, holes: this.#announcedHoles(), words, keys };
  }

  /** Looked up at the end: a list of ids has none. */
  #announcedHoles(): readonly Hole[] | null {
    const holes = this.#holes;
    for (const [i, start] of this.#starts.entries()) {
      const hole = holes?.[i];
      if (hole === undefined || start < 0 || !isAnnounced(this.#text, start)) continue;
      // A frame closes with the token that opens it, whatever it contains.
      const isKnown = holes
        ?.slice(0, i)
        .some(({ kind, value }) => kind === hole.kind && value === hole.value);
      if (isKnown !== true) holes?.splice(i, 1, { kind: 'news', value: hole.value });
    }
    return holes;
  }
}
