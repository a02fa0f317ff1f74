import { isObject, type JsonObject, listOf, nameOf, objectOf, textOf, unwrapped } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import type { StreamedAnswer } from './answer.ts';
import { AnthropicAnswer } from './anthropic.ts';
import { GeminiAnswer } from './gemini-answer.ts';
import { messagesFrom } from './messages.ts';
import { ChatAnswer, costIn } from './openai-chat.ts';
import { usageOf } from './usage.ts';
import { asOfModel } from './whole-answers.ts';

const sseLine = /^data:\s*(?=\{)/;

/**
 * The messages in a model's answer as a log has it: the body of a response of any API, whole or streamed, also as text; or the
 * items of one. Empty if there is none.
 */
export function answerIn(value: unknown): Message[] {
  const body = parsed(value);
  if (Array.isArray(body))
    return isStream(body) ? streamed(body.map(objectOf)) : messagesFrom(body.map(asOfModel));
  if (!isObject(body)) return [];
  const items = itemsIn(body);
  if (items === undefined) return 'body' in body ? answerIn(body['body']) : [];
  const { usage, usageMetadata } = body;
  return withUsage(messagesFrom(items), usage ?? usageMetadata ?? body['usage_metadata'] ?? body);
}

/** The usage, as the API has it, belongs to the last message of the model. */
export function withUsage(messages: readonly Message[], held: unknown): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const usage = usageOf(held);
  const costUsd = costIn(held);
  return messages.map((message, i) =>
    i === last && usage !== undefined && message.role === 'assistant'
      ? { ...message, usage, costUsd }
      : message,
  );
}

/** The messages or items in a whole answer: of Chat, Responses, Converse, Messages, Gemini or Ollama; or itself. */
function itemsIn(body: JsonObject): readonly unknown[] | undefined {
  const { choices, output, content, candidates, message, role } = body;
  const choice = objectOf(objectOf(listOf(choices)[0])['message']);
  const candidate = objectOf(objectOf(listOf(candidates)[0])['content']);
  if (Object.keys(choice).length > 0) return [{ role: 'assistant', ...choice }];
  if (Array.isArray(output)) return output.map(asOfModel);
  if (isObject(output) && isObject(output['message'])) return [output['message']];
  if ('parts' in candidate) return [{ role: 'model', ...candidate }];
  if (role === 'assistant' || Array.isArray(content)) return [{ ...body, role: 'assistant' }];
  return isObject(message) && message['role'] === 'assistant' ? [message] : undefined;
}

/** Text of JSON, of one value or one a line, or of server-sent events. */
function parsed(value: unknown): unknown {
  const body = unwrapped(value);
  if (typeof body !== 'string') return body;
  const records = body.split('\n').map((line) => unwrapped(line.trim().replace(sseLine, '')));
  return records.filter(isObject);
}

function isStream([first]: readonly unknown[]): boolean {
  const { type, choices, candidates } = objectOf(first);
  const isEvent =
    type === 'message_start' || 'done' in objectOf(first) || nameOf(type).startsWith('response.');
  return isEvent || Array.isArray(choices) || Array.isArray(candidates);
}

function streamed(records: readonly JsonObject[]): Message[] {
  // The last event of the Responses API repeats the answer.
  const whole = records.findLast(({ response }) => Array.isArray(objectOf(response)['output']));
  if (whole !== undefined) return answerIn(whole['response']);
  const pieces = records.filter(({ done }) => done !== undefined).map(({ message }) => objectOf(message));
  if (pieces.length > 0) return withUsage([ollamaAnswer(pieces)], records.at(-1));
  const stream = streamOf(objectOf(records[0]));
  let text = '';
  let thought = '';
  for (const record of records) {
    const delta = stream.read(record);
    text += delta.text ?? '';
    thought += delta.thought ?? '';
  }
  const { calls, results } = stream;
  const answer: Message = {
    role: 'assistant',
    ...(thought !== '' && { thought }),
    ...(text !== '' && { text }),
    calls,
    usage: stream.usage ?? undefined,
    costUsd: stream.costUsd,
  };
  return results.length === 0 ? [answer] : [answer, { role: 'tool', results }];
}

/** The pieces of Ollama's answer; its calls are never split. */
function ollamaAnswer(pieces: readonly JsonObject[]): Message {
  const joined = (name: string) => pieces.map((piece) => textOf(piece[name]) ?? '').join('');
  const content = joined('content');
  const [answer] = messagesFrom([
    {
      role: 'assistant',
      content,
      reasoning: joined('thinking'),
      tool_calls: pieces.flatMap((piece) => listOf(piece['tool_calls'])),
    },
  ]);
  return answer ?? { role: 'assistant', calls: [] };
}

function streamOf(first: JsonObject): StreamedAnswer {
  if ('candidates' in first) return new GeminiAnswer({});
  return 'choices' in first ? new ChatAnswer({}) : new AnthropicAnswer();
}
