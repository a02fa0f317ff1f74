import type { EchoFinder } from './echo-finder.ts';
import { isProse } from './is-prose.ts';
import type { RepetitionRule } from './repetition-kind.ts';
import { SeenShare, type SeenSnapshot, SHARE_OF } from './seen-share.ts';
import type { TextRule } from './text-index.ts';

/** Units of a window that comes back as often as the threshold says makes a loop of prose, whatever stands in between. */
export const EQUAL_WINDOW = 50;
/** The last units that tell prose from data, at most. */
export const PROSE_UNITS = 400;
/** Prose is looked at every so many units; seldom while little is equal, and later where it was no prose. */
const LOOK_EVERY = 64;
const LOOK_SELDOM = 128;
const LOOK_LATER = 512;
/** Minimum repetitions of passages, and of repetitions × units, in multiples of the reach. */
const BLOCKS = 3;

/** Whether passages far apart have come so often, or for so long, that it is a loop. */
export function areBlocks(rounds: number, units: number, reach: number): boolean {
  return rounds >= BLOCKS && rounds * units >= BLOCKS * reach;
}

/** What was found in prose, and since how many units it is so. */
interface StaleProseFinding {
  readonly rule: RepetitionRule;
  readonly rounds: number;
  readonly since: number;
}

/** The text in which prose is looked for. */
export interface ProseSource {
  /** Whether no marker and no code is near. */
  isPlain(): boolean;
  /** Whether a number that counts is near. */
  isCounting(): boolean;
  /** Distances to the earlier occurrences of the last {@link EQUAL_WINDOW} units of the text itself. */
  equalWindows(most: number): readonly number[];
}

interface Watch {
  /** Units in a row that repeated. */
  streak: number;
  /** Units at which it is looked at next: for what is stale, for equal windows. */
  staleAt: number;
  equalAt: number;
  /** Where equal windows were looked for last. */
  askedAt: number;
}

const BEGINNING: Readonly<Watch> = { streak: 0, staleAt: 0, equalAt: 0, askedAt: 0 };

/** Finds prose that says nothing new, in any order, and words that keep repeating. */
export class StaleProse {
  private readonly rule: TextRule;
  private readonly reach: number;
  private readonly finder: EchoFinder;
  private readonly source: ProseSource;
  /** Windows in a row that have been there before where an equal one of {@link EQUAL_WINDOW} units has. */
  private readonly equalStreak: number;
  private readonly seen: SeenShare;
  private watch: Watch = { ...BEGINNING };

  constructor(rule: TextRule, finder: EchoFinder, source: ProseSource) {
    this.rule = rule;
    this.reach = (rule.threshold - 1) * rule.maxDistance;
    this.finder = finder;
    this.source = source;
    this.equalStreak = Math.max(1, EQUAL_WINDOW - rule.window + 1);
    this.seen = new SeenShare(rule.window);
  }

  /** A unit is new. */
  breakOff(): void {
    this.watch.streak = 0;
  }

  /** Notes that the unit `at` repeats one `echo` units before. */
  note(at: number, echo: number): void {
    this.seen.note(at, echo);
    this.watch.streak += 1;
  }

  /** Whether a loop that was found goes on at the unit `at`, the last that was noted. */
  goesOn(at: number): boolean {
    return this.seen.isStale(at) || this.watch.streak >= this.equalStreak;
  }

  /** What there is to find at the unit `at`, the last that was noted. */
  look(at: number, echo: number): StaleProseFinding | undefined {
    if (at >= this.watch.staleAt) {
      const found = this.lookForStale(at, echo);
      if (found !== undefined) return found;
    }
    return this.mayBeEqual(at, echo) ? this.lookForEqual(at) : undefined;
  }

  private lookForStale(at: number, echo: number): StaleProseFinding | undefined {
    const { watch, seen, finder, source } = this;
    watch.staleAt = at + LOOK_EVERY;
    if (!seen.isStale(at) || !areBlocks(seen.times, seen.seen, this.reach)) return undefined;
    if (!source.isPlain() || !this.isProseHere() || !isProse(finder.tail(SHARE_OF))) {
      watch.staleAt = at + LOOK_LATER;
      return undefined;
    }
    const far = echo > this.rule.maxDistance ? 'block' : 'text';
    const rule = seen.comesEvery(echo) ? (source.isCounting() ? 'counter' : far) : 'novelty';
    return { rule, rounds: seen.times, since: SHARE_OF };
  }

  private lookForEqual(at: number): StaleProseFinding | undefined {
    const needed = this.rule.threshold - 1;
    const distances = this.source.equalWindows(needed);
    this.watch.equalAt = at + (3 * distances.length < needed ? LOOK_SELDOM : LOOK_EVERY);
    if (distances.length < needed) return undefined;
    if (!this.source.isPlain() || !this.isProseHere()) {
      this.watch.equalAt = at + LOOK_LATER;
      return undefined;
    }
    return { rule: 'text', rounds: distances.length, since: distances.at(-1) ?? 0 };
  }

  /**
   * Whether equal windows may end here: where a text has a period for the first time often enough, and, once in a while,
   * where a passage comes again. What stands before it may be the same by chance, so that it is asked some units later, too.
   */
  private mayBeEqual(at: number, echo: number): boolean {
    const { watch } = this;
    const more = watch.streak - this.equalStreak;
    if (more < 0) return false;
    if (more === (this.rule.threshold - 2) * echo) return true;
    if (more % this.rule.window === 0 && at >= watch.equalAt) {
      watch.askedAt = at;
      return true;
    }
    const later = at - watch.askedAt;
    return later <= more && (later === 1 || later === 3 || later === 7 || later === 15);
  }

  private isProseHere(): boolean {
    return isProse(this.finder.tail(PROSE_UNITS));
  }

  /** Resets the counts after a loop has ended. */
  settle(): void {
    this.seen.restart();
  }

  restart(): void {
    this.seen.restart();
    this.watch = { ...BEGINNING };
  }

  snapshot(): StaleSnapshot {
    return { watch: { ...this.watch }, seen: this.seen.snapshot() };
  }

  restore({ watch, seen }: StaleSnapshot): void {
    this.watch = { ...watch };
    this.seen.restore(seen);
  }
}

export interface StaleSnapshot {
  readonly watch: Watch;
  readonly seen: SeenSnapshot;
}
