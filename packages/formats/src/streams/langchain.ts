import {
  type Format,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
  statelessReader,
} from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  objectOf,
  textOf,
  timeOf,
  tokensOf,
  unwrapped,
} from '../record/json.ts';
import { type KnownCalls, keyOf } from '../record/known-calls.ts';
import type { Message, Usage } from '../record/message.ts';
import { TelemetryMemory } from '../record/telemetry-memory.ts';
import { thoughtIn } from '../wire/blocks.ts';
import { readMessage } from '../wire/messages.ts';
import { chatThought } from '../wire/openai-chat.ts';
import { toolMessageOf } from '../wire/tool-message.ts';
import { usageOf as usageOfApi } from '../wire/usage.ts';

/** Events of LangChain's `astream_events`. The session is LangGraph's thread. */
export const langchain: Format = {
  name: 'langchain',
  title: 'a LangChain event stream',
  keys: ['event', 'name', 'run_id', 'parent_ids', 'tags', 'metadata', 'data'],
  recognizes: (record) =>
    /^on_(?:chat_model|llm|chain|tool|retriever|prompt|parser|custom)_/.test(`${nameOf(record['event'])}_`) &&
    'run_id' in record,
  createReader: (session, memory = new TelemetryMemory()) =>
    statelessReader((record) => read(record, session, memory)),
};

/** @param memory of calls: both the response of a model and the run of a tool report one, and events may be posted one by one */
function read(record: JsonObject, session: string | undefined, memory: TelemetryMemory): Reading {
  const type = nameOf(record['event']);
  const metadata = objectOf(record['metadata']);
  const sessionId = textOf(metadata['thread_id']) ?? textOf(metadata['session_id']) ?? session;
  if (sessionId === undefined) return ignored(`${type} without a session`);
  const calls = memory.callsOf(sessionId);
  const stamp = { sessionId, time: timeOf(record['timestamp']), model: textOf(metadata['ls_model_name']) };
  const runId = textOf(record['run_id']) ?? '';
  const data = objectOf(record['data']);
  const ranCall = calls.idOfSpan(runId) ?? runId;
  const ended = { ...stamp, id: `result:${ranCall}`, callId: ranCall };
  switch (type) {
    case 'on_chat_model_start':
      return reading([
        ...resultsIn(data['input'], calls, stamp),
        ...promptIn(record, stamp, memory),
        { ...stamp, id: `${runId}.turn`, type: 'turn_started' },
      ]);
    case 'on_llm_start':
      return reading([{ ...stamp, id: `${runId}.turn`, type: 'turn_started' }]);
    case 'on_chat_model_stream': {
      const texts = textsIn(messageOf(data['chunk']), stamp);
      if (texts.length === 0) return ignored(type);
      memory.learnContent(runId, true);
      return reading(texts);
    }
    case 'on_llm_stream': {
      const { chunk } = data;
      const text = typeof chunk === 'string' ? chunk : textOf(messageOf(chunk)['text']);
      return text === undefined ? ignored(type) : reading([{ ...stamp, type: 'content', text }]);
    }
    case 'on_chat_model_end':
    case 'on_llm_end': {
      const { output } = data;
      // A response that was not streamed is only here.
      const isStreamed = type === 'on_llm_end' || memory.hasContentAt(runId) === true;
      const whole = isStreamed ? [] : textsIn(messageOf(messageIn(output)), stamp);
      return reading([
        ...whole.map((event) => ({ ...event, id: `${runId}.${event.type}` })),
        ...callsIn(output, runId, calls, stamp),
        { ...stamp, id: `${runId}.end`, type: 'turn_finished', usage: usageIn(output) },
      ]);
    }
    case 'on_tool_start': {
      // Some tools receive their input as text.
      const input = unwrapped(objectOf(data['input'])['input'] ?? data['input']);
      const args = isObject(input) ? { ...input } : { input };
      const name = textOf(record['name']) ?? '';
      // What LangGraph passes to a tool beside the arguments is in its input too.
      const key = keyOf(args);
      const isOther = calls.isRequested(name) && !calls.isRequested(name, key);
      const callId = calls.ofSpan({ id: runId }, undefined, name, isOther ? undefined : key);
      return reading([{ ...stamp, id: `call:${callId}`, type: 'tool_call_request', callId, name, args }]);
    }
    case 'on_tool_end': {
      const { result, isError } = toolMessageOf(data['output']) ?? {
        result: messageOf(data['output'])['content'] ?? data['output'] ?? '',
        isError: undefined,
      };
      return reading([{ ...ended, type: 'tool_result', result, isError }]);
    }
    case 'on_tool_error': {
      const result = data['error'] ?? '';
      return reading([{ ...ended, type: 'tool_result', result, isError: true }]);
    }
    default:
      return ignored(type);
  }
}

/** The calls in the response of a model. */
function callsIn(output: unknown, runId: string, calls: KnownCalls, stamp: Stamp): SessionEvent[] {
  return readMessage(messageIn(output)).flatMap((message): SessionEvent[] => {
    if (message.role !== 'assistant') return [];
    return message.calls.map(({ id, name, args }, i) => {
      const own = id ?? `${runId}.${String(i)}`;
      const callId = calls.ofMessage(own, own, name, keyOf(args));
      const given = typeof args === 'string' ? args : { ...args };
      return { ...stamp, id: `call:${callId}`, type: 'tool_call_request', callId, name, args: given };
    });
  });
}

/** The results of calls that an agent runs without a tool of LangChain, in the request that follows. */
function resultsIn(input: unknown, calls: KnownCalls, stamp: Stamp): SessionEvent[] {
  return messagesIn(input).flatMap((message): SessionEvent[] => {
    if (message.role !== 'tool') return [];
    return message.results.flatMap(({ id, result, isError }) => {
      const callId = id === null ? undefined : calls.ofMessageResult(id, id);
      if (callId === undefined || !calls.isOpen(callId)) return [];
      return [{ ...stamp, id: `result:${callId}`, type: 'tool_result', callId, result, isError }];
    });
  });
}

/** The prompt that a request answers. The first of the runs around it is that of the whole request. */
function promptIn(record: JsonObject, stamp: Stamp, memory: TelemetryMemory): SessionEvent[] {
  const messages = messagesIn(objectOf(record['data'])['input']);
  const root = textOf(listOf(record['parent_ids'])[0]);
  const text = memory.newPrompts.in(messages, stamp.sessionId, root);
  const id = `${textOf(record['run_id']) ?? ''}.prompt`;
  return text === undefined ? [] : [{ ...stamp, id, type: 'prompt_started', text }];
}

function messagesIn(input: unknown): readonly Message[] {
  return listOf(objectOf(input)['messages'] ?? input)
    .flat()
    .flatMap(readMessage);
}

/** The thoughts and text of a message, or of a piece of one. */
function textsIn({ content, additional_kwargs: more }: JsonObject, stamp: Stamp): SessionEvent[] {
  const parts = typeof content === 'string' ? [content] : listOf(content);
  const thoughtOf = (part: unknown) => thoughtIn(objectOf(part));
  const thoughts = [chatThought(objectOf(more)), ...parts.map(thoughtOf)].filter(Boolean).join('');
  const text = joinedText(parts.filter((part) => thoughtOf(part) === undefined));
  return [
    ...(thoughts === '' ? [] : [{ ...stamp, type: 'thought' as const, text: thoughts }]),
    ...(text === '' ? [] : [{ ...stamp, type: 'content' as const, text }]),
  ];
}

/** A message, plain or in LangChain's serialized form. */
function messageOf(value: unknown): JsonObject {
  const message = objectOf(value);
  return isObject(message['kwargs']) ? message['kwargs'] : message;
}

/** The message that a model returns, which may be in the first of its generations. */
function messageIn(output: unknown): unknown {
  const [generation] = listOf(objectOf(output)['generations']).flat();
  return objectOf(generation)['message'] ?? output;
}

/** The usage in a message, or in the result of a model with its generations. */
function usageIn(output: unknown): Usage | undefined {
  const message = messageOf(messageIn(output));
  const { token_usage: tokens, usage } = objectOf(message['response_metadata']);
  const { token_usage: ofAll } = objectOf(objectOf(output)['llm_output']);
  return usageOf(message['usage_metadata']) ?? usageOfApi(tokens ?? usage ?? ofAll);
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = objectOf(value['input_token_details']);
  return {
    inputTokens: tokensOf(value['input_tokens']),
    outputTokens: tokensOf(value['output_tokens']),
    cachedInputTokens: tokensOf(input['cache_read']),
    cacheWriteTokens: tokensOf(input['cache_creation']),
    reasoningTokens: tokensOf(objectOf(value['output_token_details'])['reasoning']),
  };
}
