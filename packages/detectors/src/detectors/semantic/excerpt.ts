/** Maximum units of a message shown to a model. */
export const MAX_EXCERPT = 1000;
/** Maximum extra units stored before the shown end, so that a secret at the cut stays complete. */
const MARGIN = 256;
/** What may be the rest of a token longer than the margin; tokens contain a digit. */
const BEGUN = /^(?=[\w.~+/=-]*\d)[\w.~+/=-]+/;
/** Share of a truncated message taken from its beginning; the rest is taken from its end. */
const HEAD_SHARE = 0.6;

/** Beginning and end of a streamed text, in bounded memory and independent of how the text was chunked. */
export class Excerpt {
  /** Units of the whole text. */
  length = 0;
  #limit = MAX_EXCERPT;
  #head = '';
  #tail = '';

  static of(text: string): Excerpt {
    const excerpt = new Excerpt();
    excerpt.append(text);
    return excerpt;
  }

  append(text: string): void {
    this.length += text.length;
    const room = headUnits(MAX_EXCERPT) - this.#head.length;
    if (room > 0) this.#head += ownCopy(text, 0, room);
    if (text.length <= room) return;
    const kept = tailUnits(MAX_EXCERPT) + MARGIN;
    this.#tail += ownCopy(text, Math.max(room, text.length - kept, 0), text.length);
    if (this.#tail.length > 2 * kept)
      this.#tail = ownCopy(this.#tail, this.#tail.length - kept, this.#tail.length);
  }

  /**
   * The text in at most `units` units, not counting the note about how much was left out.
   *
   * @param masked masks secrets in the text, or in a part that it was cut to
   */
  show(units: number, masked: (text: string, wasCut: boolean) => string): string {
    const limit = Math.min(units, this.#limit);
    const tail = tailUnits(limit);
    if (this.length <= limit) return masked(this.#head + this.#tail, false);
    const left = String(this.length - limit);
    const begin = masked(this.#begin(limit), true);
    const end = masked(this.#end(limit).replace(BEGUN, ''), true);
    return `${begin} […${left} characters left out…] ${end.slice(Math.max(0, end.length - tail))}`;
  }

  /** Drops text that {@link show} does not need in order to show this many units. */
  shrink(units: number): void {
    if (units >= this.#limit) return;
    if (this.length > units) {
      const head = this.#begin(units);
      this.#tail = this.#end(units);
      this.#head = head;
    }
    this.#limit = units;
  }

  #begin(limit: number): string {
    const whole = this.#head + this.#tail;
    return ownCopy(whole, 0, headUnits(limit));
  }

  #end(limit: number): string {
    const whole = this.#head + this.#tail;
    const kept = tailUnits(limit) + Math.min(MARGIN, limit);
    return ownCopy(whole, Math.max(0, whole.length - kept), whole.length);
  }

  snapshot(): ExcerptSnapshot {
    const { length } = this;
    const limit = this.#limit;
    const head = this.#head;
    const tail = this.#tail;
    return { length, limit, head, tail };
  }

  static restore(snapshot: ExcerptSnapshot): Excerpt {
    return Object.assign(new Excerpt(), snapshot);
  }
}

export interface ExcerptSnapshot {
  readonly length: number;
  readonly limit: number;
  readonly head: string;
  readonly tail: string;
}

function headUnits(limit: number): number {
  return Math.ceil(limit * HEAD_SHARE);
}

function tailUnits(limit: number): number {
  return limit - headUnits(limit);
}

/** A copy of part of a text; an engine's slice would keep the whole text alive. */
function ownCopy(text: string, from: number, to: number): string {
  if (from === 0 && to >= text.length && text.length <= MAX_EXCERPT) return text;
  const codes = Array.from({ length: Math.min(to, text.length) - from }, (_, i) => text.charCodeAt(from + i));
  return String.fromCharCode(...codes);
}
