/** Maximum distance, in sentences, between two of one pattern. */
const PERIODS = 4;
/** Minimum spaces in the common part of two sentences: a shorter common part may be a coincidence. */
const MIN_COMMON_SPACES = 3;
/** Maximum spaces in the differing part: one word, or two. A longer one may be data. */
const MAX_OTHER_SPACES = 1;
/** Maximum units of a sentence. */
const MAX_UNITS = 200;
/** Minimum sentences of one pattern, and units in them, that make a loop. */
const MIN_ROUNDS = 16;
const MIN_UNITS = 600;

const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
/** A sentence that consists of words: one with digits, paths or symbols is data, which is often uniform. */
const PROSE = /^[\p{L}\p{M}\s,;:'’"“”()–—-]+[.!?…]+["'”’)]*$/u;

/** The state of the search. */
export interface PatternState {
  /** The current sentence (only its beginning if it is long), and its length. */
  begun: string;
  length: number;
  /** The last two units of the text. */
  before: number;
  last: number;
  /** The last sentences, newest first. */
  sentences: readonly string[];
  /** By period: consecutive sentences that resemble the one a period earlier, and their total units. */
  runs: readonly number[];
  units: readonly number[];
  /** Lengths of the latest of these sentences in units, newest first. */
  lengths: readonly number[];
}

const NONE = Array.from({ length: PERIODS }, () => 0);
const NO_SENTENCES = { sentences: [], runs: NONE, units: NONE, lengths: [] };
const BEGINNING: Readonly<PatternState> = { begun: '', length: 0, before: 0, last: 0, ...NO_SENTENCES };

/**
 * Finds consecutive sentences of one pattern in which only a word changes: `I like cats. I like dogs.` If each sentence
 * is new, no window of the text repeats, so the window search cannot find them.
 */
export class SentencePattern {
  /** Whether the last unit ended a sentence at which the pattern is a loop. */
  holds = false;
  readonly #mostUnits: number;
  #state: PatternState = { ...BEGINNING };

  /** @param maxDistance maximum units between repetitions of the text */
  constructor(maxDistance: number) {
    this.#mostUnits = Math.min(MAX_UNITS, maxDistance);
  }

  /** Occurrences of the pattern if they make a loop; else 0. */
  get rounds(): number {
    const { runs, units } = this.#state;
    for (const [i, run] of runs.entries()) {
      const rounds = Math.floor(run / (i + 1)) + 1;
      if (rounds >= MIN_ROUNDS && (units[i] ?? 0) >= MIN_UNITS) return rounds;
    }
    return 0;
  }

  /** Units of the longest run of sentences of one pattern. */
  get units(): number {
    return Math.max(...this.#state.units);
  }

  /** Units from the end of the last sentence to the ends of those before it, nearest first. */
  distances(most: number): number[] {
    let distance = 0;
    return this.#state.lengths.slice(0, most).map((length) => (distance += length));
  }

  /**
   * Consumes `text` from `from` up to `to`, or up to the first unit at which the pattern {@link holds}. This runs for
   * every unit, so sentences are compared only where one ends.
   *
   * @returns the index after the consumed text
   */
  advance(text: string, from: number, to: number): number {
    const state = this.#state;
    let { before, last } = state;
    let begin = from;
    let i = from;
    let holds = false;
    while (i < to && !holds) {
      const unit = text.charCodeAt(i);
      i += 1;
      if (unit === SPACE || unit === LINE_BREAK) {
        if (isEnd(last) || (isQuote(last) && isEnd(before))) {
          this.#take(text, begin, i);
          begin = i;
          holds = this.#endSentence();
        } else if (unit === LINE_BREAK && last !== LINE_BREAK) {
          // A line that is not a sentence, as in code.
          begin = i;
          state.begun = '';
          state.length = 0;
          this.breakOff();
        }
      }
      if (unit === CARRIAGE_RETURN) continue;
      before = last;
      last = unit;
    }
    this.#take(text, begin, i);
    state.before = before;
    state.last = last;
    this.holds = holds;
    return i;
  }

  #take(text: string, from: number, to: number): void {
    const state = this.#state;
    const room = this.#mostUnits + 1 - state.begun.length;
    if (room > 0 && from < to) state.begun += text.slice(from, Math.min(to, from + room));
    state.length += to - from;
  }

  /** @returns whether the ended sentence continues a pattern that is a loop */
  #endSentence(): boolean {
    const state = this.#state;
    const { begun, length } = state;
    const sentence = begun.trim();
    if (sentence === '') return false;
    state.begun = '';
    state.length = 0;
    if (begun.length > this.#mostUnits) {
      this.breakOff();
      return false;
    }
    const { sentences, runs, units, lengths } = state;
    const alike = sentences.map((before) => isAlike(before, sentence));
    const goesOn = alike.includes(true);
    if (!goesOn) this.#forgetPattern();
    state.sentences = [sentence, ...sentences.slice(0, PERIODS - 1)];
    if (!goesOn) return false;
    state.runs = runs.map((run, i) => (alike[i] ? run + 1 : 0));
    state.units = units.map((total, i) => (alike[i] ? total + length : 0));
    state.lengths = [length, ...lengths.slice(0, MIN_ROUNDS - 1)];
    return this.rounds > 0;
  }

  /** Call when something other than sentences follows: a list, a table, code. */
  breakOff(): void {
    if (this.#state.sentences.length > 0) this.#forgetPattern();
  }

  #forgetPattern(): void {
    const state = this.#state;
    state.sentences = NO_SENTENCES.sentences;
    state.runs = NONE;
    state.units = NONE;
    state.lengths = NO_SENTENCES.lengths;
  }

  restart(): void {
    this.#state = { ...BEGINNING };
  }

  snapshot(): PatternState {
    return { ...this.#state };
  }

  restore(state: PatternState): void {
    this.#state = { ...state };
  }
}

/** One of `. ! ? …` */
function isEnd(unit: number): boolean {
  return unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x2026;
}

/** One of `" ' ) ” ’` */
function isQuote(unit: number): boolean {
  return unit === 0x22 || unit === 0x27 || unit === 0x29 || unit === 0x201d || unit === 0x2019;
}

/** Whether two sentences differ only in a word or two in one place. */
function isAlike(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  // This rules out most pairs: sentences of one pattern cannot differ both at the beginning and at the end.
  if (a[0] !== b[0] && a.at(-2) !== b.at(-2)) return false;
  let begin = 0;
  while (begin < shorter && a.charCodeAt(begin) === b.charCodeAt(begin)) begin += 1;
  let end = 0;
  while (end < shorter - begin && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end += 1;
  if (2 * (begin + end) < shorter) return false;
  const other = Math.max(spacesIn(a.slice(begin, a.length - end)), spacesIn(b.slice(begin, b.length - end)));
  const common = spacesIn(b.slice(0, begin)) + spacesIn(b.slice(b.length - end));
  return other <= MAX_OTHER_SPACES && common >= MIN_COMMON_SPACES && PROSE.test(a) && PROSE.test(b);
}

function spacesIn(text: string): number {
  return text.split(' ').length - 1;
}
