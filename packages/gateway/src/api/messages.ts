import { isCallBlock, isResultBlock, joinedText, readAnthropicAnswer } from '@loopwatch/formats/wire';
import type { Api } from './api.ts';
import { editUserTexts, withEditedText } from './content.ts';
import { asAssistant, type Conversation, type Guidance, guidanceFor, type Json } from './conversation.ts';
import { serverSentEvents } from './framing.ts';
import { historyItems } from './history.ts';
import { hasTools, isObject, limitedResult, objects, replaceLast, sessionNames, text } from './json.ts';
import { MessagesStream } from './messages-stream.ts';

/** Anthropic's Messages: `POST /v1/messages`. */
export const messagesApi: Api = {
  kind: 'messages',
  backend: 'anthropic',
  historyKey: 'messages',
  usageKey: 'usage',
  framing: serverSentEvents,

  readRequest(body) {
    if (!Array.isArray(body['messages'])) return undefined;
    const system = joinedText(body['system']);
    const previous = previousMessage(body);
    return {
      model: text(body['model']),
      stream: body['stream'] === true,
      items: [
        ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
        ...historyItems(body['messages']),
      ],
      names: sessionNames(body),
      previous,
      keepsHistory: previous !== null,
    } satisfies Conversation;
  },

  readReply: readAnthropicAnswer,

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
      content: withEditedText(result['content'], 'text', (text) => limitedResult(text, message)),
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

function isResult({ type }: Json): boolean {
  return type === 'tool_result';
}

function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
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
  const blocks = objects(reply['content']);
  const answered = new Set(blocks.filter(isResultBlock).map((block) => block['tool_use_id']));
  const results: Json[] = [];
  const notes: Json[] = [];
  for (const [i, { type, id }] of blocks.filter(isCallBlock).entries()) {
    const content = guidanceFor(guidance, i);
    if (type === 'tool_use') results.push({ type: 'tool_result', tool_use_id: id, is_error: true, content });
    // The API runs this tool itself, so a client cannot send its result.
    else if (i === guidance.call) notes.push({ type: 'text', text: content });
  }
  const content = blocks.filter((block) => {
    // The model may write a blank text, but the API takes none back.
    if (block['type'] === 'text') return text(block['text'])?.trim() !== '';
    return !isCallBlock(block) || block['type'] === 'tool_use' || answered.has(block['id']);
  });
  if (content.length === 0) return asAssistant(guidance.text);
  return [
    { role: 'assistant', content },
    { role: 'user', content: [...results, ...notes] },
  ];
}
