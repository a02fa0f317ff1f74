import type { EchoFinder } from './echo-finder.ts';
import { isProse, isRecords } from './is-prose.ts';
import type { RepetitionRule } from './repetition-kind.ts';
import { SeenShare, type SeenSnapshot, SHARE_OF } from './seen-share.ts';
import type { TextRule } from './text-index.ts';

/** Units of a window that makes prose a loop once it occurs `threshold` times, regardless of the text in between. */
export const EQUAL_WINDOW = 50;
/** Maximum latest units examined to distinguish prose from data. */
const PROSE_UNITS = 400;
/** Units between two checks of the prose; more if few windows are equal, and most after a text that was not prose. */
const LOOK_EVERY = 64;
const LOOK_SELDOM = 128;
const LOOK_LATER = 512;
/** Minimum repeated units of records, each of which has something new. */
const RECORDS = 3 * SHARE_OF;
/** Minimum repetitions of passages, and of repetitions × units, in multiples of the reach. */
const BLOCKS = 3;

/** Whether distant passages have repeated so often, or for so long, that they are a loop. */
export function areBlocks(rounds: number, units: number, reach: number): boolean {
  return rounds >= BLOCKS && rounds * units >= BLOCKS * reach;
}

/** A repetition found in prose, and how many units ago it started. */
interface StaleProseFinding {
  readonly rule: RepetitionRule;
  readonly rounds: number;
  readonly since: number;
}

/** The text to examine. */
export interface ProseSource {
  /** Whether neither a marker nor code is nearby. */
  isPlain(): boolean;
  /** Whether a counter is nearby. */
  isCounting(): boolean;
  /** Distances to the earlier occurrences of the last {@link EQUAL_WINDOW} units of the original text. */
  equalWindows(most: number): readonly number[];
}

interface Watch {
  /** Consecutive repeated units. */
  streak: number;
  /** Units at which the next checks are due: for stale text, and for equal windows. */
  staleAt: number;
  equalAt: number;
  /** The unit at which equal windows were last searched for. */
  askedAt: number;
}

const BEGINNING: Readonly<Watch> = { streak: 0, staleAt: 0, equalAt: 0, askedAt: 0 };

/** Finds prose that adds nothing new, whatever the order of its passages, and words that keep repeating. */
export class StaleProse {
  readonly #rule: TextRule;
  readonly #finder: EchoFinder;
  readonly #source: ProseSource;
  /** Consecutive repeated windows that a repeated window of {@link EQUAL_WINDOW} units implies. */
  readonly #equalStreak: number;
  readonly #seen: SeenShare;
  #watch: Watch = { ...BEGINNING };

  constructor(rule: TextRule, finder: EchoFinder, source: ProseSource) {
    this.#rule = rule;
    this.#finder = finder;
    this.#source = source;
    this.#equalStreak = Math.max(1, EQUAL_WINDOW - rule.window + 1);
    this.#seen = new SeenShare(rule.window);
  }

  /** A unit is new. */
  breakOff(): void {
    this.#watch.streak = 0;
  }

  /** Notes that the unit `at` repeats one `echo` units before. */
  note(at: number, echo: number): void {
    this.#seen.note(at, echo);
    this.#watch.streak += 1;
  }

  /** Whether the loop continues at the unit `at`, the latest noted unit. */
  goesOn(at: number): boolean {
    return this.#seen.isStale(at) || this.#watch.streak >= this.#equalStreak;
  }

  /** The repetition found at the unit `at`, the latest noted unit, if any. */
  look(at: number, echo: number): StaleProseFinding | undefined {
    if (at >= this.#watch.staleAt) {
      const found = this.#lookForStale(at, echo);
      if (found !== undefined) return found;
    }
    return this.#mayBeEqual(at, echo) ? this.#lookForEqual(at) : undefined;
  }

  #lookForStale(at: number, echo: number): StaleProseFinding | undefined {
    const watch = this.#watch;
    const seen = this.#seen;
    const finder = this.#finder;
    const source = this.#source;
    watch.staleAt = at + LOOK_EVERY;
    if (!seen.isStale(at) || !areBlocks(seen.times, seen.seen, finder.reach)) return undefined;
    const text = finder.tail(SHARE_OF);
    const isSound = !isProse(text) || (seen.seen < RECORDS && isRecords(text));
    if (isSound || !source.isPlain() || !this.isProseHere()) {
      watch.staleAt = at + LOOK_LATER;
      return undefined;
    }
    const far = echo > this.#rule.maxDistance ? 'block' : 'text';
    const rule = seen.comesEvery(echo) ? (source.isCounting() ? 'counter' : far) : 'novelty';
    return { rule, rounds: seen.times, since: SHARE_OF };
  }

  #lookForEqual(at: number): StaleProseFinding | undefined {
    const needed = this.#rule.threshold - 1;
    const distances = this.#source.equalWindows(needed);
    this.#watch.equalAt = at + (3 * distances.length < needed ? LOOK_SELDOM : LOOK_EVERY);
    if (distances.length < needed) return undefined;
    if (!this.#source.isPlain() || !this.isProseHere()) {
      this.#watch.equalAt = at + LOOK_LATER;
      return undefined;
    }
    return { rule: 'text', rounds: distances.length, since: distances.at(-1) ?? 0 };
  }

  /**
   * Whether to search for equal windows here: at the unit where a periodic text first reaches the threshold, and
   * occasionally where a passage repeats. The text before the passage may coincide by chance, so a few later units are
   * checked, too.
   */
  #mayBeEqual(at: number, echo: number): boolean {
    const watch = this.#watch;
    const more = watch.streak - this.#equalStreak;
    if (more < 0) return false;
    if (more === (this.#rule.threshold - 2) * echo) return true;
    if (more % this.#rule.window === 0 && at >= watch.equalAt) {
      watch.askedAt = at;
      return true;
    }
    const later = at - watch.askedAt;
    return later <= more && (later === 1 || later === 3 || later === 7 || later === 15);
  }

  /** Whether the latest text is prose. */
  isProseHere(): boolean {
    return isProse(this.#finder.tail(PROSE_UNITS));
  }

  /** Resets the counts after a loop has ended. */
  settle(): void {
    this.#seen.restart();
  }

  restart(): void {
    this.#seen.restart();
    this.#watch = { ...BEGINNING };
  }

  snapshot(): StaleSnapshot {
    return { watch: { ...this.#watch }, seen: this.#seen.snapshot() };
  }

  restore({ watch, seen }: StaleSnapshot): void {
    this.#watch = { ...watch };
    this.#seen.restore(seen);
  }
}

export interface StaleSnapshot {
  readonly watch: Watch;
  readonly seen: SeenSnapshot;
}
