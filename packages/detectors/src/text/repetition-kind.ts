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
  /** Score at which the repetition is a loop: units without new content, minus the cost of new units in between. */
  readonly needed: number;
}

/** A repetition with at most this period is a run, not repeated text. */
export const RUN = 8;

const WORDS: RepetitionKind = { rule: 'text', needed: 200 };
const COUNTING: RepetitionKind = { rule: 'counter', needed: 600 };
const LISTED = 1000;
const FENCED = 1400;
/** Code, records, tables and logs with a number in each item, which people ask for. */
export const NUMBERED: RepetitionKind = { rule: 'counter', needed: 8000 };
/** A repetition this short is a loop within twice the units that equal windows need. */
const SHORT: RepetitionKind = { rule: 'run', needed: 72 };
const LINE_BREAKS: RepetitionKind = { rule: 'run', needed: 8 };
const SPACES: RepetitionKind = { rule: 'run', needed: 28 };
const RULER: RepetitionKind = { rule: 'run', needed: 400 };
/** Constant digits, or a single line of anything: neither is a drawing. */
const DRY: RepetitionKind = { rule: 'run', needed: 800 };
const DRAWING: RepetitionKind = { rule: 'run', needed: 3000 };

/** Characters that fill, draw or lead: rulers, progress dots, table frames. `A` encodes zero bits in base64. */
const drawn = /^(?:[-_*=+#~.,:;|/\\<>^'"`()[\]{}%\d\s\u2500-\u25ff\u2800-\u28ff&\uffff]*|[A\r\n]+)$/;
/** Numbers in hexadecimal. */
const hex = /\b(?:0x)?(?:f{2,}|[a-f]*\d[\da-f]*)\b/gi;
/** One line of these, without quotes, commas, brackets and digits, which are data. */
const ruled = /^[-_*=+#~.:|/\\ \t\u2500-\u25ff\u2800-\u28ff]*$/;
/** A changing number that is part of a name. */
const numberedName = /[a-z_]-?\uffff/i;
/** Code gives a name once, and a call written into an answer has not been made: both are loops, whatever counts up. */
const givenName = /\b(?:def|func(?:tion)?|fn|class) [\p{L}_]+ ?[({:]/u;
const callMarkup = /<[\w:]*(?:_call|invoke)|"arguments":/;
/** A line that does not end like a sentence, as in a log, a record or code. */
const bareLine = /[^.!?…:。！？"”’*\s][\r\n]/gu;
/** The end of a sentence and the beginning of the next. */
const sentenceEnd = /[.!?] +\p{Lu}/u;
/** What separates the parts of data and code; in one line, there is one at least per so many units. */
const dataSign = /[{}[\]()<>=;:,"|]/g;
const UNITS_PER_DATA_SIGN = 16;
/** Machine-written text has more than one such line per this many units. */
const UNITS_PER_BARE_LINE = 150;
/** Lines of labels, as a classifier writes them, are at most this long on average. */
const UNITS_PER_LABEL = 16;
/** A number, or a letter that stands for something. */
const symbol = /(?<![A-Za-z\d])(?:[A-HJ-Z]|\d+|\uffff)(?![A-Za-z\d])/g;
/** Notation has more than one of these per this many units: in running text, and in lines of at most 100 units. */
const UNITS_PER_SYMBOL = 20;
const UNITS_PER_SYMBOL_IN_LINES = 27;
const digit = /\d/;
/** A line that is a date, a time, a version or the like. */
const date = /^\d+(?:[-/.:]\d+)+$/m;
const digits = /^(?=.*\d)[\d.,]+$/;
const noLetters = /\P{L}+/gu;
/** A word of a sentence; in data, words stand in quotes, tags and names. */
const word = /(?<!\S)\(?\p{L}[\p{L}\p{M}’'-]*(?=[.,!?;:…)]*(?:\s|$))|(?<!["\u3040-\u9fff])[\u3040-\u9fff]+/gu;
/** Minimum share of a sentence's letters that are in its words. */
const WORD_SHARE = 0.65;

/**
 * Determines how long a text must continue without new content to be a loop. Repeated words are a loop soon. Counting,
 * lists, tables and code repeat by nature, so they take longer; text without words takes longest.
 *
 * @param recent the last units of the folded text
 */
export function repetitionKind(recent: string, around: Surroundings): RepetitionKind {
  const { period, counting, structured, fenced } = around;
  if (recent.trim() === '') return recent.includes('\n') ? LINE_BREAKS : SPACES;
  if (period <= RUN && digits.test(recent)) return SHORT;
  if (period <= RUN && (ruled.test(recent) || recent.includes('",'))) return RULER;
  const plain = recent.replace(hex, '00');
  const letters = lettersIn(plain);
  const inLines = recent.includes('\n');
  if (drawn.test(plain) || (period > RUN && (inLines || letters > 0) && letters * 4 < recent.length))
    return counting || (inLines && period > RUN && !(digit.test(plain) && (structured || date.test(plain))))
      ? DRAWING
      : DRY;
  if (period === 1 || (period <= RUN && letters === 0)) return SHORT;
  const data = counting && isData(plain, letters);
  if (counting && isMachineWritten(recent, around, data)) return NUMBERED;
  if (data || fenced || structured)
    return { rule: counting ? 'counter' : 'lines', needed: fenced ? FENCED : LISTED };
  if (counting) return COUNTING;
  return period <= RUN ? SHORT : WORDS;
}

/**
 * Whether the text is mostly records, names or code rather than sentences. With a counter in each, such text is
 * machine-written.
 */
export function isData(recent: string, letters: number): boolean {
  return lettersIn(recent.replace(word, '')) > letters * (1 - WORD_SHARE);
}

/**
 * Whether the text consists of entries without sentences, such as labels, or of notation: if there are few kinds of
 * them, their order says something.
 */
export function areEntries(recent: string): boolean {
  return (
    isNotation(recent) ||
    (!sentenceEnd.test(recent) &&
      (isData(recent, lettersIn(recent)) || bareLines(recent) * UNITS_PER_LABEL >= recent.length))
  );
}

/**
 * Whether what a folded text says is mostly in its numbers and single letters, as in the moves of a puzzle. A
 * calculation can be repeated in other words.
 */
export function isNotation(text: string): boolean {
  const most = text.split('\n').length * 100 > text.length ? UNITS_PER_SYMBOL_IN_LINES : UNITS_PER_SYMBOL;
  return !text.includes('=') && (text.match(symbol)?.length ?? 0) * most > text.length;
}

/** Whether a text with a counter is code, a table or other machine output, in which a counter is no sign of a loop. */
function isMachineWritten(recent: string, { structured, fenced }: Surroundings, data: boolean): boolean {
  const named = numberedName.test(recent);
  const isSparse = (recent.match(dataSign)?.length ?? 0) * UNITS_PER_DATA_SIGN < recent.length;
  // A sentence with a token in it.
  if (isSparse && !recent.includes('\n')) return false;
  if (callMarkup.test(recent) || (!named && givenName.test(recent))) return false;
  if (!data && bareLines(recent) * UNITS_PER_BARE_LINE <= recent.length) return false;
  return data || named || fenced || !structured || recent.includes('\n|');
}

/** Number of lines in a text that do not end like a sentence. */
export function bareLines(text: string): number {
  return text.match(bareLine)?.length ?? 0;
}

/** Number of letters in a text. */
export function lettersIn(text: string): number {
  return text.replace(noLetters, '').length;
}
