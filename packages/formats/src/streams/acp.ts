import {
  type Format,
  type FormatReader,
  ignored,
  pending,
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
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import { Turns } from '../record/turns.ts';
import { grokResult } from '../wire/grok-result.ts';

/** Calls and sessions to remember. */
const MAX_REMEMBERED = 1000;

/**
 * Messages of the Agent Client Protocol. Its calls have no tool name, so their kind is used instead. Grok stores each update of a
 * session with its time instead of the protocol's version, and adds the name of the tool.
 */
export const acp: Format = {
  name: 'acp',
  title: 'an Agent Client Protocol stream',
  keys: ['jsonrpc', 'method', 'params', 'result', 'id'],
  recognizes: (record) =>
    isStored(record) || (record['jsonrpc'] === '2.0' && (isMethod(record) || isObject(record['result']))),
  createReader: () => new AcpReader(),
};

/** Of an agent, and of its client, which reads files and runs commands for it. */
const methods = /^(?:session\/|authenticate$|(?:fs|terminal)\/)/;

/** Other protocols have `initialize` too, but their versions are no numbers. */
function isMethod({ method, params }: JsonObject): boolean {
  const isFirst = method === 'initialize' && typeof objectOf(params)['protocolVersion'] === 'number';
  return isFirst || methods.test(nameOf(method));
}

function isStored(record: JsonObject): boolean {
  const { method, params, timestamp } = record;
  return typeof timestamp === 'number' && isObject(params) && /^(?:_x\.ai\/)?session\//.test(nameOf(method));
}

interface OpenCall {
  readonly stamp: Stamp;
  name: string;
  args: JsonObject | string | undefined;
  isReported: boolean;
}

class AcpReader implements FormatReader {
  readonly #turns = new Map<string, Turns>();
  readonly #calls = new Map<string, OpenCall>();

  read(record: JsonObject): Reading {
    const method = textOf(record['method']) ?? 'response';
    const params = objectOf(record['params']);
    const sessionId = textOf(params['sessionId']);
    if (sessionId === undefined) return ignored(method);
    const isOfGrok = isStored(record);
    const time = timeOf(objectOf(params['_meta'])['agentTimestampMs'] ?? record['timestamp']);
    const stamp = isOfGrok ? { sessionId, time, agent: 'grok' } : { sessionId };
    const turns = this.#turnsOf(sessionId);
    if (method === 'session/prompt') {
      const text = joinedText(params['prompt']);
      return reading([...turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
    }
    const update = objectOf(params['update']);
    const kind = textOf(update['sessionUpdate']);
    if (method !== 'session/update' || kind === undefined) return ignored(method);
    const text = joinedText([update['content']]);
    // Others send it for the history of a session that they load.
    if (kind === 'user_message_chunk' && isOfGrok)
      return reading([...turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
    if (kind === 'agent_message_chunk' && text !== '')
      return reading([...turns.output(stamp, undefined), { ...stamp, type: 'content', text }]);
    if (kind === 'agent_thought_chunk' && text !== '')
      return reading([...turns.output(stamp, undefined), { ...stamp, type: 'thought', text }]);
    if (kind === 'tool_call' || kind === 'tool_call_update') return this.#readCall(update, turns, stamp);
    return ignored(kind);
  }

  end(): SessionEvent[] {
    const calls = [...this.#calls.entries()].filter(
      ([, call]) => !call.isReported && call.args !== undefined,
    );
    return [
      ...calls.map(([key, call]) => requestOf(call, key.slice(key.indexOf('\n') + 1), undefined)),
      ...[...this.#turns.values()].flatMap((turns) => turns.end()),
    ];
  }

  #turnsOf(sessionId: string): Turns {
    return getOrCreate(this.#turns, sessionId, () => new Turns());
  }

  #readCall(update: JsonObject, turns: Turns, stamp: Stamp): Reading {
    const callId = textOf(update['toolCallId']);
    if (callId === undefined) return ignored('tool_call without an id');
    const call = getOrCreate(
      this.#calls,
      `${stamp.sessionId}\n${callId}`,
      (): OpenCall => ({ stamp, name: 'other', args: undefined, isReported: false }),
    );
    const tool = objectOf(objectOf(update['_meta'])['x.ai/tool']);
    call.name = textOf(tool['name']) ?? textOf(update['kind']) ?? call.name;
    call.args = argsOf(update['rawInput']) ?? call.args;
    const status = textOf(update['status']);
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
    // Some agents announce a call before its arguments, with an empty object.
    const hasArgs = call.args !== undefined && JSON.stringify(call.args) !== '{}';
    const events: SessionEvent[] = [];
    if (!call.isReported && (hasArgs || isOver))
      events.push(...turns.output(stamp, undefined), requestOf({ ...call, stamp }, callId, update['title']));
    call.isReported ||= events.length > 0;
    if (isOver) {
      turns.toolResult(stamp);
      const shown = joinedText(listOf(update['content']).map((part) => objectOf(part)['content']));
      const raw = update['rawOutput'];
      const result = (stamp.agent === 'grok' ? grokResult(raw) : raw) ?? shown;
      events.push({
        ...stamp,
        id: `result:${callId}`,
        type: 'tool_result',
        callId,
        result: status === 'cancelled' && result === '' ? status : result,
        isError: status !== 'completed',
      });
    }
    return events.length === 0 ? pending : reading(events);
  }
}

/** Any JSON can be the input of a call; undefined if there is none. */
function argsOf(input: unknown): OpenCall['args'] {
  if (input === undefined || input === null || input === '') return undefined;
  return isObject(input) || typeof input === 'string' ? input : { input };
}

/** @param title tells a call apart that has no arguments */
function requestOf({ stamp, name, args }: OpenCall, callId: string, title: unknown): SessionEvent {
  const given = typeof args === 'string' ? args : { ...(args ?? { title }) };
  return { ...stamp, id: `call:${callId}`, type: 'tool_call_request', callId, name, args: given };
}

/** The value of a key, created if absent; evicts the oldest one. */
function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  return value;
}
