import { createHash } from 'node:crypto';

const CHUNK = 50;
const THRESHOLD = 10;
const MAX_HISTORY = 5000;

/**
 * Detects repeated text as command-line agents usually do: every event extends a history string and cuts it to a
 * maximum, which shifts all remembered positions; every unit costs a SHA-256 of its chunk; and structure is recognized
 * within single events only.
 */
export class BaselineDetector {
  #history = '';
  #next = 0;
  #inCode = false;
  readonly #positions = new Map<string, number[]>();

  /** @returns whether the text repeats itself */
  push(text: string): boolean {
    const fences = text.match(/```/g)?.length ?? 0;
    const structured =
      /(^|\n)\s*(\|.*\||[|+-]{3,})/.test(text) ||
      /(^|\n)\s*[*+-]\s/.test(text) ||
      /(^|\n)\s*\d+\.\s/.test(text) ||
      /(^|\n)#+\s/.test(text) ||
      /(^|\n)>\s/.test(text) ||
      /^[+\-_=*\u2500-\u257f]+$/.test(text);
    if (fences > 0 || structured) this.#reset();
    const wasInCode = this.#inCode;
    if (fences % 2 === 1) this.#inCode = !this.#inCode;
    if (wasInCode || this.#inCode) return false;
    this.#history += text;
    this.#truncate();
    return this.#analyze();
  }

  #reset(): void {
    this.#history = '';
    this.#next = 0;
    this.#positions.clear();
  }

  #truncate(): void {
    const excess = this.#history.length - MAX_HISTORY;
    if (excess <= 0) return;
    this.#history = this.#history.slice(excess);
    this.#next = Math.max(0, this.#next - excess);
    for (const [hash, positions] of this.#positions) {
      const moved = positions.map((position) => position - excess).filter((position) => position >= 0);
      if (moved.length > 0) this.#positions.set(hash, moved);
      else this.#positions.delete(hash);
    }
  }

  #analyze(): boolean {
    for (; this.#next + CHUNK <= this.#history.length; this.#next += 1) {
      const chunk = this.#history.substring(this.#next, this.#next + CHUNK);
      if (this.#repeats(chunk, createHash('sha256').update(chunk).digest('hex'))) return true;
    }
    return false;
  }

  #repeats(chunk: string, hash: string): boolean {
    const positions = this.#positions.get(hash);
    if (positions === undefined) {
      this.#positions.set(hash, [this.#next]);
      return false;
    }
    const first = positions[0] ?? 0;
    if (this.#history.substring(first, first + CHUNK) !== chunk) return false;
    positions.push(this.#next);
    if (positions.length < THRESHOLD) return false;
    const recent = positions.slice(-THRESHOLD);
    const spread = (recent.at(-1) ?? 0) - (recent[0] ?? 0);
    return spread / (THRESHOLD - 1) <= CHUNK * 5;
  }
}
