import type { Api } from './api.ts';
import { ChatStream, chatUsage } from './chat-stream.ts';
import { contentText, editUserTexts, userText } from './content.ts';
import {
  type Conversation,
  type Guidance,
  guidanceFor,
  type Item,
  type Json,
  type Reply,
  type ToolCall,
} from './conversation.ts';
import {
  argsOf,
  hasTools,
  isObject,
  limitedResult,
  objects,
  remembered,
  replaceLast,
  sessionNames,
  text,
} from './json.ts';

/** OpenAI's Chat Completions: `POST /v1/chat/completions`. */
export const chatApi: Api = {
  kind: 'chat',
  backend: 'openai',
  historyKey: 'messages',

  readRequest(body) {
    if (!Array.isArray(body['messages'])) return undefined;
    return {
      model: text(body['model']),
      stream: body['stream'] === true,
      items: objects(body['messages']).flatMap(itemOf),
      names: sessionNames(body),
      previous: null,
      keepsHistory: false,
    } satisfies Conversation;
  },

  readReply(body): Reply | undefined {
    if (!Array.isArray(body['choices'])) return undefined;
    const choices = objects(body['choices']);
    const messages = choices.map(({ message }) => (isObject(message) ? message : {}));
    const [first = {}] = messages;
    return {
      id: text(body['id']),
      text: contentText(first['content']),
      thought: text(first['reasoning_content']) ?? text(first['reasoning']) ?? '',
      calls: distinctCalls(messages.map(callsOf)),
      usage: chatUsage(body['usage']),
      finishReason: text(choices[0]?.['finish_reason']),
    };
  },

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
    const add = (message: Json): Json => ({
      ...message,
      content: `${contentText(message['content'])}\n\n${note}`,
    });
    return { ...body, messages: replaceLast(messages, isResult, add) };
  },

  withLimit(body, message) {
    const limited = (result: Json): Json => ({
      ...result,
      content: limitedResult(contentText(result['content']), message),
    });
    return {
      ...body,
      messages: replaceLast(objects(body['messages']), isResult, limited),
      ...(hasTools(body) && { tool_choice: 'none' }),
    };
  },

  syntheticReply(body, { id, text: content, stop, details }, usage) {
    return {
      ...syntheticHead(body, 'chat.completion', id),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          logprobs: null,
          finish_reason: stop,
        },
      ],
      usage: usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      ...(details && { loopwatch: details }),
    };
  },

  stream: (body) => new ChatStream(body, (id) => syntheticHead(body, 'chat.completion.chunk', id)),
};

/** The common fields of a synthetic reply. */
function syntheticHead(body: Json, object: string, id: string): Json {
  return {
    id: `chatcmpl-loopwatch-${id}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: text(body['model']) ?? '',
  };
}

const itemOf = remembered((message: Json): Item[] => {
  switch (message['role']) {
    case 'system':
    case 'developer':
      return [{ role: 'system', text: contentText(message['content']) }];
    case 'user':
      return [{ role: 'user', text: userText(message['content']) }];
    case 'assistant':
      return [{ role: 'assistant', text: contentText(message['content']), calls: callsOf(message) }];
    case 'tool':
    case 'function':
      return [
        {
          role: 'result',
          callId: text(message['tool_call_id']),
          result: contentText(message['content']),
        },
      ];
    default:
      return [];
  }
});

function isResult(message: Json): boolean {
  return message['role'] === 'tool' || message['role'] === 'function';
}

function callsOf(message: Json): ToolCall[] {
  const calls = objects(message['tool_calls']).flatMap((call): ToolCall[] => {
    const id = text(call['id']);
    const { function: made, custom } = call;
    if (isObject(made)) return [{ id, name: text(made['name']) ?? '', args: argsOf(made['arguments']) }];
    if (isObject(custom)) return [{ id, name: text(custom['name']) ?? '', args: argsOf(custom['input']) }];
    return [];
  });
  const older = message['function_call'];
  if (isObject(older))
    calls.push({ id: null, name: text(older['name']) ?? '', args: argsOf(older['arguments']) });
  return calls;
}

/** The calls of all choices. Choices are alternatives, so a call repeated in a later one counts once. */
function distinctCalls(choices: readonly (readonly ToolCall[])[]): readonly ToolCall[] {
  const [first = [], ...others] = choices;
  if (others.length === 0) return first;
  const known = new Set(first.map(keyOf));
  return [...first, ...others.flat().filter((call) => !known.has(keyOf(call)) && known.add(keyOf(call)))];
}

function keyOf({ name, args }: ToolCall): string {
  return JSON.stringify([name, args]);
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
