const FRAME_UNITS = 200;
/** A last line in brackets that says how much the agent may still use. */
const FRAME =
  /\S\s*\n[^\S\n]*[[(<](?=[^\n]*\b(?:steps?|turns?|iterations?|tokens?|tool calls?|messages?|budget|context|credits?)\b)(?=[^\n]*\b(?:remaining|left|used|spent|remain)\b)[^\n]{0,160}[\])>]\s*$/i;

/**
 * A result without the budget that a harness writes below it, such as `[12 steps remaining, $0.40 of $3.00 used]`. It
 * falls with each call, whatever the call returns.
 */
export function withoutBudget(text: string): string {
  const last = text.trimEnd().at(-1);
  if (last !== ']' && last !== ')' && last !== '>') return text;
  const tail = Math.max(0, text.length - FRAME_UNITS);
  const found = FRAME.exec(text.slice(tail));
  return found === null ? text : text.slice(0, tail + found.index + 1);
}
