import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import type { Usage } from '../record/message.ts';
import { textId } from '../record/text-id.ts';
import { Turns } from '../record/turns.ts';
import { hookAgentOf, readHookInput } from './hook-input.ts';

/**
 * Gemini CLI and its fork Qwen Code: events of `--output-format stream-json`, hook inputs and chat files. A chat file is one
 * document with all messages, or a header line with the session id followed by one message per line. The messages in a
 * `$set` between them are what the next request contains: copies of earlier lines, or their summary. `$rewindTo` cuts that
 * context as well; what it cuts off has happened.
 */
export const geminiCli: Format = {
  name: 'gemini-cli',
  title: 'a Gemini CLI session',
  keys: [
    'session_id',
    'tool_id',
    'tool_name',
    'sessionId',
    'projectHash',
    'startTime',
    'lastUpdated',
    'toolCalls',
  ],
  recognizes: (record) =>
    hookAgentOf(record) === 'gemini-cli' ||
    isStreamEvent(record) ||
    isChat(record) ||
    isHeader(record) ||
    isChatMessage(record) ||
    isUpdate(record),
  createReader: (session) => new GeminiReader(session),
};

function isStreamEvent(record: JsonObject): boolean {
  switch (record['type']) {
    case 'init':
      return 'session_id' in record && 'model' in record;
    case 'tool_use':
    case 'tool_result':
      return 'tool_id' in record;
    case 'message':
      return (
        typeof record['content'] === 'string' &&
        'role' in record &&
        'timestamp' in record &&
        !('payload' in record)
      );
    case 'result':
      return isObject(record['stats']);
    case 'error':
      return 'severity' in record;
    default:
      return false;
  }
}

function isHeader(record: JsonObject): boolean {
  return 'sessionId' in record && 'projectHash' in record;
}

function isChat(record: JsonObject): boolean {
  return isHeader(record) && Array.isArray(record['messages']);
}

function isUpdate(record: JsonObject): boolean {
  return isObject(record['$set']) || '$rewindTo' in record;
}

function isChatMessage(record: JsonObject): boolean {
  const { type } = record;
  if (!('id' in record && 'timestamp' in record) || 'message' in record || 'v' in record) return false;
  return (
    type === 'gemini' || ((type === 'user' || type === 'info' || type === 'error') && 'content' in record)
  );
}

class GeminiReader implements FormatReader {
  #sessionId: string | undefined;
  #model: string | undefined;
  /** The latest message of the model, which is written again with its calls once they have run. */
  #latest: { readonly id: unknown; readonly events: readonly SessionEvent[] } | undefined;
  readonly #turns = new Turns();

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    if (hookAgentOf(record) !== undefined) return readHookInput(record, 'gemini-cli');
    this.#sessionId = textOf(record['session_id']) ?? textOf(record['sessionId']) ?? this.#sessionId;
    this.#model = textOf(record['model']) ?? this.#model;
    const type = textOf(record['type']) ?? (isUpdate(record) ? 'update' : 'session');
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    const messages = listOf(record['messages']);
    if (messages.length > 0) return this.#readChat(messages);
    const stamp = {
      sessionId: this.#sessionId,
      time: timeOf(record['timestamp']),
      agent: 'gemini-cli',
      model: this.#model,
    };
    if (isChatMessage(record)) return this.#readLine(record, stamp);
    return this.#readStream(type, record, stamp);
  }

  end(): SessionEvent[] {
    return [...this.#finish(), ...this.#turns.end()];
  }

  #readLine(message: JsonObject, stamp: Stamp): Reading {
    const { id, type } = message;
    const latest = this.#latest?.id === id ? this.#latest : undefined;
    const before = latest === undefined ? this.#finish() : [];
    if (type !== 'gemini') {
      const own = readMessage(message, stamp);
      return { ...own, events: [...before, ...own.events] };
    }
    const events = modelEvents(message, stamp);
    const known = new Set(latest?.events.map((event) => event.id));
    const added = events.filter((event) => event.type !== 'turn_finished' && !known.has(event.id));
    this.#latest = { id, events };
    return { events: [...before, ...added], ignored: [], isPending: true };
  }

  /** The end of the latest message, which is not written again. */
  #finish(): SessionEvent[] {
    const events = this.#latest?.events ?? [];
    this.#latest = undefined;
    return events.filter(({ type }) => type === 'turn_finished');
  }

  #readChat(messages: readonly unknown[]): Reading {
    const readings = messages.map((message) =>
      this.read({ type: 'message of an unknown type', ...objectOf(message) }),
    );
    return {
      events: [...readings.flatMap(({ events }) => events), ...this.#finish()],
      ignored: readings.flatMap((one) => one.ignored),
    };
  }

  #readStream(type: string, record: JsonObject, stamp: Stamp): Reading {
    const callId = textOf(record['tool_id']);
    const text = textOf(record['content']);
    if (type === 'tool_use') {
      const args = { ...objectOf(record['parameters']) };
      const name = textOf(record['tool_name']) ?? '';
      return reading([
        ...this.#turns.output(stamp, undefined),
        { ...stamp, type: 'tool_call_request', callId, name, args },
      ]);
    }
    if (type === 'tool_result') {
      this.#turns.toolResult(stamp);
      const result = record['output'] ?? record['error'] ?? '';
      const isError = record['status'] === 'error' || hasFailed(result);
      return reading([{ ...stamp, type: 'tool_result', callId, result, isError }]);
    }
    if (type === 'message' && text !== undefined) {
      if (record['role'] === 'user')
        return reading([...this.#turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
      return reading([...this.#turns.output(stamp, undefined), { ...stamp, type: 'content', text }]);
    }
    if (type === 'result')
      return reading(this.#turns.finish(stamp, undefined, usageOf(objectOf(record['stats']))));
    return ignored(type);
  }
}

function readMessage(message: JsonObject, stamp: Stamp): Reading {
  const type = nameOf(message['type']);
  const text = joinedText(message['content']);
  const id = textOf(message['id']);
  if (type === 'user' && text !== '') return reading([{ ...stamp, id, type: 'prompt_started', text }]);
  return ignored(`message (${type})`);
}

/** A message of the model is a complete turn: thoughts, text, calls with their results, and usage. */
function modelEvents(message: JsonObject, stamp: Stamp): SessionEvent[] {
  const { content } = message;
  const id = textOf(message['id']);
  const parts = Array.isArray(content)
    ? content.filter((part) => objectOf(part)['thought'] !== true)
    : content;
  const text = joinedText(parts);
  const events: SessionEvent[] = [{ ...stamp, id, type: 'turn_started' }];
  listOf(message['thoughts']).forEach((value, i) => {
    const { subject, description } = objectOf(value);
    const thought = [textOf(subject), textOf(description)].filter(Boolean).join('\n');
    if (thought !== '')
      events.push({ ...stamp, id: `${id ?? ''}.thought${String(i)}`, type: 'thought', text: thought });
  });
  // A message may be written again after later ones, and its text may have grown.
  if (text !== '') events.push({ ...stamp, id: `${id ?? ''}.text.${textId(text)}`, type: 'content', text });
  const calls = listOf(message['toolCalls']).flatMap((value) => callEvents(objectOf(value), stamp));
  // The time of a message is its start, that of a call its end.
  const end = { ...stamp, time: calls.at(-1)?.time ?? stamp.time, id: `${id ?? ''}.end` };
  const usage = tokensOf(message['tokens']);
  // Gemini CLI itself thinks that it has received a sound or video.
  if (parts !== content && events.length + calls.length === 1 && usage === undefined) return [];
  return [...events, ...calls, { ...end, type: 'turn_finished', usage }];
}

function callEvents(call: JsonObject, stamp: Stamp): SessionEvent[] {
  const callId = textOf(call['id']);
  const name = textOf(call['name']) ?? '';
  const own = { ...stamp, time: timeOf(call['timestamp']) ?? stamp.time };
  const request: SessionEvent = {
    ...own,
    id: `call:${callId ?? ''}`,
    type: 'tool_call_request',
    callId,
    name,
    args: { ...objectOf(call['args']) },
  };
  if (call['result'] === undefined || call['result'] === null) return [request];
  const result = resultOf(call['result']);
  const isError = call['status'] === 'error' || call['status'] === 'cancelled' || hasFailed(result);
  return [
    request,
    {
      ...own,
      id: `result:${callId ?? ''}`,
      type: 'tool_result',
      callId,
      result,
      isError,
    },
  ];
}

/** Whether a command failed, which the status does not tell. */
function hasFailed(result: unknown): boolean {
  return typeof result === 'string' && /^Exit Code: [1-9]/m.test(result);
}

/** The content of a function response, without the wrapper, which repeats the call's id. */
function resultOf(result: unknown): unknown {
  const responses = listOf(result).map((part) =>
    objectOf(objectOf(objectOf(part)['functionResponse'])['response']),
  );
  const [only] = responses;
  if (only === undefined || responses.length > 1 || Object.keys(only).length === 0) return result;
  return only['output'] ?? only['error'] ?? only;
}

function tokensOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const thoughts = numberOf(value['thoughts']) ?? 0;
  return {
    inputTokens: (numberOf(value['input']) ?? 0) + (numberOf(value['tool']) ?? 0),
    outputTokens: (numberOf(value['output']) ?? 0) + thoughts,
    cachedInputTokens: numberOf(value['cached']),
    reasoningTokens: thoughts,
  };
}

function usageOf(stats: JsonObject): Usage {
  return {
    inputTokens: numberOf(stats['input_tokens']),
    outputTokens: numberOf(stats['output_tokens']),
    cachedInputTokens: numberOf(stats['cached']),
  };
}
