import type { Format } from '../record/format.ts';
import { isObject } from '../record/json.ts';
import { GeminiAnswer } from '../wire/gemini-answer.ts';
import { type AnswerFormat, AnswerReader } from './answers.ts';

const answers = {
  // A whole response has the form of a stream with one record.
  whole: () => undefined,
  headOf: (record) => ({
    id: record['responseId'] ?? record['response_id'],
    model: record['modelVersion'] ?? record['model_version'],
    created: record['createTime'] ?? record['create_time'],
  }),
  stream: () => new GeminiAnswer({}),
  isMixable: true,
} satisfies AnswerFormat;

/** Responses of Gemini's `generateContent`, complete or streamed. They contain no session id. */
export const gemini: Format = {
  name: 'gemini',
  title: 'a Gemini response',
  keys: [
    'candidates',
    'usageMetadata',
    'usage_metadata',
    'modelVersion',
    'model_version',
    'responseId',
    'response_id',
  ],
  recognizes: ({ candidates }) =>
    Array.isArray(candidates) && candidates.length > 0 && candidates.every(isCandidate),
  createReader: (session) => new AnswerReader(answers, session),
};

function isCandidate(candidate: unknown): boolean {
  return (
    isObject(candidate) &&
    ('content' in candidate || 'finishReason' in candidate || 'finish_reason' in candidate)
  );
}
