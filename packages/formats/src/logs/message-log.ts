import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, numberOf, tokensOf } from '../record/json.ts';
import type { Message, Usage } from '../record/message.ts';
import { MessageLog } from '../record/message-log.ts';

/** What a record of a log holds. */
export interface LogRecord extends Omit<Stamp, 'sessionId' | 'parentSessionId'> {
  /** The producer's name for the record, or of a part of it. */
  readonly type: string;
  /** Like the model, agent, version and tags, of this record and of those after it. */
  readonly sessionId?: string | undefined;
  readonly parentSessionId?: string | undefined;
  /** Id of a sub-agent within the session. */
  readonly subAgent?: string | undefined;
  readonly id?: string | undefined;
  /** None if the record is irrelevant to loops. */
  readonly messages?: readonly Message[] | undefined;
}

/** A format whose records each hold messages that none of the others repeats. */
export interface LogFormat extends Omit<Format, 'createReader' | 'unwrap'> {
  /** Name of the agent, if its log does not say. */
  readonly agent?: string;
  /** A document with several records. */
  recordsIn?(record: JsonObject): readonly JsonObject[] | undefined;
  read(record: JsonObject): LogRecord;
}

/** The format of a log of messages. */
export function messageLog(format: LogFormat): Format {
  return { ...format, createReader: (session) => new LogReader(format, session) };
}

class LogReader implements FormatReader {
  readonly #format: LogFormat;
  readonly #log = new MessageLog();
  /** Facts of the latest records that state them. */
  #facts: Pick<LogRecord, 'sessionId' | 'parentSessionId' | 'model' | 'agent' | 'agentVersion' | 'tags'>;

  constructor(format: LogFormat, sessionId: string | undefined) {
    this.#format = format;
    this.#facts = { sessionId, agent: format.agent };
  }

  read(record: JsonObject): Reading {
    const records = this.#format.recordsIn?.(record);
    if (records === undefined) return this.#read(record);
    const readings = records.map((one) => this.#read(one));
    return {
      events: readings.flatMap(({ events }) => events),
      ignored: readings.flatMap((one) => one.ignored),
    };
  }

  end(): [] {
    return [];
  }

  #read(record: JsonObject): Reading {
    const { type, messages = [], id, time, subAgent, ...own } = this.#format.read(record);
    const known = Object.entries(own).filter(([, fact]) => fact !== undefined);
    this.#facts = { ...this.#facts, ...Object.fromEntries(known) };
    if (messages.every(({ role }) => role === 'system')) return ignored(type);
    const { sessionId, parentSessionId, ...facts } = this.#facts;
    if (sessionId === undefined) return ignored(`${type} without a session`);
    const session =
      subAgent === undefined
        ? { sessionId, parentSessionId }
        : { sessionId: `${sessionId}/${subAgent}`, parentSessionId: sessionId };
    return reading(this.#log.read(messages, { ...facts, ...session, time }, id));
  }
}

/** Adds the usage of a model's response to its message. */
export function withUsage(
  messages: readonly Message[],
  usage: Usage | undefined,
  costUsd?: number,
): Message[] {
  return messages.map((message) => (message.role === 'assistant' ? { ...message, usage, costUsd } : message));
}

/** Marks prompts that the user did not write. */
export function asHarness(messages: readonly Message[]): Message[] {
  return messages.map((message) => (message.role === 'user' ? { ...message, origin: 'harness' } : message));
}

/** The cost of a response; a cost of 0 is that of a subscription, which says nothing. */
export function costOf(value: unknown): number | undefined {
  const cost = numberOf(value);
  return cost === 0 ? undefined : cost;
}

/** Usage by these names of the numbers of tokens; `input` excludes cached ones. */
export function usageBy(
  value: unknown,
  names: { readonly input: string; readonly output: string; readonly read: string; readonly write: string },
): Usage | undefined {
  if (!isObject(value)) return undefined;
  const tokens = (name: string) => tokensOf(value[name]) ?? 0;
  const cachedInputTokens = tokens(names.read);
  const cacheWriteTokens = tokens(names.write);
  return {
    inputTokens: tokens(names.input) + cachedInputTokens + cacheWriteTokens,
    outputTokens: tokens(names.output),
    cachedInputTokens,
    cacheWriteTokens,
  };
}
