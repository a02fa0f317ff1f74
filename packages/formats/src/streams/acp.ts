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
    isStored(record) ||
    (record['jsonrpc'] === '2.0' &&
      (nameOf(record['method']).startsWith('session/') || isObject(record['result']))),
  createReader: () => new AcpReader(),
};

function isStored(record: JsonObject): boolean {
  const { method, params, timestamp } = record;
  return typeof timestamp === 'number' && isObject(params) && /^(?:_x\.ai\/)?session\//.test(nameOf(method));
}

interface OpenCall {
  name: string;
  args: JsonObject | undefined;
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
    return [...this.#turns.values()].flatMap((turns) => turns.end());
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
      (): OpenCall => ({ name: 'other', args: undefined, isReported: false }),
    );
    const tool = objectOf(objectOf(update['_meta'])['x.ai/tool']);
    call.name = textOf(tool['name']) ?? textOf(update['kind']) ?? call.name;
    if (isObject(update['rawInput'])) call.args = update['rawInput'];
    const status = textOf(update['status']);
    const isOver = status === 'completed' || status === 'failed';
    const events: SessionEvent[] = [];
    if (!call.isReported && (call.args !== undefined || isOver)) {
      call.isReported = true;
      const args = { ...(call.args ?? { title: update['title'] }) };
      const request: SessionEvent = {
        ...stamp,
        id: `call:${callId}`,
        type: 'tool_call_request',
        callId,
        name: call.name,
        args,
      };
      events.push(...turns.output(stamp, undefined), request);
    }
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
        result,
        isError: status === 'failed',
      });
    }
    return events.length === 0 ? pending : reading(events);
  }
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
