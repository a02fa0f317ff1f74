import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../record/json.ts';
import { type Answer, contentOf } from './answer.ts';
import { anthropicUsage } from './anthropic.ts';
import { messagesFrom } from './messages.ts';
import { chatUsage, costIn, distinctCalls } from './openai-chat.ts';
import { responsesUsage, unknownCalls } from './openai-responses.ts';

/** A whole answer of Chat Completions: the texts of its first choice. @returns undefined if it is none */
export function readChatAnswer(body: JsonObject): Answer | undefined {
  if (!Array.isArray(body['choices'])) return undefined;
  const choices = listOf(body['choices']).map(objectOf);
  const contents = choices.map(({ message }) =>
    contentOf(messagesFrom([{ role: 'assistant', ...objectOf(message) }])),
  );
  return {
    id: textOf(body['id']) ?? null,
    ...(contents[0] ?? contentOf([])),
    calls: distinctCalls(contents.map(({ calls }) => calls)),
    choices:
      choices.length < 2
        ? undefined
        : new Map(contents.map(({ calls }, i) => [numberOf(choices[i]?.['index']) ?? i, calls])),
    usage: chatUsage(body['usage']) ?? null,
    costUsd: costIn(body['usage']),
    finishReason: textOf(choices[0]?.['finish_reason']) ?? null,
  };
}

/** A whole answer of Anthropic's Messages. @returns undefined if it is none */
export function readAnthropicAnswer(body: JsonObject): Answer | undefined {
  if (!Array.isArray(body['content'])) return undefined;
  return {
    id: textOf(body['id']) ?? null,
    ...contentOf(messagesFrom([{ role: 'assistant', content: body['content'] }])),
    usage: anthropicUsage(body['usage']) ?? null,
    finishReason: textOf(body['stop_reason']) ?? null,
  };
}

/** Some compatible backends leave out the role of a message. */
export function asOfModel(item: unknown): JsonObject {
  const { type } = objectOf(item);
  return type === 'message' ? { role: 'assistant', ...objectOf(item) } : objectOf(item);
}

/** A whole answer of OpenAI's Responses. @returns undefined if it is none */
export function readResponsesAnswer(body: JsonObject): Answer | undefined {
  if (!Array.isArray(body['output'])) return undefined;
  return {
    id: textOf(body['id']) ?? null,
    ...contentOf(messagesFrom(listOf(body['output']).map(asOfModel))),
    unknownCalls: unknownCalls(listOf(body['output'])),
    usage: responsesUsage(body['usage']) ?? null,
    finishReason: textOf(body['status']) ?? null,
  };
}
