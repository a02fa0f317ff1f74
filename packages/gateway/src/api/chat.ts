import { readChatAnswer } from '@loopwatch/formats/wire';
import type { Api } from './api.ts';
import { ChatStream, choicesOf, saidInstead } from './chat-stream.ts';
import { editUserTexts, withEditedText } from './content.ts';
import {
  type Conversation,
  type Guidance,
  guidanceFor,
  type Json,
  type SyntheticReply,
} from './conversation.ts';
import { serverSentEvents } from './framing.ts';
import { historyItems } from './history.ts';
import {
  count,
  hasTools,
  isObject,
  limitedResult,
  objects,
  replaceLast,
  sessionNames,
  text,
} from './json.ts';

/** OpenAI's Chat Completions: `POST /v1/chat/completions`. */
export const chatApi: Api = {
  kind: 'chat',
  backend: 'openai',
  historyKey: 'messages',
  usageKey: 'usage',
  framing: serverSentEvents,

  readRequest(body) {
    if (!Array.isArray(body['messages'])) return undefined;
    return {
      model: text(body['model']),
      stream: body['stream'] === true,
      items: historyItems(body['messages']),
      names: sessionNames(body),
      previous: null,
      keepsHistory: false,
    } satisfies Conversation;
  },

  readReply: readChatAnswer,

  withUserTexts(body, edit, isCommandReply) {
    return { ...body, messages: editUserTexts(objects(body['messages']), edit, isCommandReply) };
  },

  withGuidance(body, reply, guidance) {
    const [choice] = objects(reply['choices']);
    const message = isObject(choice?.['message']) ? choice['message'] : {};
    const messages = [...objects(body['messages']), ...guidanceMessages(message, guidance)];
    return { ...body, messages };
  },

  withNote(body, note, as) {
    const messages = objects(body['messages']);
    if (as === 'assistant' || !messages.some(isResult))
      return {
        ...body,
        messages: [...messages, { role: as === 'assistant' ? 'assistant' : 'user', content: note }],
      };
    return { ...body, messages: editLastResult(messages, (result) => `${result}\n\n${note}`) };
  },

  withLimit(body, message) {
    const limited = (result: string) => limitedResult(result, message);
    return {
      ...body,
      messages: editLastResult(objects(body['messages']), limited),
      ...(hasTools(body) && { tool_choice: 'none' }),
    };
  },

  withRefused(body, reply, refused) {
    const choices = objects(reply['choices']).map((choice, i) => {
      const synthetic = refused.get(count(choice['index']) ?? i);
      if (synthetic === undefined) return choice;
      const { stop, details } = synthetic;
      const message = messageOf(body, synthetic);
      return { ...choice, message, finish_reason: stop, ...(details && { loopwatch: details }) };
    });
    return { ...reply, choices };
  },

  syntheticReply(body, reply, usage) {
    const { id, stop, details } = reply;
    return {
      ...syntheticHead(body, 'chat.completion', id),
      choices: Array.from({ length: choicesOf(body) }, (_, index) => ({
        index,
        message: messageOf(body, reply),
        logprobs: null,
        finish_reason: stop,
      })),
      usage: usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      ...(details && { loopwatch: details }),
    };
  },

  stream: (body) => new ChatStream(body, (id) => syntheticHead(body, 'chat.completion.chunk', id)),
};

function messageOf(body: Json, reply: SyntheticReply): Json {
  return { role: 'assistant', content: null, refusal: null, ...saidInstead(body, reply.text, reply) };
}

/** The common fields of a synthetic reply. */
function syntheticHead(body: Json, object: string, id: string): Json {
  return {
    id: `chatcmpl-loopwatch-${id}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: text(body['model']) ?? '',
  };
}

function isResult(message: Json): boolean {
  return message['role'] === 'tool' || message['role'] === 'function';
}

function editLastResult(messages: readonly Json[], edit: (text: string) => string): Json[] {
  const edited = (message: Json): Json => ({
    ...message,
    content: withEditedText(message['content'], 'text', edit),
  });
  return replaceLast(messages, isResult, edited);
}

/** The reply, then a result for each of its calls. */
function guidanceMessages(message: Json, guidance: Guidance): Json[] {
  if (guidance.as === 'assistant') return [{ role: 'assistant', content: guidance.text }];
  const calls = objects(message['tool_calls']);
  if (calls.length === 0) {
    const older = isObject(message['function_call']) ? message['function_call'] : {};
    return [message, { role: 'function', name: text(older['name']) ?? '', content: failure(guidance.text) }];
  }
  const results = calls.map((made, i) => ({
    role: 'tool',
    tool_call_id: text(made['id']) ?? '',
    content: failure(guidanceFor(guidance, i)),
  }));
  return [message, ...results];
}

function failure(error: string): string {
  return JSON.stringify({ error });
}
