const FRAME_UNITS = 200;
/** What an agent uses. */
const SUBJECT = '(?:steps?|turns?|iterations?|tool calls?|messages?|tokens?|budget|context)';
/**
 * A last line in brackets that says how much the agent may still use, or what it has cost, if only a fraction of a cent
 * (`(elapsed 0.3s, cost $0.0034)`), or how busy the machine is (`[memory: 512 MB, cpu: 31%]`).
 */
const FRAME = new RegExp(
  `\\S\\s*\\n[^\\S\\n]*[[(<](?:${[
    `(?=[^\\n]*\\b(?:${SUBJECT}|credits?)\\b)(?=[^\\n]*(?<![a-z])(?:remaining|left|used|spent|remain|cost)\\b)[^\\n]{0,160}`,
    '[^\\n]{0,80}\\bcosts?\\b[^\\n]{0,20}\\$\\d+\\.\\d{3,}[^\\n]{0,60}',
    '\\s{0,3}(?:(?:memory|mem|ram|rss|heap|cpu|load|disk)(?:[ _](?:usage|used|avg|average))?[:= ]\\s?[\\d.,/ ]{1,24}(?:%|[kmgt]?i?b)?[\\s,;|]{0,3}){1,4}',
  ].join('|')})[\\])>]\\s*$`,
  'i',
);
/** What is left, without brackets: `You have 12 turns left.`, `Steps remaining: 12 of 40`. */
const LEFT = new RegExp(
  `^\\W*(?:(?:you|there) (?:still )?(?:have|are|is) )?(?:only )?\\$?\\d[\\d.,]{0,12}[%k]?(?: of \\d{1,9})?(?: more)?(?: of (?:the|your))? ${SUBJECT}(?: (?:is|are))? (?:left|remaining|remain)\\W*$|^\\W*(?:${SUBJECT} (?:left|remaining)|remaining ${SUBJECT})[:=] ?\\$?\\d[\\d.,]{0,12}[%k]?(?: ?(?:of|/) ?\\$?[\\d.,]{1,12})?\\W*$`,
  'i',
);
/** The same of what was spent: `Tokens: 12,400 sent, 310 received. Cost: $0.04 message, $0.31 session.` */
const COST =
  /^(?=.*\d)(?=.*\btokens?\b|(?=.*\b(?:in|input|prompt|sent)\b).*\b(?:out|output|completion|received)\b)[^\S\n]*(?:(?:total )?cost|tokens?(?: used| usage)?|usage)[:=]/i;
/** A count of steps in brackets at the end: the harness's, not the tool's. */
export const STEP_FRAME =
  /[[(<][^\n[\]()<>]{0,40}\b(?:step|turn|iteration|round|message|attempt|call|cell)\b[^\n[\]()<>]{0,40}[\])>]\s*$/i;
/** What reminds the model of its plan. */
const NOTE =
  /\b(?:to-?do ?(?:list|write)|task list|mention this)\b|^\W*(?:(?:please )?remember|don't forget|reminder|hint|tip|important)\b|\[system\]/i;

/**
 * A result without the budget that a harness writes below it, such as `[12 steps remaining, $0.40 of $3.00 used]`, without
 * what the model's answers have cost so far, without a reminder of its plan and without how busy the machine is. It changes
 * with each call, whatever the call returns.
 */
export function withoutBudget(text: string): string {
  const tail = Math.max(0, text.length - FRAME_UNITS);
  const end = text.slice(tail).trimEnd();
  const last = end.at(-1);
  if (last === ']' || last === ')' || last === '>') {
    const found = FRAME.exec(end);
    if (found !== null) return text.slice(0, tail + found.index + 1);
  }
  const lastLine = end.lastIndexOf('\n') + 1;
  const line = end.slice(lastLine);
  const before = text.slice(0, tail + lastLine).trimEnd();
  return lastLine > 0 && before !== '' && (LEFT.test(line) || COST.test(line) || NOTE.test(line))
    ? before
    : text;
}
