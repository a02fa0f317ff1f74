import { EchoFinder } from './echo-finder.ts';
import { BEGINNING, type FoldedState, SURROUNDINGS } from './folded-state.ts';
import { isProse } from './is-prose.ts';
import { occurrences } from './occurrences.ts';
import { areEntries, NUMBERED, type RepetitionRule, RUN, repetitionKind } from './repetition-kind.ts';
import { type PatternState, SentencePattern } from './sentence-pattern.ts';
import {
  areBlocks,
  EQUAL_WINDOW,
  PROSE_UNITS,
  type ProseSource,
  StaleProse,
  type StaleSnapshot,
} from './stale-prose.ts';
import { FoldedForm, type FolderSnapshot, TextFolder } from './text-folder.ts';
import type { RepeatListener, TextIndex, TextRule } from './text-index.ts';
import { TextTail } from './text-tail.ts';
import { copyUnits } from './units-text.ts';

/** A new unit cancels this many repeated ones: a text of which a quarter is new is not a loop. */
const PRICE_OF_NEW = 3;
/** Additional cost of a number that neither repeats nor counts up, except in prose. */
const PRICE_OF_NUMBER = 20;
/** New units that make the next code another draft; the score of a draft, and how many begin from zero. */
const FRESH = 32;
const MIN_DRAFT = 200;
const MAX_DRAFTS = 6;
/** Minimum units of a loop. */
const LEAST = 8;
/** Interval, in repeated units, at which the kind of a repetition is evaluated. */
const LOOK_EVERY = 8;
/** Additional such units after entries in changing order. */
const LOOK_SELDOM = 56;
/** Maximum latest units examined to tell words from drawings. */
const LOOK_AT = 400;
/** Maximum latest units that are a copy of earlier ones if entries are in a loop. */
const LOOK_BACK = 1000;
/** Stored units of the original text, in addition to those of the current `append` call. */
const KEPT_UNITS = 2304;
const MAX_APPENDED = 256;
/** Repeated units that keep a sentence pattern open when no further sentence follows it. */
const PATTERN_NEEDED = 200;
/** Upper bound of the score. */
const MOST = 8000;

/** Shared empty list. */
const NONE: readonly never[] = [];

/** The snapshot of any index without text, which most turns start with, after a call. */
let nothingRead: FoldedSnapshot | undefined;

/** The piece of text being searched; all indexes share this buffer. */
const PIECE = new FoldedForm(2 * MAX_APPENDED);

/**
 * Finds where a text adds nothing new. It compares a folded form of the text, in which counters and white space are
 * equal.
 *
 * Every unit whose window has occurred within the reach raises a score, and every other unit lowers it by more. So the
 * score rises in a loop, even if one word changes each time, and stays near zero in a text with new content, however
 * similarly its lines begin. The threshold depends on what repeats.
 */
export class FoldedIndex implements TextIndex, ProseSource {
  readonly #threshold: number;
  readonly #maxDistance: number;
  readonly #window: number;
  readonly #reach: number;
  readonly #folder = new TextFolder();
  readonly #finder: EchoFinder;
  readonly #prose: StaleProse;
  readonly #sentences: SentencePattern;
  readonly #kept = new TextTail(KEPT_UNITS + MAX_APPENDED);
  #state: FoldedState = { ...BEGINNING };
  #isEmpty = true;
  /** Listener of the current {@link append} call. */
  #listener: RepeatListener | undefined;
  #begin = 0;
  #end = 0;
  /** The current unit, in the text of that call. */
  #at = -1;
  /** Distances between the sentences of the latest pattern: the search forgets them at other text. */
  #pattern: readonly number[] = NONE;

  constructor({ window, threshold, maxDistance }: TextRule) {
    this.#window = window;
    this.#threshold = threshold;
    this.#maxDistance = maxDistance;
    this.#reach = (threshold - 1) * maxDistance;
    this.#finder = new EchoFinder(window, this.#reach);
    this.#prose = new StaleProse({ window, threshold, maxDistance }, this.#finder, this);
    this.#sentences = new SentencePattern(maxDistance);
  }

  get length(): number {
    return this.#state.length;
  }

  get rule(): RepetitionRule {
    return this.#state.rule;
  }

  get since(): number {
    return this.rule === 'pattern' ? this.#sentences.units : this.#state.length - this.#state.start;
  }

  passesMarker(opensCode: boolean): boolean {
    this.#isEmpty = false;
    this.#state.markerAt = this.#state.folded;
    this.#sentences.breakOff();
    if (opensCode) this.#openCode();
    return true;
  }

  /** Each draft of some code repeats most of the one before: the first few begin from zero if something was new. */
  #openCode(): void {
    const state = this.#state;
    const isDraft = state.fresh >= FRESH && state.needed === 0;
    state.fresh = 0;
    if (!isDraft) return;
    state.drafts = state.score < MIN_DRAFT ? 0 : state.drafts + 1;
    if (state.drafts <= MAX_DRAFTS) this.#lower(state.score);
  }

  takesIn(isCode: boolean): boolean {
    const state = this.#state;
    this.#isEmpty = false;
    if (isCode) {
      // However long a line is, all of it is near a fence.
      state.fenceAt = Infinity;
      this.#sentences.breakOff();
    } else if (state.fenceAt === Infinity) state.fenceAt = state.folded;
    return true;
  }

  restart(): void {
    if (this.#state.length === 0) return;
    this.#state = { ...BEGINNING };
    this.#isEmpty = true;
    this.#folder.restart();
    this.#finder.restart();
    this.#prose.restart();
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
      const end = this.#state.fenceAt === Infinity ? to : this.#sentences.advance(text, begin, to);
      this.#folder.fold(text, begin, end, PIECE);
      this.#search(PIECE);
      if (this.#sentences.holds) this.#meetPattern(end - 1);
      begin = end;
    }
    this.#state.length += to - from;
    this.#at = to - 1;
    this.#listener = undefined;
  }

  /** Another sentence of the pattern ends at `at`. */
  #meetPattern(at: number): void {
    const state = this.#state;
    this.#at = at;
    state.quietAt = state.folded + this.#maxDistance;
    if (state.needed === 0) {
      state.needed = PATTERN_NEEDED;
      state.rule = 'pattern';
    }
    if (state.rule !== 'pattern') return;
    this.#pattern = this.#sentences.distances(this.#threshold - 1);
    this.#listener?.onRepeat(at, this.#sentences.rounds);
  }

  /** Searches the next piece of text. */
  #search({ units, places, numbers, length }: FoldedForm): void {
    let from = 0;
    for (const number of numbers) {
      const to = number >> 1;
      this.#searchUnits(units, places, from, to);
      this.#meetNumber((number & 1) === 1);
      from = to;
    }
    this.#searchUnits(units, places, from, length);
  }

  #meetNumber(counts: boolean): void {
    const state = this.#state;
    if (counts || this.#isNumberFree()) state.counterAt = state.folded;
    else this.#lower(PRICE_OF_NUMBER);
  }

  /**
   * Whether a changing number costs nothing: in sentences, the words around a number matter more than the number
   * itself. If nothing repeats, the answer makes no difference.
   */
  #isNumberFree(): boolean {
    const state = this.#state;
    if (state.score === 0 || state.folded - state.fenceAt < SURROUNDINGS) return false;
    if (state.folded >= state.numbersAt) {
      state.numbersAt = state.folded + SURROUNDINGS;
      state.numbersFree = isProse(this.#finder.tail(PROSE_UNITS));
    }
    return state.numbersFree;
  }

  #searchUnits(units: Uint16Array, places: Int32Array, from: number, to: number): void {
    const finder = this.#finder;
    const state = this.#state;
    for (let i = from; i < to; ) {
      const begun = i;
      i = finder.advance(units, i, state.needed === 0 ? to : Math.min(to, i + state.quietAt - state.folded));
      this.#at = places[i - 1] as number;
      state.folded += i - begun;
      const { echo } = finder;
      const fresh = i - begun - (echo === 0 ? 0 : 1);
      if (fresh > 0) {
        state.fresh += fresh;
        this.#lower(fresh * PRICE_OF_NEW);
      }
      if (echo !== 0 && this.#raise(echo)) {
        state.quietAt = state.folded + this.#maxDistance;
        if (state.rule === 'pattern') continue;
        this.#listener?.onRepeat(this.#at, Math.floor(echo <= RUN ? state.run / echo : state.rounds) + 1);
      } else if (state.needed !== 0 && state.folded >= state.quietAt) {
        this.#settle();
        this.#listener?.onQuiet(this.#at);
      }
    }
  }

  #settle(): void {
    this.#state.needed = 0;
    this.#state.stale = false;
    this.#prose.settle();
    this.#lower(this.#state.score);
  }

  #lower(by: number): void {
    const state = this.#state;
    state.run = 0;
    this.#prose.breakOff();
    if (state.score === 0) return;
    state.score = Math.max(0, state.score - by);
  }

  /** Raises the score: the current unit has occurred before. @returns whether the text is in a loop */
  #raise(echo: number): boolean {
    const state = this.#state;
    const prose = this.#prose;
    const at = state.folded - 1;
    prose.note(at, echo);
    if (state.score === 0 && !state.stale) {
      state.start = state.length + this.#at - this.#begin;
      state.rounds = 0;
      state.repeated = 0;
      state.heaviest = 0;
    }
    if (echo <= RUN) {
      state.run += 1;
    } else {
      state.run = 0;
      state.rounds += 1 / echo;
      state.repeated += 1;
    }
    const limit = state.needed === 0 ? Math.max(this.#reach, MOST) : state.needed;
    if (state.score < limit) state.score += 1;
    if (state.needed !== 0) return state.stale ? prose.goesOn(at) : state.score >= state.needed;
    if (echo > RUN && this.#lookAtProse(at, echo)) return true;
    if (state.score < LEAST) return false;
    state.looks += 1;
    if (state.looks < LOOK_EVERY) return false;
    state.looks = 0;
    return this.#look(echo);
  }

  #lookAtProse(at: number, echo: number): boolean {
    const state = this.#state;
    const found = this.#prose.look(at, echo);
    if (found === undefined) return false;
    state.stale = true;
    state.needed = 1;
    state.score = 1;
    state.rounds = found.rounds;
    state.start = Math.max(0, state.length + this.#at - this.#begin - found.since);
    state.rule = found.rule;
    return true;
  }

  isPlain(): boolean {
    const { folded, markerAt, fenceAt } = this.#state;
    return folded - Math.max(markerAt, fenceAt) >= SURROUNDINGS;
  }

  isCounting(): boolean {
    return this.#state.folded - this.#state.counterAt < SURROUNDINGS;
  }

  equalWindows(most: number): readonly number[] {
    const reach = Math.min(this.#reach, KEPT_UNITS - EQUAL_WINDOW);
    return this.#kept.occurrences(EQUAL_WINDOW, reach, most, this.#end - 1 - this.#at);
  }

  /** Whether the repetition has lasted long enough. */
  #look(echo: number): boolean {
    const state = this.#state;
    const { folded, score, rounds, repeated, run } = state;
    const short = echo <= RUN;
    const far = !short && repeated > this.#maxDistance * rounds;
    const often = short ? run >= (this.#threshold - 1) * echo : rounds >= this.#threshold - 1;
    if (far ? !areBlocks(rounds, score, this.#reach) : !often) return false;
    const recent = this.#finder.tail(Math.min(LOOK_AT, (short ? run : score) + this.#window));
    const kind = repetitionKind(recent, {
      period: echo,
      counting: this.isCounting(),
      structured: folded - state.markerAt < SURROUNDINGS,
      fenced: folded - state.fenceAt < SURROUNDINGS,
    });
    const isVaried = !short && score >= kind.needed && areEntries(recent) && this.#isVaried(score);
    if (isVaried) state.looks = -LOOK_SELDOM;
    const needed = isVaried ? NUMBERED.needed : kind.needed;
    if ((short ? run : this.#scoreFor(needed)) < needed) return false;
    state.needed = Math.min(score, needed);
    state.score = state.needed;
    state.rule = far ? 'block' : kind.rule;
    return true;
  }

  /** Whether the latest repeated units are no copy of earlier ones: pieces of them are, in another order. */
  #isVaried(score: number): boolean {
    const text = this.#finder.tail(this.#finder.capacity);
    const latest = text.slice(-Math.min(LOOK_BACK, score));
    return text.lastIndexOf(latest, text.length - latest.length - 1) === -1;
  }

  /** Score earned by a kind that needs more, such as a table, does not count for the sentences after it. */
  #scoreFor(needed: number): number {
    const state = this.#state;
    if (needed < state.heaviest) return state.score - state.heavyScore;
    state.heaviest = needed;
    state.heavyScore = state.score;
    return state.score;
  }

  tail(limit: number, after: number): string {
    return this.#kept.text(Math.min(limit, KEPT_UNITS), this.#end - 1 - this.#at + after);
  }

  distances(after: number): readonly number[] {
    if (this.rule === 'pattern') return this.#pattern;
    const near = occurrences(this.tail(KEPT_UNITS, after), this.#window, this.#threshold - 1);
    if (near.length > 0 || this.rule !== 'block') return near;
    const { stale, repeated, rounds } = this.#state;
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
      state: { ...this.#state },
      prose: this.#prose.snapshot(),
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
    this.#state = { ...state };
    this.#prose.restore(prose);
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
