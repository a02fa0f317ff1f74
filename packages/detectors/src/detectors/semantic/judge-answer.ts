import { type CheckAnswer, jsonFrom } from '@loopwatch/contract';
import { block, number, safeParseSettings, text } from '@loopwatch/contract/internal';

/** A longer answer is rejected. */
const MAX_ANSWER = 200_000;
const MAX_ANALYSIS = 4000;

/** `judgeAnswerSchema` without zod, which the library does without. */
const judgeAnswer = block({ analysis: text(), confidence: number({ min: 0, max: 1 }) });

/**
 * Parses a model's answer: one JSON object and nothing else. A model without structured output may wrap it in a code
 * fence or precede it with reasoning. Other text around it makes it malformed, because it could be quoted from the
 * judged data.
 */
export function parseJudgeAnswer(answer: string): CheckAnswer {
  if (answer.length > MAX_ANSWER) return { failure: 'malformed' };
  // Models add fields of their own.
  const said = Object(jsonFrom(unwrapped(answer))) as Record<string, unknown>;
  const parsed = safeParseSettings(judgeAnswer, {
    analysis: said['analysis'],
    confidence: said['confidence'],
  });
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
