/** Units of a result in which stamps are searched. */
const STAMP_UNITS = 400;
/** More than these are no stamps. */
const MOST = 3;
const SECONDS = ':\\d\\d(?:[.,]\\d{1,9})?(?: ?Z| ?UTC| ?[+-]\\d\\d:?\\d\\d| GMT)?';
const DATE = '\\d{4}[-/]\\d\\d[-/]\\d\\d[T ]';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? [\\w ]{5,12} ';
const EPOCH = '1[5-9]\\d{8}(?:\\d{3}|\\.\\d{1,9})?';
const TIME = `(?:${DATE}|${DAY})?\\d\\d:\\d\\d${SECONDS}`;
/** A line that says how a call ran which succeeded. */
const RAN =
  '(?:(?:exit (?:code|status)|exit_?code|return ?code|status|process exited with code)[:= ] ?0|(?:wall[ -]?time|duration|elapsed(?: time)?|chunk id|original token count|total output lines)[:=] [^\\n]{1,80})';
/** Of a line in a log that reports no error. */
const LEVEL = '\\[?(?:TRACE|DEBUG|INFO|NOTICE)\\]?';
const NAME = '(?:x[-_])?(?:trace|span|request|req|correlation|ray)';
const ID = '(?=[\\w-]{0,63}\\d)[\\w-]{4,64}';
const STAMPS = [
  `${LEVEL}:? ${TIME}(?: [\\w.]{1,40}(?= - ))?(?=[\\s|]|: )`,
  `${TIME}(?: - [\\w.]{1,40})?[\\s|-]{1,3}${LEVEL}(?: [\\w.]{1,40}(?=: | - ))?(?=[\\s|:-])`,
  `${TIME}(?=[\\s|]|: )`,
  `[[(<]?(?:(?:time|timestamp|ts)[=:] ?)?(?:${TIME}|${EPOCH})[\\])>]`,
  `${NAME}(?:[-_ ]?id(?: |[=:] ?)|[=:] ?)"?${ID}"?(?=[\\s|]|: )`,
  `[[(<]?${NAME}(?:[-_ ]?id)?[-_=: ] ?${ID}[\\])>]`,
  // What Node writes to stderr as it starts.
  '\\(node:\\d{1,7}\\) [^\\n]*Warning:[^\\n]*\\n(?:\\(Use `node --trace[^\\n]*\\n)?',
  'Debugger (?:listening on|attached)[^\\n]*\\n(?:For help, see:[^\\n]*\\n)?',
  // The prompt of a shell.
  '[\\w.-]{1,32}@[\\w.-]{1,64}:[~/][^\\s#$]{0,100}[#$] ',
  // The number of a job that a shell starts.
  '\\[\\d{1,3}\\] \\d{2,8}\\n',
  // A heading or a ruler, below how the call ran.
  `(?:${RAN}\\n{1,3}){0,6}(?:(?:tool |command )?(?:std)?(?:output|out|results?):|-{3,40})[ \\t]{0,9}\\n`,
  // Which of several machines or processes answers, or how a harness numbers what it shows.
  '[[(<](?:worker|host|node|pod|instance|server|thread|replica|backend|shard|turn|message)[-_:=# ](?=[\\w.-]{0,40}\\d)[\\w.-]{1,40}[\\])>]',
  // Who answers, and when.
  `\\[(?![^\\]]*(?:err|warn|fa))[^\\n\\]]{1,40}\\b${TIME}[^\\n\\]]{0,20}\\]`,
  // The headers of a successful answer, up to the empty line.
  'HTTP/[\\d.]{1,3} 2\\d\\d\\b[^\\n]*\\n(?:[\\w-]{1,64}:[^\\n]*\\n)*\\r?(?=\\n)',
];
const STAMP = new RegExp(`^\\s*(?:${STAMPS.join('|')})[\\s|:-]*`, 'i');

/**
 * A result without what a wrapper writes in front of it: a time, the id of a request or trace, the headers of an HTTP response.
 * They hide how the result begins, which tells an error from a text. A result that consists of nothing else is unchanged.
 */
export function withoutStamp(text: string): string {
  let rest = text;
  for (let count = 0; count < MOST; count += 1) {
    const found = STAMP.exec(rest.slice(0, STAMP_UNITS));
    if (found === null) break;
    rest = rest.slice(found[0].length);
  }
  return rest === '' ? text : rest;
}
