import {
  type Format,
  type FormatReader,
  ignored,
  piece,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, joinedText, listOf, objectOf, textOf } from '../record/json.ts';
import { Turns } from '../record/turns.ts';

/** Calls and sessions that are remembered. */
const MAX_REMEMBERED = 1000;

/** Messages of the Agent Client Protocol. A call has no name there: its kind and its raw input tell it from others. */
export const acp: Format = {
  name: 'acp',
  title: 'an Agent Client Protocol stream',
  keys: ['jsonrpc', 'method', 'params', 'result', 'id'],
  recognises: (record) =>
    record['jsonrpc'] === '2.0' &&
    (String(record['method']).startsWith('session/') || isObject(record['result'])),
  createReader: () => new AcpReader(),
};

interface OpenCall {
  kind: string;
  args: JsonObject | undefined;
  isTold: boolean;
}

class AcpReader implements FormatReader {
  readonly #turns = new Map<string, Turns>();
  readonly #calls = new Map<string, OpenCall>();

  read(record: JsonObject): Reading {
    const method = textOf(record['method']) ?? 'response';
    const params = objectOf(record['params']);
    const sessionId = textOf(params['sessionId']);
    if (sessionId === undefined) return ignored(method);
    const stamp = { sessionId };
    const turns = this.#turnsOf(sessionId);
    if (method === 'session/prompt') {
      const text = joinedText(params['prompt']);
      return reading([...turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
    }
    const update = objectOf(params['update']);
    const kind = textOf(update['sessionUpdate']);
    if (method !== 'session/update' || kind === undefined) return ignored(method);
    const text = joinedText([update['content']]);
    if (kind === 'agent_message_chunk' && text !== '')
      return reading([...turns.answer(stamp, undefined), { ...stamp, type: 'content', text }]);
    if (kind === 'agent_thought_chunk' && text !== '')
      return reading([...turns.answer(stamp, undefined), { ...stamp, type: 'thought', text }]);
    if (kind === 'tool_call' || kind === 'tool_call_update') return this.#readCall(update, turns, stamp);
    return ignored(kind);
  }

  end(): SessionEvent[] {
    return [...this.#turns.values()].flatMap((turns) => turns.end());
  }

  #turnsOf(sessionId: string): Turns {
    return remembered(this.#turns, sessionId, () => new Turns());
  }

  #readCall(update: JsonObject, turns: Turns, stamp: Stamp): Reading {
    const callId = textOf(update['toolCallId']);
    if (callId === undefined) return ignored('tool_call without an id');
    const call = remembered(
      this.#calls,
      `${stamp.sessionId}\n${callId}`,
      (): OpenCall => ({ kind: 'other', args: undefined, isTold: false }),
    );
    call.kind = textOf(update['kind']) ?? call.kind;
    if (isObject(update['rawInput'])) call.args = update['rawInput'];
    const status = textOf(update['status']);
    const isOver = status === 'completed' || status === 'failed';
    const events: SessionEvent[] = [];
    if (!call.isTold && (call.args !== undefined || isOver)) {
      call.isTold = true;
      const args = { ...(call.args ?? { title: update['title'] }) };
      const request: SessionEvent = {
        ...stamp,
        id: `call:${callId}`,
        type: 'tool_call_request',
        callId,
        name: call.kind,
        args,
      };
      events.push(...turns.answer(stamp, undefined), request);
    }
    if (isOver) {
      turns.act(stamp);
      const shown = joinedText(listOf(update['content']).map((part) => objectOf(part)['content']));
      const result = update['rawOutput'] ?? shown;
      events.push({
        ...stamp,
        id: `result:${callId}`,
        type: 'tool_result',
        callId,
        result,
        isError: status === 'failed',
      });
    }
    return events.length === 0 ? piece : reading(events);
  }
}

/** The value of a key, made where there is none; the oldest gives way. */
function remembered<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  return value;
}
