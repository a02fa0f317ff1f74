import type { Format } from '../record/format.ts';
import { isObject, nameOf } from '../record/json.ts';
import { ResponsesAnswer } from '../wire/openai-responses.ts';
import { readResponsesAnswer } from '../wire/whole-answers.ts';
import { type AnswerFormat, AnswerReader } from './answers.ts';

/** Events that name their response: the first and the last. */
const heads = new Set(['created', 'completed', 'incomplete', 'failed'].map((state) => `response.${state}`));

const answers = {
  whole: (record) => (record['object'] === 'response' ? readResponsesAnswer(record) : undefined),
  headOf: ({ type, response }) => (heads.has(nameOf(type)) && isObject(response) ? response : undefined),
  stream: () => new ResponsesAnswer(),
  isMixable: true,
} satisfies AnswerFormat;

/** Responses of the OpenAI Responses API, complete or streamed. A response can contain its conversation id. */
export const openaiResponses: Format = {
  name: 'openai-responses',
  title: 'an OpenAI response',
  keys: [
    'sequence_number',
    'response',
    'item',
    'item_id',
    'output_index',
    'output',
    'object',
    'previous_response_id',
  ],
  recognizes: (record) =>
    (nameOf(record['type']).startsWith('response.') &&
      ('sequence_number' in record || isObject(record['response']))) ||
    (record['object'] === 'response' && Array.isArray(record['output'])),
  createReader: (session) => new AnswerReader(answers, session),
};
