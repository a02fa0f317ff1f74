/** A longer text says more than that a result was left out. */
const ELIDED_UNITS = 900;
/**
 * What agents put in place of old results to save context: `[Old tool result content cleared]` of Claude Code and many
 * others, `[cleared]` of LangChain, `<MASKED>` of OpenHands, `[[NOTE] This file read has been removed …]` of Cline,
 * `<tool_output_masked>` of Gemini CLI, which keeps the beginning and the end.
 */
const ELIDED =
  /^\s*(?:(?:[[(<](?:\[note\])?|old )[^\]>\n"'{]*?(?:result|output|observation|content|file read)[^\]>\n"'{]*?(?:clear|remov|omitt|mask|prun|dropp)ed|[[(<](?:cleared|masked)(?: to |\W+$)|visited url \S+\s+content omitted$)/i;

/** Whether a text stands for a result that the agent has left out. */
export function isElided(text: string): boolean {
  return text.length <= ELIDED_UNITS && ELIDED.test(text);
}
