import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { MessageLog } from '../record/message-log.ts';
import { placeTags } from '../record/place-tags.ts';
import { thoughtIn } from '../wire/blocks.ts';
import { readMessage } from '../wire/messages.ts';
import { plainResult } from '../wire/result.ts';
import { asHarness, usageBy } from './message-log.ts';

const usageNames = {
  input: 'inputOther',
  output: 'output',
  read: 'inputCacheRead',
  write: 'inputCacheCreation',
};
const loopEvent = 'context.append_loop_event';
const mainAgent = 'main';
const namespaced = /^\w+(?:\.\w+)+$|^forked$/;

/**
 * Kimi Code, the successor of Kimi CLI: the records of an agent (`~/.kimi-code/sessions/*` + `/SESSION/agents/AGENT/wire.jsonl`). What
 * the model does is in the events of its steps; other messages are appended whole, as are all messages of a session that was
 * imported from Kimi CLI. `agent.message.appended` repeats both. Forked sessions copy earlier records with their ids.
 * Source: files that `@moonshot-ai/kimi-code` 0.10, 0.35 and 2.1 wrote.
 */
export const kimiCode: Format = {
  name: 'kimi-code',
  title: 'a Kimi Code session',
  hasCopies: true,
  keys: ['type', 'agentId', 'time', 'event', 'message', 'protocol_version', 'created_at'],
  recognizes: ({ type, time, event, message, protocol_version: version }) => {
    if (type === 'metadata') return version !== undefined;
    if (type === loopEvent) return isObject(event);
    if (type === 'context.append_message') return isObject(message);
    return typeof time === 'number' && namespaced.test(nameOf(type));
  },
  createReader: (session) => new KimiCodeReader(session),
};

class KimiCodeReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #log = new MessageLog();
  #messages = 0;
  #step = '';
  #agentVersion: string | undefined;
  #tags: Stamp['tags'];
  /** The name of the model in the settings, and in the requests to it, which earlier versions do not record. */
  #alias: string | undefined;
  #model: string | undefined;
  /** Whether the latest request to the model was that of a step, whose end has its usage. */
  #isOfStep = true;

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    this.#noteFacts(type, record);
    const stamp = this.#stampOf(record);
    if (stamp === undefined) return ignored(`${type} without a session`);
    if (type === loopEvent) return this.#readLoopEvent(objectOf(record['event']), stamp);
    if (type === 'context.append_message') return this.#readMessage(objectOf(record['message']), stamp);
    if (type !== 'usage.record' || this.#isOfStep) return ignored(type);
    return reading([{ ...stamp, type: 'turn_finished', usage: usageBy(record['usage'], usageNames) }]);
  }

  end(): [] {
    return [];
  }

  #noteFacts(type: string, record: JsonObject): void {
    if (type === 'metadata') this.#agentVersion = textOf(record['app_version']);
    if (type === 'llm.request') {
      this.#model = textOf(record['model']) ?? this.#model;
      this.#isOfStep = record['kind'] === undefined || record['kind'] === 'loop';
    }
    if (type !== 'config.update' && type !== 'profile.bind') return;
    const folder = record['cwd'] ?? objectOf(record['environmentDisclosure'])['cwd'];
    this.#tags = placeTags(folder) ?? this.#tags;
    this.#alias = textOf(record['modelAlias']) ?? this.#alias;
  }

  /** The path of a file names its session and sub-agent; in records from elsewhere, those of later versions name the agent. */
  #stampOf({ agentId, time }: JsonObject): Stamp | undefined {
    if (this.#session === undefined) return undefined;
    const agent = textOf(agentId) ?? mainAgent;
    const isOwn = agent === mainAgent || this.#session.endsWith(`/${agent}`);
    const sessionId = isOwn ? this.#session : `${this.#session}/${agent}`;
    return {
      sessionId,
      parentSessionId: /^(.+)\/[^/]+$/.exec(sessionId)?.[1],
      time: timeOf(time),
      model: this.#model ?? this.#alias,
      agent: 'kimi-code',
      agentVersion: this.#agentVersion,
      tags: this.#tags,
    };
  }

  #readMessage(message: JsonObject, stamp: Stamp): Reading {
    this.#messages += 1;
    const id = textOf(message['id']) ?? `${stamp.sessionId}:${String(this.#messages)}`;
    const messages = readMessage(message);
    const isOwn = isWritten(objectOf(message['origin']));
    const events = this.#log.read(isOwn ? messages : asHarness(messages), stamp, id);
    return events.length === 0 ? ignored(`message (${nameOf(message['role'])})`) : reading(events);
  }

  #readLoopEvent(event: JsonObject, stamp: Stamp): Reading {
    const type = nameOf(event['type']);
    if (type === 'step.begin') this.#step = nameOf(event['uuid']);
    // In earlier versions, the id of a call's event is that of the call, which other sessions have, too.
    const own = type.startsWith('step.') ? type : nameOf(event['uuid'] ?? event['parentUuid']);
    const read = eventOf(type, event);
    const id = `${this.#step}:${own}${read?.type === 'tool_result' ? '.result' : ''}`;
    return read === undefined ? ignored(`${loopEvent} (${type})`) : reading([{ ...stamp, id, ...read }]);
  }
}

/** Whether a prompt is the user's, or that of the agent that started this one. */
function isWritten({ kind, trigger, name }: JsonObject): boolean {
  if (kind === undefined || kind === 'user' || trigger === 'user-slash') return true;
  return kind === 'system_trigger' && name === 'subagent';
}

function eventOf(type: string, event: JsonObject) {
  const callId = textOf(event['toolCallId']);
  switch (type) {
    case 'step.begin':
      return { type: 'turn_started' } as const;
    case 'step.end':
      return { type: 'turn_finished', usage: usageBy(event['usage'], usageNames) } as const;
    case 'content.part': {
      const part = objectOf(event['part']);
      const thought = thoughtIn(part);
      const text = textOf(thought ?? part['text']);
      if (text === undefined) return undefined;
      return { type: thought === undefined ? 'content' : 'thought', text } as const;
    }
    case 'tool.call': {
      const { args, name } = event;
      const given = typeof args === 'string' ? args : { ...objectOf(args) };
      return { type: 'tool_call_request', callId, name: textOf(name) ?? '', args: given } as const;
    }
    case 'tool.result': {
      const { output, isError } = objectOf(event['result']);
      const isFailed = isError === true ? true : undefined;
      return { type: 'tool_result', callId, result: plainResult(output), isError: isFailed } as const;
    }
    default:
      return undefined;
  }
}
