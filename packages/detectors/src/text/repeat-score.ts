import type { EchoFinder } from './echo-finder.ts';
import { BEGINNING, type FoldedState, SURROUNDINGS } from './folded-state.ts';
import { areEntries, NUMBERED, RUN, repetitionKind } from './repetition-kind.ts';
import { areBlocks, type ProseSource, StaleProse } from './stale-prose.ts';
import type { TextRule } from './text-index.ts';

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
/** Upper bound of the score. */
const MOST = 8000;

/**
 * The score of a folded text: every unit whose window has occurred within the reach raises it, and every other unit
 * lowers it by more. So the score rises in a loop, even if one word changes each time, and stays near zero in a text
 * with new content, however similarly its lines begin. The threshold depends on what repeats.
 */
export class RepeatScore implements ProseSource {
  readonly equalWindows: ProseSource['equalWindows'];
  readonly prose: StaleProse;
  state: FoldedState = { ...BEGINNING };
  readonly #rule: TextRule;
  readonly #finder: EchoFinder;

  constructor(rule: TextRule, finder: EchoFinder, equalWindows: ProseSource['equalWindows']) {
    this.#rule = rule;
    this.#finder = finder;
    this.equalWindows = equalWindows;
    this.prose = new StaleProse(rule, finder, this);
  }

  restart(): void {
    this.state = { ...BEGINNING };
    this.prose.restart();
  }

  /** Each draft of some code repeats most of the one before: the first few begin from zero if something was new. */
  openCode(): void {
    const { state } = this;
    const isDraft = state.fresh >= FRESH && state.needed === 0;
    state.fresh = 0;
    if (!isDraft) return;
    state.drafts = state.score < MIN_DRAFT ? 0 : state.drafts + 1;
    if (state.drafts <= MAX_DRAFTS) this.#lower(state.score);
  }

  /** Counts a number that changes. */
  meetNumber(counts: boolean): void {
    const { state } = this;
    if (counts || this.#isNumberFree()) state.counterAt = state.folded;
    else this.#lower(PRICE_OF_NUMBER);
  }

  /**
   * Whether a changing number costs nothing: in sentences, the words around a number matter more than the number
   * itself. If nothing repeats, the answer makes no difference.
   */
  #isNumberFree(): boolean {
    const { state } = this;
    if (state.score === 0 || state.folded - state.fenceAt < SURROUNDINGS) return false;
    if (state.folded >= state.numbersAt) {
      state.numbersAt = state.folded + SURROUNDINGS;
      state.numbersFree = this.prose.isProseHere();
    }
    return state.numbersFree;
  }

  /** Counts units that are new. */
  meetNew(units: number): void {
    this.state.fresh += units;
    this.#lower(units * PRICE_OF_NEW);
  }

  /** Ends the open loop. */
  settle(): void {
    const { state } = this;
    state.needed = 0;
    state.stale = false;
    this.prose.settle();
    this.#lower(state.score);
  }

  #lower(by: number): void {
    const { state } = this;
    state.run = 0;
    this.prose.breakOff();
    if (state.score === 0) return;
    state.score = Math.max(0, state.score - by);
  }

  /**
   * Counts the current unit, which has occurred before.
   *
   * @param length units of the original text before it
   * @returns whether the text is in a loop
   */
  meetRepeated(echo: number, length: number): boolean {
    const { state, prose } = this;
    const at = state.folded - 1;
    prose.note(at, echo);
    if (state.score === 0 && !state.stale) {
      state.start = length;
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
    const limit = state.needed === 0 ? Math.max(this.#finder.reach, MOST) : state.needed;
    if (state.score < limit) state.score += 1;
    if (state.needed !== 0) return state.stale ? prose.goesOn(at) : state.score >= state.needed;
    if (echo > RUN && this.#lookAtProse(at, echo, length)) return true;
    if (state.score < LEAST) return false;
    state.looks += 1;
    if (state.looks < LOOK_EVERY) return false;
    state.looks = 0;
    return this.#look(echo);
  }

  #lookAtProse(at: number, echo: number, length: number): boolean {
    const { state } = this;
    const found = this.prose.look(at, echo);
    if (found === undefined) return false;
    state.stale = true;
    state.needed = 1;
    state.score = 1;
    state.rounds = found.rounds;
    state.start = Math.max(0, length - found.since);
    state.rule = found.rule;
    return true;
  }

  isPlain(): boolean {
    const { folded, markerAt, fenceAt } = this.state;
    return folded - Math.max(markerAt, fenceAt) >= SURROUNDINGS;
  }

  isCounting(): boolean {
    return this.state.folded - this.state.counterAt < SURROUNDINGS;
  }

  /** Whether the repetition has lasted long enough. */
  #look(echo: number): boolean {
    const { state } = this;
    const { threshold, maxDistance, window } = this.#rule;
    const { folded, score, rounds, repeated, run } = state;
    const short = echo <= RUN;
    const far = !short && repeated > maxDistance * rounds;
    const often = short ? run >= (threshold - 1) * echo : rounds >= threshold - 1;
    if (far ? !areBlocks(rounds, score, this.#finder.reach) : !often) return false;
    const recent = this.#finder.tail(Math.min(LOOK_AT, (short ? run : score) + window));
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
    const { state } = this;
    if (needed < state.heaviest) return state.score - state.heavyScore;
    state.heaviest = needed;
    state.heavyScore = state.score;
    return state.score;
  }
}
