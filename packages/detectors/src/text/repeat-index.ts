import { SparseRing } from '../lib/sparse-ring.ts';
import { EchoFinder } from './echo-finder.ts';
import type { RepeatListener, TextIndex, TextRule } from './text-index.ts';
import { copyUnits } from './units-text.ts';

/** The piece of text being searched; all indexes share this buffer. */
const PIECE = new Uint16Array(128);

/**
 * Counts, at every unit of a text, how often the window that ends at the unit has occurred recently.
 *
 * The rule "the last `threshold` occurrences of a window lie on average at most `maxDistance` apart" looks back at most
 * (threshold - 1) x maxDistance units. Each occurrence is linked to the previous one, its echo, so the occurrences of a
 * window form a chain. The rule holds if enough links of the chain lie within the reach.
 */
export class RepeatIndex implements TextIndex {
  readonly #maxDistance: number;
  /** Number of earlier occurrences at which the rule holds. */
  readonly #needed: number;
  readonly #reach: number;
  readonly #finder: EchoFinder;
  /** By unit: the distance to its echo. */
  readonly #echoes: SparseRing;
  /** By unit: the occurrence count reported there while a loop is open. */
  readonly #counts: SparseRing;
  /** Whether a loop is open, and the `length` at which it ends if nothing repeats until then. */
  #open = false;
  #quietAt = 0;

  constructor({ window, threshold, maxDistance }: TextRule) {
    this.#maxDistance = maxDistance;
    this.#needed = threshold - 1;
    this.#reach = this.#needed * maxDistance;
    this.#finder = new EchoFinder(window, this.#reach);
    this.#echoes = new SparseRing(this.#reach + 1, Uint16Array);
    this.#counts = new SparseRing(this.#reach + 1, Uint32Array);
  }

  get length(): number {
    return this.#finder.length;
  }

  /** There is only one rule. */
  get rule(): null {
    return null;
  }

  /** Units since the beginning of the oldest counted occurrence. */
  get since(): number {
    return (this.distances(0).at(-1) ?? 0) + this.#finder.window;
  }

  /** Structure ends a repetition. */
  passesMarker(): boolean {
    return false;
  }

  /** Code and dividers are not tracked. */
  takesIn(): boolean {
    return false;
  }

  restart(): void {
    if (this.#finder.length === 0) return;
    this.#finder.restart();
    this.#echoes.clear();
    this.settle();
  }

  /** The loop has ended: stop counting, and do not call {@link RepeatListener.onQuiet} again. */
  settle(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#counts.clear();
  }

  append(text: string, from: number, to: number, listener: RepeatListener): void {
    for (let begin = from; begin < to; begin += PIECE.length) {
      const size = copyUnits(text, begin, Math.min(to, begin + PIECE.length), PIECE);
      this.#search(PIECE, size, begin, listener);
    }
  }

  /** Searches the next `size` units; the first is at `begin` in the listener's text. */
  #search(units: Uint16Array, size: number, begin: number, listener: RepeatListener): void {
    const finder = this.#finder;
    for (let i = 0; i < size; ) {
      i = finder.advance(units, i, this.#open ? Math.min(size, i + this.#quietAt - finder.length) : size);
      if (finder.echo !== 0 && this.#ruleHolds()) {
        this.#open = true;
        this.#quietAt = finder.length + this.#maxDistance;
        listener.onRepeat(begin + i - 1, this.#count());
      } else if (this.#open && finder.length === this.#quietAt) {
        this.settle();
        listener.onQuiet(begin + i - 1);
      }
    }
  }

  tail(limit: number, after: number): string {
    const text = this.#finder.tail(limit + after);
    return text.slice(0, text.length - after);
  }

  distances(after: number): readonly number[] {
    const distances: number[] = [];
    const echoes = this.#echoes;
    echoes.moveTo(this.#finder.length);
    let distance = 0;
    while (distances.length < this.#needed) {
      const link = echoes.at(after + distance);
      distance += link;
      if (link === 0 || distance > this.#reach) break;
      distances.push(distance);
    }
    return distances;
  }

  snapshot(): RepeatSnapshot {
    const finder = this.#finder;
    const counts = this.#counts;
    const text = finder.tail(finder.capacity);
    if (!this.#open) return { text, counts: [], quietIn: null };
    counts.moveTo(finder.length);
    return {
      text,
      counts: Array.from({ length: text.length }, (_, i) => counts.at(text.length - 1 - i)),
      quietIn: this.#quietAt - finder.length,
    };
  }

  /** Appends the remembered text again; text before it is out of reach. */
  restore(snapshot: object): void {
    if (!('quietIn' in snapshot)) return;
    const { text, counts, quietIn } = snapshot as RepeatSnapshot;
    this.restart();
    const finder = this.#finder;
    const units = new Uint16Array(text.length);
    const size = copyUnits(text, 0, text.length, units);
    for (let i = 0; i < size; ) {
      i = finder.advance(units, i, size);
      if (finder.echo !== 0) this.#noteEcho();
    }
    if (quietIn === null) return;
    this.#open = true;
    this.#quietAt = finder.length + quietIn;
    counts.forEach((count, i) => {
      this.#counts.moveTo(i + 1);
      this.#counts.note(count);
    });
  }

  #noteEcho(): void {
    this.#echoes.moveTo(this.#finder.length);
    this.#echoes.note(this.#finder.echo);
  }

  /** Whether the echo chain of the latest window has as many links within the reach as the rule requires. */
  #ruleHolds(): boolean {
    this.#noteEcho();
    const echoes = this.#echoes;
    const reach = this.#reach;
    const needed = this.#needed;
    let distance = 0;
    for (let n = 0; n < needed; n += 1) {
      const link = echoes.at(distance);
      distance += link;
      if (link === 0 || distance > reach) return false;
    }
    return true;
  }

  /**
   * Occurrences of the latest window, for which the rule holds. If the rule did not hold at the previous occurrence,
   * that one was below the threshold, so the count is exactly the threshold; otherwise it is one more than the previous
   * count.
   */
  #count(): number {
    const counts = this.#counts;
    const finder = this.#finder;
    const needed = this.#needed;
    counts.moveTo(finder.length);
    const count = (counts.at(finder.echo) || needed) + 1;
    counts.note(count);
    return count;
  }
}

interface RepeatSnapshot {
  readonly text: string;
  readonly counts: readonly number[];
  /** Units until the open loop ends if nothing repeats; `null` if none is open. */
  readonly quietIn: number | null;
}
