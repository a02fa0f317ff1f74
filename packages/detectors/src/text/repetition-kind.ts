/** How a text repeats, as named in a verdict. */
export type RepetitionRule = 'text' | 'counter' | 'lines' | 'run' | 'block' | 'pattern' | 'novelty';

/** The context of a repetition in a text. */
export interface Surroundings {
  /** Units from one occurrence to the next, in folded text. */
  readonly period: number;
  readonly counting: boolean;
  readonly structured: boolean;
  readonly fenced: boolean;
}

export interface RepetitionKind {
  readonly rule: RepetitionRule;
  /** Units without anything new, less what was new in between, until it is a loop. */
  readonly needed: number;
}

/** A repetition with at most this period is a run, not a text. */
export const RUN = 8;

const WORDS: RepetitionKind = { rule: 'text', needed: 200 };
const COUNTING: RepetitionKind = { rule: 'counter', needed: 600 };
/** Records, one per line. */
const RECORDS: RepetitionKind = { rule: 'counter', needed: 2400 };
const LISTED: RepetitionKind = { rule: 'lines', needed: 1000 };
const FENCED: RepetitionKind = { rule: 'lines', needed: 1400 };
/** So little that it is a loop within twice the units that equal windows need. */
const SHORT: RepetitionKind = { rule: 'run', needed: 72 };
const LINE_BREAKS: RepetitionKind = { rule: 'run', needed: 8 };
const SPACES: RepetitionKind = { rule: 'run', needed: 28 };
const RULER: RepetitionKind = { rule: 'run', needed: 400 };
/** Digits that stay, and one line of anything: neither is a drawing. */
const DRY: RepetitionKind = { rule: 'run', needed: 800 };
const DRAWING: RepetitionKind = { rule: 'run', needed: 3000 };

/** What fills, draws or leads: a ruler, progress dots, the frame of a table; `A` is nothing in base64. */
const drawn = /^(?:[-_*=+#~.,:;|/\\<>^'"`()[\]{}%\d\s\u2500-\u25ff\u2800-\u28ff\uffff]*|A+)$/;
/** One line of it, without quotes, commas, brackets and digits: those are data. */
const ruled = /^[-_*=+#~.:|/\\ \t\u2500-\u25ff\u2800-\u28ff]*$/;
const digit = /\d/;
const digits = /^(?=.*\d)[\d.,]+$/;
const noLetters = /\P{L}+/gu;
/** A word of a sentence; in data, words stand in quotes, tags and names. */
const word = /(?<!\S)\(?\p{L}[\p{L}\p{M}’'-]*(?=[.,!?;:…)]*(?:\s|$))/gu;
/** Minimum share of a sentence's letters that are in its words. */
const WORD_SHARE = 0.65;

/**
 * How long a text must go on without anything new to be a loop. Words that come back are noticed soon; where counting,
 * listing, tables and code repeat by nature, and most of all where there are no words, it takes longer.
 *
 * @param recent the last units of the folded text
 */
export function repetitionKind(recent: string, around: Surroundings): RepetitionKind {
  const { period, counting, structured, fenced } = around;
  if (recent.trim() === '') return recent.includes('\n') ? LINE_BREAKS : SPACES;
  if (period <= RUN && digits.test(recent)) return SHORT;
  if (period <= RUN && ruled.test(recent)) return RULER;
  const letters = lettersIn(recent);
  if (drawn.test(recent) || (period > RUN && letters > 0 && letters * 4 < recent.length))
    return !counting && (digit.test(recent) || !recent.includes('\n')) ? DRY : DRAWING;
  if (period === 1 || (period <= RUN && letters === 0)) return SHORT;
  const data = counting && isData(recent, letters);
  if (data && recent.slice(-period).split('\n').length <= 2) return RECORDS;
  if (data || fenced || structured) {
    const kind = fenced ? FENCED : LISTED;
    return counting ? { ...kind, rule: 'counter' } : kind;
  }
  if (counting) return COUNTING;
  return period <= RUN ? SHORT : WORDS;
}

/** Whether this is records, names or code more than sentences: one of these for each number is what a machine writes. */
export function isData(recent: string, letters: number): boolean {
  const inWords = lettersIn((recent.match(word) ?? []).join(''));
  return inWords < WORD_SHARE * letters;
}

/** Number of letters in a text. */
export function lettersIn(text: string): number {
  return text.replace(noLetters, '').length;
}
