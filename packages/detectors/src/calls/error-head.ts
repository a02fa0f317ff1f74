import { type CallText, stringsIn, withoutEcho } from './call-echo.ts';
import { normalise } from './result-noise.ts';

/** So many lines tell which error it is; what follows shows where. */
const LINES = 5;
const UNITS = 400;
/** A shorter line of the call may stand anywhere by chance. */
const QUOTED_UNITS = 4;
/** Lines of the arguments that are looked for, at most. */
const QUOTED_LINES = 256;
/** A number, and whether it counts something: fewer failures are another error. */
const NUMBER =
  /\d+( (?:failed|failures?|failing|passed|errors?|warnings?|problems?|tests?|left|remaining|of)\b)?/g;
/** What an editor puts before the lines that it shows. */
const MARGIN = /^[\s\d:|>+-]*/;

/**
 * The first lines of an error, up to where they quote the call, with digits folded: the same for attempts that are
 * rejected for one reason, although the rejection shows each attempt.
 */
export function errorHead(text: string, call: CallText): string {
  const quoted = new Set(
    stringsIn(call.said)
      .flatMap((value) => value.split('\n', QUOTED_LINES))
      .map((line) => line.replace(MARGIN, '').trim())
      .filter(({ length }) => length >= QUOTED_UNITS),
  );
  const lines: string[] = [];
  for (const line of text
    .slice(0, 4 * UNITS)
    .replaceAll('\\n', '\n')
    .split('\n')) {
    if (line.trim() === '') continue;
    if (lines.length === LINES || quoted.has(line.replace(MARGIN, '').trim())) break;
    lines.push(line);
  }
  const head = normalise(lines.join('\n')).slice(0, UNITS);
  return withoutEcho(head, call).replace(NUMBER, (number, counted) => (counted === undefined ? '#' : number));
}
