import { earlierOccurrences } from './earlier-occurrences.ts';
import { EchoFinder } from './echo-finder.ts';
import type { FoldedState } from './folded-state.ts';
import { occurrences } from './occurrences.ts';
import { RepeatScore } from './repeat-score.ts';
import { type RepetitionRule, RUN } from './repetition-kind.ts';
import { type PatternState, SentencePattern } from './sentence-pattern.ts';
import { EQUAL_WINDOW, type StaleSnapshot } from './stale-prose.ts';
import { FoldedForm, type FolderSnapshot, TextFolder } from './text-folder.ts';
import type { RepeatListener, TextIndex, TextRule } from './text-index.ts';
import { TextTail } from './text-tail.ts';
import { copyUnits } from './units-text.ts';

/** Stored units of the original text, in addition to those of the current `append` call. */
const KEPT_UNITS = 2304;
const MAX_APPENDED = 256;
/** Repeated units that keep a sentence pattern open when no further sentence follows it. */
const PATTERN_NEEDED = 200;
/** Shared empty list. */
const NONE: readonly never[] = [];

/** The snapshot of any index without text, which most turns start with, after a call. */
let nothingRead: FoldedSnapshot | undefined;

/** The piece of text being searched; all indexes share this buffer. */
const PIECE = new FoldedForm(2 * MAX_APPENDED);

/**
 * Finds where a text adds nothing new. It compares a folded form of the text, in which counters and white space are
 * equal, and keeps its score.
 */
export class FoldedIndex implements TextIndex {
  readonly #rule: TextRule;
  readonly #folder = new TextFolder();
  readonly #finder: EchoFinder;
  readonly #score: RepeatScore;
  readonly #sentences: SentencePattern;
  readonly #kept = new TextTail(KEPT_UNITS + MAX_APPENDED);
  #isEmpty = true;
  /** Listener of the current {@link append} call. */
  #listener: RepeatListener | undefined;
  #begin = 0;
  #end = 0;
  /** The current unit, in the text of that call. */
  #at = -1;
  /** Distances between the sentences of the latest pattern: the search forgets them at other text. */
  #pattern: readonly number[] = NONE;

  constructor(rule: TextRule) {
    this.#rule = rule;
    this.#finder = new EchoFinder(rule.window, (rule.threshold - 1) * rule.maxDistance);
    this.#score = new RepeatScore(rule, this.#finder, (most) =>
      earlierOccurrences(this.tail(this.#finder.reach + EQUAL_WINDOW, 0), EQUAL_WINDOW, most),
    );
    this.#sentences = new SentencePattern(rule.maxDistance);
  }

  get length(): number {
    return this.#score.state.length;
  }

  get rule(): RepetitionRule {
    return this.#score.state.rule;
  }

  get since(): number {
    return this.rule === 'pattern'
      ? this.#sentences.units
      : this.#score.state.length - this.#score.state.start;
  }

  passesMarker(opensCode: boolean): boolean {
    this.#isEmpty = false;
    this.#score.state.markerAt = this.#score.state.folded;
    this.#sentences.breakOff();
    if (opensCode) this.#score.openCode();
    return true;
  }

  takesIn(isCode: boolean): boolean {
    const state = this.#score.state;
    this.#isEmpty = false;
    if (isCode) {
      // However long a line is, all of it is near a fence.
      state.fenceAt = Infinity;
      this.#sentences.breakOff();
    } else if (state.fenceAt === Infinity) state.fenceAt = state.folded;
    return true;
  }

  restart(): void {
    if (this.#score.state.length === 0) return;
    this.#score.restart();
    this.#isEmpty = true;
    this.#folder.restart();
    this.#finder.restart();
    this.#kept.clear();
    this.#pattern = NONE;
    this.#sentences.restart();
  }

  /**
   * Appends `text` from `from` up to `to`, at most {@link MAX_APPENDED} units, and calls the listener at each unit
   * where the text repeats.
   */
  append(text: string, from: number, to: number, listener: RepeatListener): void {
    this.#listener = listener;
    this.#isEmpty = false;
    this.#begin = from;
    this.#end = to;
    this.#at = from;
    this.#kept.append(text, from, to);
    for (let begin = from; begin < to; ) {
      const end = this.#score.state.fenceAt === Infinity ? to : this.#sentences.advance(text, begin, to);
      this.#folder.fold(text, begin, end, PIECE);
      this.#search(PIECE);
      if (this.#sentences.holds) this.#meetPattern(end - 1);
      begin = end;
    }
    this.#score.state.length += to - from;
    this.#at = to - 1;
    this.#listener = undefined;
  }

  /** Another sentence of the pattern ends at `at`. */
  #meetPattern(at: number): void {
    const state = this.#score.state;
    this.#at = at;
    state.quietAt = state.folded + this.#rule.maxDistance;
    if (state.needed === 0) {
      state.needed = PATTERN_NEEDED;
      state.rule = 'pattern';
    }
    if (state.rule !== 'pattern') return;
    this.#pattern = this.#sentences.distances(this.#rule.threshold - 1);
    this.#listener?.onRepeat(at, this.#sentences.rounds);
  }

  /** Searches the next piece of text. */
  #search({ units, places, numbers, length }: FoldedForm): void {
    let from = 0;
    for (const number of numbers) {
      const to = number >> 1;
      this.#searchUnits(units, places, from, to);
      this.#score.meetNumber((number & 1) === 1);
      from = to;
    }
    this.#searchUnits(units, places, from, length);
  }

  #searchUnits(units: Uint16Array, places: Int32Array, from: number, to: number): void {
    const finder = this.#finder;
    const score = this.#score;
    const { state } = score;
    for (let i = from; i < to; ) {
      const begun = i;
      i = finder.advance(units, i, state.needed === 0 ? to : Math.min(to, i + state.quietAt - state.folded));
      this.#at = places[i - 1] as number;
      state.folded += i - begun;
      const { echo } = finder;
      const fresh = i - begun - (echo === 0 ? 0 : 1);
      if (fresh > 0) score.meetNew(fresh);
      if (echo !== 0 && score.meetRepeated(echo, state.length + this.#at - this.#begin)) {
        state.quietAt = state.folded + this.#rule.maxDistance;
        if (state.rule === 'pattern') continue;
        this.#listener?.onRepeat(this.#at, Math.floor(echo <= RUN ? state.run / echo : state.rounds) + 1);
      } else if (state.needed !== 0 && state.folded >= state.quietAt) {
        score.settle();
        this.#listener?.onQuiet(this.#at);
      }
    }
  }

  tail(limit: number, after: number): string {
    return this.#kept.text(Math.min(limit, KEPT_UNITS), this.#end - 1 - this.#at + after);
  }

  distances(after: number): readonly number[] {
    if (this.rule === 'pattern') return this.#pattern;
    const near = occurrences(this.tail(KEPT_UNITS, after), this.#rule.window, this.#rule.threshold - 1);
    if (near.length > 0 || this.rule !== 'block') return near;
    const { stale, repeated, rounds } = this.#score.state;
    // The passage is so long that its predecessor is no longer stored: estimate its length from those so far.
    return [stale ? this.#finder.echo : Math.round(repeated / rounds)];
  }

  snapshot(): FoldedSnapshot {
    return this.#isEmpty ? (nothingRead ??= this.#snapshot()) : this.#snapshot();
  }

  #snapshot(): FoldedSnapshot {
    return {
      form: this.#finder.tail(this.#finder.capacity),
      folder: this.#folder.snapshot(),
      kept: this.#kept.text(KEPT_UNITS + MAX_APPENDED),
      state: { ...this.#score.state },
      prose: this.#score.prose.snapshot(),
      sentences: this.#sentences.snapshot(),
      ...(this.#pattern.length > 0 && { pattern: this.#pattern }),
    };
  }

  restore(snapshot: object): void {
    if (!('form' in snapshot)) return;
    const { form, folder, kept, state, prose, sentences, pattern = NONE } = snapshot as FoldedSnapshot;
    this.restart();
    this.#isEmpty = false;
    const units = new Uint16Array(form.length);
    const size = copyUnits(form, 0, form.length, units);
    for (let i = 0; i < size; ) i = this.#finder.advance(units, i, size);
    this.#folder.restore(folder);
    this.#kept.append(kept, 0, kept.length);
    this.#score.state = { ...state };
    this.#score.prose.restore(prose);
    this.#sentences.restore(sentences);
    this.#pattern = pattern;
  }
}

interface FoldedSnapshot {
  readonly form: string;
  readonly folder: FolderSnapshot;
  readonly kept: string;
  readonly state: FoldedState;
  readonly prose: StaleSnapshot;
  readonly sentences: PatternState;
  readonly pattern?: readonly number[];
}
