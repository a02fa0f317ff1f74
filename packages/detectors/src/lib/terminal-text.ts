/** As it is, and in a text of JSON. */
const COLOR = /(?:\u001b|\\u001b)\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_STARTS = ['\u001b[', '\\u001b['];

/** The sign of something that spins, as opposed to a drawing of dots. */
const SPINNER = /(?<![\u2800-\u28ff])[\u2801-\u28ff](?![\u2800-\u28ff])/g;

/** A text without a terminal's colors and spinners. */
export function withoutColors(text: string): string {
  const plain = COLOR_STARTS.some((start) => text.includes(start)) ? text.replace(COLOR, '') : text;
  return plain.replace(SPINNER, '');
}

const OVERWRITES = /\r[^\r\n]/;
const FINISHED = /\b100(?:\.0{1,2})? ?%/;

/**
 * A text without what a later part of the same line overwrites in a terminal, such as the steps of a progress bar; without
 * the bar, if it has reached its end.
 */
export function withoutOverwritten(text: string): string {
  // A text without any line feed may end its lines with carriage returns.
  if (!text.includes('\r') || !text.includes('\n') || !OVERWRITES.test(text)) return text;
  const lines = text.split('\n').flatMap((line) => {
    const written = line.endsWith('\r') ? line.slice(0, -1) : line;
    const shown = written.slice(written.lastIndexOf('\r') + 1);
    return shown.length < written.length && FINISHED.test(shown) ? [] : shown;
  });
  return lines.join('\n');
}
