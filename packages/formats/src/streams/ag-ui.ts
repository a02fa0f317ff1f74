import {
  type Format,
  type FormatReader,
  ignored,
  pending,
  type Reading,
  reading,
  type SessionEvent,
} from '../record/format.ts';
import { type JsonObject, joinedText, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { Turns } from '../record/turns.ts';
import { PendingCalls } from './pending-calls.ts';

const types =
  /^(?:RUN_(?:STARTED|FINISHED|ERROR)|STEP_(?:STARTED|FINISHED)|TEXT_MESSAGE_(?:START|CONTENT|END|CHUNK)|TOOL_CALL_(?:START|ARGS|END|CHUNK|RESULT)|STATE_(?:SNAPSHOT|DELTA)|MESSAGES_SNAPSHOT|ACTIVITY_(?:SNAPSHOT|DELTA)|(?:REASONING|THINKING)_\w+|RAW|CUSTOM)$/;
const texts = new Set(['TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CHUNK']);
const thoughts = new Set([
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_CHUNK',
  'THINKING_TEXT_MESSAGE_CONTENT',
]);

/** Events of the AG-UI protocol. Only run events contain the thread id. */
export const agUi: Format = {
  name: 'ag-ui',
  title: 'an AG-UI stream',
  keys: ['threadId', 'runId', 'messageId', 'toolCallId', 'toolCallName', 'delta', 'rawEvent'],
  recognizes: ({ type }) => typeof type === 'string' && types.test(type),
  createReader: (session) => new AgUiReader(session),
};

class AgUiReader implements FormatReader {
  #sessionId: string | undefined;
  readonly #turns = new Turns();
  readonly #calls = new PendingCalls();

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    this.#sessionId = textOf(record['threadId']) ?? this.#sessionId;
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    const stamp = { sessionId: this.#sessionId, time: timeOf(record['timestamp']) };
    const callId = textOf(record['toolCallId']);
    const key = `${callId ?? ''}\n`;
    const delta = textOf(record['delta']);
    if (delta !== undefined && (texts.has(type) || thoughts.has(type))) {
      const kind = texts.has(type) ? 'content' : 'thought';
      return reading([...this.#turns.output(stamp, undefined), { ...stamp, type: kind, text: delta }]);
    }
    switch (type) {
      case 'RUN_STARTED': {
        const latest = listOf(objectOf(record['input'])['messages']).map(objectOf).at(-1);
        const text = latest?.['role'] === 'user' ? joinedText(latest['content']) : undefined;
        return reading([...this.#turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
      }
      case 'RUN_FINISHED':
      case 'RUN_ERROR': {
        const events = this.#turns.finish(stamp, undefined);
        return events.length === 0 ? ignored(type) : reading(events);
      }
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
      case 'TOOL_CALL_CHUNK':
        this.#calls.add(key, callId, textOf(record['toolCallName']), delta ?? '');
        return pending;
      case 'TOOL_CALL_END': {
        const calls = this.#calls.take(key, stamp);
        return calls.length === 0
          ? ignored(type)
          : reading([...this.#turns.output(stamp, undefined), ...calls]);
      }
      case 'TOOL_CALL_RESULT': {
        // Calls in chunks have no end event.
        const calls = this.#calls.take(key, stamp);
        const before = calls.length === 0 ? [] : [...this.#turns.output(stamp, undefined), ...calls];
        this.#turns.toolResult(stamp);
        const id = callId === undefined ? undefined : `result:${callId}`;
        return reading([
          ...before,
          { ...stamp, id, type: 'tool_result', callId, result: record['content'] ?? '' },
        ]);
      }
      default:
        return ignored(type);
    }
  }

  end(): SessionEvent[] {
    return this.#turns.end();
  }
}
