import type { Api } from './api.ts';
import { contentText, editUserTexts, userText } from './content.ts';
import {
  type Conversation,
  continuePrompt,
  type Guidance,
  guidanceFor,
  type Item,
  type Json,
  type Reply,
  type ToolCall,
  type Usage,
} from './conversation.ts';
import {
  argsOf,
  count,
  hasTools,
  isObject,
  limitedResult,
  objects,
  remembered,
  replaceLast,
  sessionNames,
  text,
} from './json.ts';
import { MessagesStream } from './messages-stream.ts';

/** Anthropic's Messages: `POST /v1/messages`. */
export const messagesApi: Api = {
  kind: 'messages',
  backend: 'anthropic',
  historyKey: 'messages',

  readRequest(body) {
    if (!Array.isArray(body['messages'])) return undefined;
    const system = contentText(body['system']);
    const previous = previousMessage(body);
    return {
      model: text(body['model']),
      stream: body['stream'] === true,
      items: [
        ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
        ...objects(body['messages']).flatMap(itemsOf),
      ],
      names: sessionNames(body),
      previous,
      keepsHistory: previous !== null,
    } satisfies Conversation;
  },

  readReply(body): Reply | undefined {
    if (!Array.isArray(body['content'])) return undefined;
    const blocks = objects(body['content']);
    return {
      id: text(body['id']),
      text: contentText(blocks),
      thought: blocks.map((block) => text(block['thinking']) ?? '').join(''),
      calls: callsOf(blocks),
      usage: messagesUsage(body['usage']),
      finishReason: text(body['stop_reason']),
    };
  },

  withUserTexts(body, edit, isCommandReply) {
    return { ...body, messages: editUserTexts(objects(body['messages']), edit, isCommandReply) };
  },

  withGuidance(body, reply, guidance) {
    const messages = [...objects(body['messages']), ...guidanceMessages(reply, guidance)];
    return { ...body, messages };
  },

  withNote(body, note, as) {
    const messages = objects(body['messages']);
    if (as === 'assistant') return { ...body, messages: [...messages, ...asAssistant(note)] };
    const edited = editLastResult(messages, (result) => ({
      ...result,
      content: [...blocksOf(result['content']), { type: 'text', text: note }],
    }));
    return { ...body, messages: edited ?? [...messages, { role: 'user', content: note }] };
  },

  withLimit(body, message) {
    const messages = objects(body['messages']);
    const limited = editLastResult(messages, (result) => ({
      ...result,
      content: limitedResult(contentText(result['content']), message),
    }));
    return {
      ...body,
      messages: limited ?? messages,
      ...(hasTools(body) && { tool_choice: { type: 'none' } }),
    };
  },

  syntheticReply(body, { id, text: content, stop, details }, usage) {
    return {
      id: `msg_loopwatch_${id}`,
      type: 'message',
      role: 'assistant',
      model: text(body['model']) ?? '',
      content: [{ type: 'text', text: content }],
      stop_reason: stop === 'max_turn_requests' ? stop : 'end_turn',
      stop_sequence: null,
      usage: usage ?? { input_tokens: 0, output_tokens: 0 },
      ...(details && { loopwatch: details }),
    };
  },

  withEarlier(body, earlier, reply) {
    const answered = reply === null || reply === '' ? [] : [{ role: 'assistant', content: reply }];
    const messages = [...objects(earlier['messages']), ...answered, ...objects(body['messages'])];
    return { ...body, thread: earlier['thread'], messages };
  },

  requestAfter: (replyId, body) =>
    isObject(body['thread'])
      ? { thread: { type: 'continue', previous_message_id: replyId }, messages: [] }
      : null,

  stream: (body) => new MessagesStream((reply) => messagesApi.syntheticReply(body, reply, null)),
};

/** The message that a request continues from, in a thread stored by the API. */
function previousMessage({ thread }: Json): string | null {
  return isObject(thread) ? text(thread['previous_message_id']) : null;
}

function messagesUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  return { inputTokens: count(usage['input_tokens']), outputTokens: count(usage['output_tokens']) };
}

/** A user message with tool results is part of the turn; its other text is ignored. */
const itemsOf = remembered(({ role, content }: Json): Item[] => {
  if (role === 'assistant') return [{ role, text: contentText(content), calls: callsOf(objects(content)) }];
  if (role !== 'user') return [];
  const results = objects(content).filter(isResult);
  if (results.length === 0) return [{ role, text: userText(content) }];
  return results.map((result) => ({
    role: 'result',
    callId: text(result['tool_use_id']),
    result: contentText(result['content']),
    ...(typeof result['is_error'] === 'boolean' && { isError: result['is_error'] }),
  }));
});

function isResult({ type }: Json): boolean {
  return type === 'tool_result';
}

function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

function callsOf(blocks: readonly Json[]): ToolCall[] {
  return blocks.flatMap((block) => {
    const { type, input } = block;
    if (type !== 'tool_use') return [];
    return [{ id: text(block['id']), name: text(block['name']) ?? '', args: argsOf(input) }];
  });
}

/** @returns undefined if no message has a result */
function editLastResult(messages: readonly Json[], edit: (result: Json) => Json): Json[] | undefined {
  const holds = ({ content }: Json) => objects(content).some(isResult);
  if (!messages.some(holds)) return undefined;
  return replaceLast(messages, holds, (message) => ({
    ...message,
    content: replaceLast(objects(message['content']), isResult, edit),
  }));
}

function guidanceMessages(reply: Json, guidance: Guidance): Json[] {
  if (guidance.as === 'assistant') return asAssistant(guidance.text);
  const content = objects(reply['content']);
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }, i) => ({
      type: 'tool_result',
      tool_use_id: id,
      is_error: true,
      content: guidanceFor(guidance, i),
    }));
  return [
    { role: 'assistant', content },
    { role: 'user', content: results },
  ];
}

/** Newer models reject a conversation that ends with the assistant. */
function asAssistant(content: string): Json[] {
  return [
    { role: 'assistant', content },
    { role: 'user', content: continuePrompt },
  ];
}
