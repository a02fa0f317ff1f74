import { bareLines, isData, isNotation, lettersIn } from './repetition-kind.ts';

/** Characters frequent in code, markup, tables and paths. */
const sign = /[\t{}<>=|\\_@$;[\]/]|"[,:]|\p{Ll}\p{Lu}/gu;
/** Prose has at most one such character, and one such line, per this many units. */
const UNITS_PER_SIGN = 100;
const UNITS_PER_BARE_LINE = 200;
/** Minimum lines that are records, and share of them that must differ. */
const MIN_RECORDS = 4;
const DIFFERENT = 0.8;

/** Whether a folded text consists of lines of which hardly any is like another: each says something of its own. */
export function isRecords(text: string): boolean {
  const lines = text.split(/\n+/).slice(1, -1);
  return lines.length >= MIN_RECORDS && new Set(lines).size >= lines.length * DIFFERENT;
}

/** Whether a folded text consists of sentences, not of machine-written lines. */
export function isProse(text: string): boolean {
  const letters = lettersIn(text);
  return (
    2 * letters >= text.length &&
    bareLines(text) * UNITS_PER_BARE_LINE <= text.length &&
    (text.match(sign)?.length ?? 0) * UNITS_PER_SIGN <= text.length &&
    !isNotation(text) &&
    !isData(text, letters)
  );
}
