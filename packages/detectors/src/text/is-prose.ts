import { isData, lettersIn } from './repetition-kind.ts';

/** What code, markup, tables and paths are full of. */
const sign = /[\t{}<>=|\\_@$;[\]/]|\p{Ll}\p{Lu}/gu;
/** A line that ends as no sentence does, as in a log, a record or a list. */
const bareLine = /[^.!?…:。！？"”’*\s][\r\n]/gu;
/** Of so many units one may be a sign; a line may be bare. */
const UNITS_PER_SIGN = 100;
const UNITS_PER_BARE_LINE = 200;

/** Whether a text, in folded form, is made of sentences: nothing in it that a machine writes line by line. */
export function isProse(text: string): boolean {
  const letters = lettersIn(text);
  return (
    2 * letters >= text.length &&
    count(text, bareLine) * UNITS_PER_BARE_LINE <= text.length &&
    count(text, sign) * UNITS_PER_SIGN <= text.length &&
    !isData(text, letters)
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
