import { type CheckAnswer, jsonFrom, judgeAnswerSchema } from '@loopwatch/contract';

/** A longer answer is rejected. */
const MAX_ANSWER = 200_000;
const MAX_ANALYSIS = 4000;

/**
 * Parses a model's answer: one JSON object and nothing else. A model without structured output may wrap it in a code
 * fence or precede it with reasoning. Other text around it makes it malformed, because it could be quoted from the
 * judged data.
 */
export function parseJudgeAnswer(text: string): CheckAnswer {
  if (text.length > MAX_ANSWER) return { failure: 'malformed' };
  const parsed = judgeAnswerSchema.safeParse(jsonFrom(unwrapped(text)));
  if (!parsed.success) return { failure: 'malformed' };
  const { analysis, confidence } = parsed.data;
  return { analysis: analysis.slice(0, MAX_ANALYSIS), confidence };
}

function unwrapped(text: string): string {
  const thinks = text.trimStart().startsWith('<think>') && text.includes('</think>');
  const spoken = thinks ? text.slice(text.lastIndexOf('</think>') + '</think>'.length) : text;
  const trimmed = spoken.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed;
  return trimmed.slice(trimmed.indexOf('\n') + 1, -3);
}
