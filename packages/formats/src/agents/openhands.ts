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
import { Turns } from '../record/turns.ts';

/** Arguments in which the model comments on a call. */
const comments = new Set(['kind', 'thought', 'summary', 'security_risk']);
const hookFeedback = /^\[(?:\w+ )?hook feedback\]/i;
/** Actions and observations of older events that are not tool calls. */
const inner = new Set([
  'message',
  'system',
  'change_agent_state',
  'recall',
  'condensation',
  'null',
  'delegate',
]);

/**
 * OpenHands: events of its agent SDK (`kind`) and of older versions (`action` and `observation`), one per file or line.
 * They contain no conversation id; the name of their folder does. Runs of the evaluation (`output.jsonl`) list theirs.
 */
export const openhands: Format = {
  name: 'openhands',
  title: 'OpenHands events',
  keys: [
    'id',
    'timestamp',
    'source',
    'kind',
    'action',
    'observation',
    'tool_call_id',
    'llm_response_id',
    'cause',
    'extras',
  ],
  recognizes: (record) => isEvent(record) || isRun(record),
  createReader: (session) => new OpenHandsReader(session),
};

function isEvent(record: JsonObject): boolean {
  return 'source' in record && 'timestamp' in record && (isSdkEvent(record) || isOlderEvent(record));
}

/** Whether a record is a line of `output.jsonl`, a whole run of the evaluation. */
function isRun(record: JsonObject): boolean {
  return 'instance_id' in record && historyOf(record).some(isEvent);
}

/** Older runs list pairs of an action and its observation. */
function historyOf(record: JsonObject): readonly JsonObject[] {
  return listOf(record['history']).flat().map(objectOf);
}

function isSdkEvent({ kind }: JsonObject): boolean {
  return typeof kind === 'string' && /Event$|^Condensation|Observation$|^Pause/.test(kind);
}

function isOlderEvent(record: JsonObject): boolean {
  return (
    (typeof record['action'] === 'string' && isObject(record['args'])) ||
    typeof record['observation'] === 'string'
  );
}

function readRun(record: JsonObject): Reading {
  const reader = new OpenHandsReader(textOf(record['instance_id']));
  const readings = historyOf(record).map((event) => reader.read(event));
  return {
    events: [...readings.flatMap(({ events }) => events), ...reader.end()],
    ignored: readings.flatMap((one) => one.ignored),
  };
}

interface EventStamp extends Stamp {
  readonly id: string | undefined;
}

class OpenHandsReader implements FormatReader {
  readonly #sessionId: string | undefined;
  readonly #turns = new Turns();

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    if (isRun(record)) return readRun(record);
    const kind =
      textOf(record['kind']) ?? textOf(record['action']) ?? textOf(record['observation']) ?? 'event';
    if (this.#sessionId === undefined) return ignored(`${kind} without a session`);
    const id = typeof record['id'] === 'number' ? nameOf(record['id']) : textOf(record['id']);
    const stamp = { sessionId: this.#sessionId, time: timeOf(record['timestamp']), id, agent: 'openhands' };
    return isSdkEvent(record) ? this.#readSdk(kind, record, stamp) : this.#readOlder(kind, record, stamp);
  }

  end(): SessionEvent[] {
    return this.#turns.end();
  }

  #readSdk(kind: string, record: JsonObject, stamp: EventStamp): Reading {
    const callId = textOf(record['tool_call_id']);
    switch (kind) {
      case 'ActionEvent': {
        const name = textOf(record['tool_name']) ?? '';
        const thought = textOf(record['reasoning_content']);
        return this.#call(
          {
            callId,
            name,
            args: withoutComments(record['action']),
            text: joinedText(record['thought']),
            thought,
          },
          stamp,
        );
      }
      case 'ObservationEvent': {
        const observation = objectOf(record['observation']);
        const code =
          numberOf(observation['exit_code']) ?? numberOf(objectOf(observation['metadata'])['exit_code']);
        const isError = observation['is_error'] === true || (code !== undefined && code > 0);
        return this.#result(
          callId,
          joinedText(observation['content']) || observation['content'],
          isError,
          stamp,
        );
      }
      case 'AgentErrorEvent':
        return this.#result(callId, record['error'], true, stamp);
      case 'UserRejectObservation':
        return this.#result(callId, record['rejection_reason'] ?? 'Action rejected', true, stamp);
      case 'MessageEvent':
        return this.#message(record['source'], joinedText(objectOf(record['llm_message'])['content']), stamp);
      default:
        return ignored(kind);
    }
  }

  #readOlder(kind: string, record: JsonObject, stamp: EventStamp): Reading {
    const metadata = objectOf(record['tool_call_metadata']);
    const args = objectOf(record['args']);
    if (typeof record['observation'] === 'string') {
      if (inner.has(kind) || !('cause' in record)) return ignored(kind);
      const callId = textOf(metadata['tool_call_id']) ?? nameOf(record['cause']);
      const code = numberOf(objectOf(objectOf(record['extras'])['metadata'])['exit_code']);
      return this.#result(
        callId,
        record['content'] ?? '',
        kind === 'error' || (code !== undefined && code > 0),
        stamp,
      );
    }
    if (kind === 'message') return this.#message(record['source'], textOf(args['content']) ?? '', stamp);
    if (inner.has(kind) || record['source'] !== 'agent') return ignored(kind);
    const callId = textOf(metadata['tool_call_id']) ?? stamp.id;
    const name = textOf(metadata['function_name']) ?? kind;
    return this.#call(
      { callId, name, args: withoutComments(args), text: textOf(args['thought']), thought: undefined },
      stamp,
    );
  }

  #call(call: Call, stamp: EventStamp): Reading {
    const { callId, name, args, text, thought } = call;
    const { id } = stamp;
    const events = this.#turns.output(stamp, id);
    if (thought !== undefined)
      events.push({ ...stamp, id: suffixed(id, 'thought'), type: 'thought', text: thought });
    if (text !== undefined && text !== '')
      events.push({ ...stamp, id: suffixed(id, 'text'), type: 'content', text });
    return reading([...events, { ...stamp, type: 'tool_call_request', callId, name, args }]);
  }

  #result(callId: string | undefined, result: unknown, isError: boolean, stamp: EventStamp): Reading {
    this.#turns.toolResult(stamp);
    return reading([{ ...stamp, type: 'tool_result', callId, result: result ?? '', isError }]);
  }

  #message(source: unknown, text: string, stamp: EventStamp): Reading {
    if (text === '') return ignored('message');
    if (source === 'agent')
      return reading([...this.#turns.output(stamp, stamp.id), { ...stamp, type: 'content', text }]);
    // Hooks speak as the environment, or in the user's name.
    const origin = source === 'user' && !hookFeedback.test(text) ? undefined : 'harness';
    return reading([
      ...this.#turns.finish(stamp, stamp.id),
      { ...stamp, type: 'prompt_started', text, origin },
    ]);
  }
}

interface Call {
  readonly callId: string | undefined;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly text: string | undefined;
  readonly thought: string | undefined;
}

function withoutComments(action: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(objectOf(action)).filter(([key]) => !comments.has(key)));
}

function suffixed(id: string | undefined, suffix: string): string | undefined {
  return id === undefined ? undefined : `${id}.${suffix}`;
}
