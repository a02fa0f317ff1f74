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
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import { placeTags } from '../record/place-tags.ts';
import { isStoredMessage, readStoredMessage } from './opencode-message.ts';
import { usageOf } from './opencode-usage.ts';

/**
 * opencode: storage files (`session/`, `message/` and `part/`), the output of `opencode export`, and the events of
 * `opencode run --format json` and of its server, and the messages of opencode 2. A part is written repeatedly while its tool
 * runs. A fork copies messages under new ids, but with their times, which are before its own (`Session.fork` in opencode).
 */
export const opencode: Format = {
  name: 'opencode',
  title: 'an opencode session',
  keys: [
    'sessionID',
    'messageID',
    'callID',
    'providerID',
    'modelID',
    'part',
    'properties',
    'projectID',
    'info',
  ],
  recognizes: (record) =>
    isExport(record) ||
    isPart(record) ||
    isMessage(record) ||
    isSession(record) ||
    isRunEvent(record) ||
    isMessageOfSession(record) ||
    isBusEvent(record),
  createReader: () => new OpencodeReader(),
};

function isExport(record: JsonObject): boolean {
  return isSession(objectOf(record['info'])) && Array.isArray(record['messages']);
}

function isPart(record: JsonObject): boolean {
  return 'messageID' in record && 'sessionID' in record && 'type' in record;
}

function isMessage(record: JsonObject): boolean {
  return 'sessionID' in record && 'role' in record && isObject(record['time']);
}

function isSession(record: JsonObject): boolean {
  return isObject(record['time']) && ('projectID' in record || ('directory' in record && 'title' in record));
}

function isRunEvent(record: JsonObject): boolean {
  return (
    'sessionID' in record && 'timestamp' in record && (isObject(record['part']) || record['type'] === 'error')
  );
}

function isMessageOfSession(record: JsonObject): boolean {
  return 'sessionID' in record && isStoredMessage(record);
}

function isBusEvent(record: JsonObject): boolean {
  return (
    isObject(record['properties']) &&
    /^(?:message|session|server|file|permission|todo|lsp|storage)\./.test(nameOf(record['type']))
  );
}

/** The message that a part belongs to. */
interface MessageFacts {
  readonly role: string;
  readonly model: string | undefined;
  readonly isCopy: boolean;
}

interface SessionFacts {
  readonly parent: string | undefined;
  readonly tags: Stamp['tags'];
  /** Epoch ms. */
  readonly created: number | undefined;
}

class OpencodeReader implements FormatReader {
  readonly #messages = new Map<string, MessageFacts>();
  readonly #sessions = new Map<string, SessionFacts>();

  read(record: JsonObject): Reading {
    if (isExport(record)) return this.#readExport(record);
    if (isRunEvent(record)) {
      const { part } = record;
      return isObject(part) ? this.#readPart(part, timeOf(record['timestamp']), true) : ignored('error');
    }
    if (isPart(record)) return this.#readPart(record, undefined, true);
    if (isMessage(record)) return this.#readMessage(record);
    if (isMessageOfSession(record)) return this.#readStored(record, nameOf(record['sessionID']));
    if (isSession(record)) return this.#readSession(record);
    const properties = objectOf(record['properties']);
    const { info, part } = properties;
    if (isObject(part)) return this.#readPart(part, undefined, false);
    if (isObject(info)) return isMessage(info) ? this.#readMessage(info) : this.#readSession(info);
    return ignored(nameOf(record['type']));
  }

  end(): SessionEvent[] {
    return [];
  }

  #readExport(record: JsonObject): Reading {
    const session = objectOf(record['info']);
    const readings = [this.#readSession(session)];
    for (const value of listOf(record['messages'])) {
      const message = objectOf(value);
      const { info, parts } = message;
      if (isStoredMessage(message)) {
        readings.push(this.#readStored(message, nameOf(session['id'])));
        continue;
      }
      readings.push(this.#readMessage(objectOf(info)));
      for (const part of listOf(parts)) readings.push(this.#readPart(objectOf(part), undefined, true));
    }
    return {
      events: readings.flatMap(({ events }) => events),
      ignored: readings.flatMap((one) => one.ignored),
    };
  }

  #readSession(session: JsonObject): Reading {
    const id = textOf(session['id']);
    if (id !== undefined)
      this.#sessions.set(id, {
        parent: textOf(session['parentID']),
        tags: placeTags(session['directory']),
        created: createdAt(session),
      });
    return ignored('session');
  }

  #readMessage(message: JsonObject): Reading {
    const id = textOf(message['id']);
    const model = textOf(message['modelID']) ?? textOf(objectOf(message['model'])['modelID']);
    const isCopy = this.#isCopy(message, nameOf(message['sessionID']));
    if (id !== undefined) this.#messages.set(id, { role: nameOf(message['role']), model, isCopy });
    return ignored(isCopy ? 'message (copied)' : 'message');
  }

  #readStored(message: JsonObject, sessionId: string): Reading {
    if (this.#isCopy(message, sessionId)) return ignored('message (copied)');
    const { parent, tags } = this.#sessions.get(sessionId) ?? {};
    return readStoredMessage(message, { sessionId, parentSessionId: parent, tags });
  }

  /** Whether a message is older than its session. */
  #isCopy(message: JsonObject, sessionId: string): boolean {
    const { created = 0 } = this.#sessions.get(sessionId) ?? {};
    return (createdAt(message) ?? created) < created;
  }

  /** @param isWhole whether parts are written once, when complete, rather than while their text grows */
  #readPart(part: JsonObject, time: number | undefined, isWhole: boolean): Reading {
    const type = nameOf(part['type']);
    const sessionId = textOf(part['sessionID']);
    if (sessionId === undefined) return ignored(`part (${type}) without a session`);
    const message = this.#messages.get(nameOf(part['messageID']));
    if (message?.isCopy === true) return ignored(`part (${type}, copied)`);
    const { parent, tags } = this.#sessions.get(sessionId) ?? {};
    const times = objectOf(part['time'] ?? objectOf(part['state'])['time']);
    const stamp = {
      sessionId,
      parentSessionId: parent,
      tags,
      time: timeOf(times['start']) ?? time,
      agent: 'opencode',
      model: message?.model,
    };
    const id = textOf(part['id']);
    const text = textOf(part['text']);
    switch (type) {
      case 'text':
      case 'reasoning': {
        if (text === undefined || part['synthetic'] === true) return ignored(`part (${type})`);
        if (message?.role === 'user') return reading([{ ...stamp, id, type: 'prompt_started', text }]);
        if (!isWhole && timeOf(times['end']) === undefined) return ignored(`part (${type}, unfinished)`);
        return reading([{ ...stamp, id, type: type === 'text' ? 'content' : 'thought', text }]);
      }
      case 'tool':
        return readTool(part, stamp);
      case 'step-start':
        return reading([{ ...stamp, id, type: 'turn_started' }]);
      case 'step-finish': {
        const costUsd = numberOf(part['cost']);
        return reading([{ ...stamp, id, type: 'turn_finished', usage: usageOf(part['tokens']), costUsd }]);
      }
      default:
        return ignored(`part (${type})`);
    }
  }
}

function createdAt({ time }: JsonObject): number | undefined {
  return timeOf(objectOf(time)['created']);
}

function readTool(part: JsonObject, stamp: Stamp): Reading {
  const state = objectOf(part['state']);
  const status = nameOf(state['status']);
  const callId = textOf(part['callID']) ?? textOf(part['id']);
  if (status === 'pending') return ignored('part (tool, pending)');
  const name = textOf(part['tool']) ?? '';
  const args = { ...objectOf(state['input']) };
  const events: SessionEvent[] = [
    { ...stamp, id: `call:${callId ?? ''}`, type: 'tool_call_request', callId, name, args },
  ];
  if (status === 'completed' || status === 'error') {
    const time = timeOf(objectOf(state['time'])['end']) ?? stamp.time;
    const isError = status === 'error';
    const result = (isError ? state['error'] : state['output']) ?? '';
    events.push({
      ...stamp,
      time,
      id: `result:${callId ?? ''}`,
      type: 'tool_result',
      callId,
      result,
      isError,
    });
  }
  return reading(events);
}
