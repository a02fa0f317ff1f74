import type { Format } from '../record/format.ts';
import { listOf } from '../record/json.ts';
import { ChatAnswer } from '../wire/openai-chat.ts';
import { readChatAnswer } from '../wire/whole-answers.ts';
import { type AnswerFormat, AnswerReader } from './answers.ts';

const answers = {
  whole: (record) => (record['object'] === 'chat.completion' ? readChatAnswer(record) : undefined),
  headOf: (chunk) => chunk,
  // Usage comes in a separate chunk after the last choice, or together with it.
  stream: () => new ChatAnswer({ stream_options: { include_usage: true } }),
  // Some producers state the usage so far in each chunk, and again after the last choice.
  isTrailer: ({ choices }) => listOf(choices).length === 0,
  isMixable: true,
} satisfies AnswerFormat;

/** Responses of the OpenAI Chat API, complete or in chunks. */
export const openaiChat: Format = {
  name: 'openai-chat',
  title: 'an OpenAI Chat response',
  keys: ['id', 'object', 'created', 'model', 'choices', 'system_fingerprint'],
  recognizes: ({ object, choices }) =>
    (object === 'chat.completion.chunk' || object === 'chat.completion') && Array.isArray(choices),
  createReader: (session) => new AnswerReader(answers, session),
};
