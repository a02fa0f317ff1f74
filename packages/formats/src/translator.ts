import {
  type AgentEvent,
  type DeadLetterReason,
  exceededLimit,
  type FormatName,
  messageOf,
} from '@loopwatch/contract';
import { canonical } from './canonical.ts';
import type { Enveloped, Format, FormatReader } from './record/format.ts';
import { isObject, type JsonObject, textOf } from './record/json.ts';
import { formatOf, nearestFormat, recognise } from './registry.ts';

/** What became of one value of the input. */
export interface Translation {
  readonly events: readonly AgentEvent[];
  /** Types of what was read and holds nothing to be judged. */
  readonly ignored: readonly string[];
  /** Parts of the value that could not be read. */
  readonly faults: readonly Fault[];
  /** Whether the events may be copies out of another session, to be told by their ids. */
  readonly hasCopies: boolean;
  /** Whether the value is a piece of something that is told once it is whole. */
  readonly isPiece: boolean;
  /** Whether the value is an event of ours as it stands. */
  readonly isCanonical: boolean;
}

/** Why something could not be read. */
export interface Fault {
  readonly reason: DeadLetterReason;
  readonly message: string;
}

export interface TranslatorOptions {
  /** A format's name; `auto` tells the format by each record, and where that is not enough by those before it. */
  readonly format: FormatName | 'auto';
  /** The session of records that name none. */
  readonly session?: string | undefined;
}

/** A record may hold a whole conversation: more than an event may. */
const MAX_RECORD_PARTS = 5_000_000;
/** Sessions of envelopes whose readers are remembered. */
const MAX_ENVELOPES = 1000;
const sseField = /^(?:event|id|retry):|^:/;
const ssePrefix = 'data:';
const sseEnd = '[DONE]';
const none: Translation = {
  events: [],
  ignored: [],
  faults: [],
  hasCopies: false,
  isPiece: false,
  isCanonical: false,
};

/**
 * Turns the records of one file, request or stream into canonical events. A record that cannot be read is a fault, one
 * without anything to judge is counted by its type: nothing is dropped in silence.
 */
export class Translator {
  readonly #options: TranslatorOptions;
  readonly #readers = new Map<Format, FormatReader>();
  readonly #envelopes = new Map<string, Translator>();
  #latest: Format | undefined;

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  /** Names of the formats that were read so far. */
  get formats(): string[] {
    return [...this.#readers.keys()].map(({ name }) => name);
  }

  /** Reads one text: a line of a file, an element of a body, a frame of a server-sent event. */
  read(text: string): Translation {
    const json = unframed(text);
    if (json === '') return none;
    const excess = exceededLimit(json, MAX_RECORD_PARTS);
    if (excess !== undefined) return fault('too_complex', excess);
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      return fault('not_json', messageOf(error));
    }
    const translated = this.readValue(value);
    // One event of ours is worked on in one go, and has narrower bounds.
    const tooMuch = translated.isCanonical ? exceededLimit(json) : undefined;
    return tooMuch === undefined ? translated : fault('too_complex', tooMuch);
  }

  /** Reads a value that is parsed already; of an array, each element. */
  readValue(value: unknown): Translation {
    if (isObject(value)) return this.#readRecord(value);
    if (!Array.isArray(value) || value.length === 0)
      return fault('not_an_object', `expected a JSON object, got ${describe(value)}`);
    const record = messagesOf(value);
    if (record !== undefined) return this.#readRecord(record);
    const parts = value.map((element) => this.readValue(element));
    return {
      events: parts.flatMap(({ events }) => events),
      ignored: parts.flatMap(({ ignored }) => ignored),
      faults: parts.flatMap(({ faults }) => faults),
      hasCopies: parts.some(({ hasCopies }) => hasCopies),
      isPiece: parts.some(({ isPiece }) => isPiece),
      isCanonical: false,
    };
  }

  /** The events that were waiting for more, at the end of the file or request. */
  end(): readonly AgentEvent[] {
    return [...this.#readers.values(), ...this.#envelopes.values()].flatMap((one) => one.end());
  }

  #readRecord(record: JsonObject): Translation {
    const { format: name } = this.#options;
    const asked = name === 'auto' ? undefined : formatOf(name);
    const format = asked ?? this.#formatOf(record);
    if (format === undefined) return this.#unrecognised(record);
    if (asked !== undefined && !asked.recognises(record)) return this.#mismatch(record, asked);
    this.#latest = format;
    const content = format.unwrap?.(record);
    if (content !== undefined) {
      return enveloped(this.#inner(content.session).readValue(content.value), content);
    }
    let reader = this.#readers.get(format);
    if (reader === undefined) {
      reader = format.createReader(this.#options.session);
      this.#readers.set(format, reader);
    }
    const { events, ignored, isPiece = false } = reader.read(record);
    // What holds nothing, a repeated event for example, is counted like what says nothing.
    const isNothing = events.length === 0 && ignored.length === 0 && !isPiece;
    const types = isNothing ? [textOf(record['type']) ?? format.name] : ignored;
    const { hasCopies = false } = format;
    return { ...none, events, ignored: types, hasCopies, isPiece, isCanonical: format === canonical };
  }

  /** Reads what the envelopes of one session hold. */
  #inner(session: string | undefined): Translator {
    const key = session ?? '';
    const inner =
      this.#envelopes.get(key) ??
      new Translator({ format: 'auto', session: session ?? this.#options.session });
    this.#envelopes.set(key, inner);
    if (this.#envelopes.size > MAX_ENVELOPES) {
      const [oldest] = this.#envelopes.keys();
      if (oldest !== undefined) this.#envelopes.delete(oldest);
    }
    return inner;
  }

  #formatOf(record: JsonObject): Format | undefined {
    return this.#latest?.recognises(record) === true ? this.#latest : recognise(record);
  }

  /** Among records of another format it is one that says nothing; alone it may be an event of a type to come. */
  #unrecognised(record: JsonObject): Translation {
    const type = textOf(record['type']);
    if (this.#latest !== undefined && this.#latest !== canonical)
      return { ...none, ignored: [type ?? 'unknown'] };
    // Whether it is an event of ours is for the check of events to say, unless it is nearer to something else.
    if ('sessionId' in record && (type !== undefined || nearestFormat(record) === undefined))
      return {
        ...none,
        events: [record as AgentEvent],
        ignored: type === undefined ? [] : [type],
        isCanonical: true,
      };
    return fault('unknown_format', `no known format has such records${nearestHint(record)}`);
  }

  #mismatch(record: JsonObject, { name }: Format): Translation {
    const other = recognise(record);
    if (other !== undefined)
      return fault(
        'unknown_format',
        `this is ${other.title}: use the format ${other.name} instead of ${name}`,
      );
    if (this.#latest !== undefined) return { ...none, ignored: [textOf(record['type']) ?? 'unknown'] };
    return fault('unknown_format', `this is no record of the format ${name}${nearestHint(record)}`);
  }
}

/** What was in an envelope, which also says what our own events in it leave out; as it stands it is none of them. */
function enveloped(inner: Translation, { session, id }: Enveloped): Translation {
  const events = inner.events.map((event, i) => ({
    ...event,
    ...(session !== undefined && event.sessionId == null && { sessionId: session }),
    ...(id !== undefined && event.id == null && { id: `${id}.${String(i)}` }),
  }));
  return { ...inner, events, isCanonical: false };
}

/** The nearest format of a record that none recognises, as a sentence's end. */
function nearestHint(record: JsonObject): string {
  const nearest = nearestFormat(record);
  return nearest === undefined
    ? `; Loopwatch's own events have "sessionId" and "type"`
    : `; the nearest is ${nearest.name} (${nearest.title})`;
}

function fault(reason: DeadLetterReason, message: string): Translation {
  return { ...none, faults: [{ reason, message }] };
}

/** The JSON of a line, which may be a line of a stream of server-sent events. */
function unframed(text: string): string {
  const line = text.trim();
  if (line.startsWith(ssePrefix)) {
    const data = line.slice(ssePrefix.length).trim();
    return data === sseEnd ? '' : data;
  }
  return sseField.test(line) ? '' : line;
}

/** An array of messages is one conversation. */
function messagesOf(value: readonly unknown[]): JsonObject | undefined {
  const [first] = value;
  const isMessage = isObject(first) && 'role' in first && !('uuid' in first) && !('messages' in first);
  return isMessage ? { messages: value } : undefined;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an empty array' : `a ${typeof value}`;
}
