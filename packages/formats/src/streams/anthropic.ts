import type { Format } from '../record/format.ts';
import { isObject, nameOf, objectOf } from '../record/json.ts';
import { AnthropicAnswer } from '../wire/anthropic.ts';
import { readAnthropicAnswer } from '../wire/whole-answers.ts';
import { type AnswerFormat, AnswerReader } from './answers.ts';

const streamed = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/;

const answers = {
  whole: (record) => (record['type'] === 'message' ? readAnthropicAnswer(record) : undefined),
  headOf: ({ type, message }) => (type === 'message_start' && isObject(message) ? message : undefined),
  stream: () => new AnthropicAnswer(),
  isMixable: true,
} satisfies AnswerFormat;

/** Responses of the Anthropic Messages API, complete or streamed. They contain no session id. */
export const anthropic: Format = {
  name: 'anthropic',
  title: 'an Anthropic Messages response',
  keys: ['id', 'type', 'role', 'content', 'stop_reason', 'stop_sequence', 'content_block', 'delta', 'index'],
  recognizes: (record) =>
    streamed.test(nameOf(record['type'])) ||
    (record['type'] === 'message' &&
      record['role'] === 'assistant' &&
      Array.isArray(record['content']) &&
      // A message of the Responses API.
      !record['content'].some((part) => objectOf(part)['type'] === 'output_text')),
  createReader: (session) => new AnswerReader(answers, session),
};
