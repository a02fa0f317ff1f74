import {
  type AgentEvent,
  type DeadLetterReason,
  exceededLimit,
  type FormatName,
  messageOf,
} from '@loopwatch/contract';
import { canonical } from './canonical.ts';
import { conversationIn, type Document, documentIn, inOrder } from './documents.ts';
import type { EnvelopeContent, Format, FormatReader } from './record/format.ts';
import { isObject, type JsonObject, listOf, textOf } from './record/json.ts';
import { ParallelAgents } from './record/parallel-agents.ts';
import { pythonJson } from './record/python-json.ts';
import type { TelemetryMemory } from './record/telemetry-memory.ts';
import { formatOf, nearestFormat, recognize } from './registry.ts';

/** The result of translating one value of the input. */
export interface Translation {
  readonly events: readonly AgentEvent[];
  /** Types of records, or of their parts, that are irrelevant to loops. */
  readonly ignored: readonly string[];
  /** Errors in parts of the value. */
  readonly faults: readonly Fault[];
  /** Whether the value yields events later, for example because it is a chunk of a call's arguments. */
  readonly isPending: boolean;
  /** Whether the value is itself a canonical event. */
  readonly isCanonical: boolean;
  /** Records in the value; more than one in a list. */
  readonly records: number;
  /** Those among the ignored records that were not understood, rather than known to be irrelevant. */
  readonly unknown: number;
}

/** Why a value was rejected. */
export interface Fault {
  readonly reason: DeadLetterReason;
  readonly message: string;
}

export interface TranslatorOptions {
  /** Format of the records; `auto` detects it from each record, or if necessary from the previous ones. */
  readonly format: FormatName | 'auto';
  /** Session id of records without one. */
  readonly session?: string | undefined;
  /**
   * Shared by the translators of several requests or files with telemetry, each of which may refer to others. Without it, the
   * records are those of a file, whose telemetry is read as a whole at the end.
   */
  readonly memory?: TelemetryMemory | undefined;
  /** Whether an event is a copy from another session, and is left out. Asked for events of formats that have copies. */
  readonly isCopy?: ((event: AgentEvent) => boolean) | undefined;
}

/** A record can contain a whole conversation, so it can have more parts than an event. */
const MAX_RECORD_PARTS = 5_000_000;
/** Sessions of envelopes to keep readers for. */
const MAX_ENVELOPES = 1000;
const sseField = /^(?:event|id|retry):|^:/;
const ssePrefix = 'data:';
const sseEnd = '[DONE]';
const none: Translation = {
  events: [],
  ignored: [],
  faults: [],
  isPending: false,
  isCanonical: false,
  records: 0,
  unknown: 0,
};
const unread = / without a session$/;

/**
 * Translates the records of one file, request or stream into canonical events. Nothing is dropped silently: an invalid
 * record is a fault, and an irrelevant one is counted by its type.
 */
export class Translator {
  readonly #options: TranslatorOptions;
  readonly #readers = new Map<Format, FormatReader>();
  readonly #envelopes = new Map<string, Translator>();
  readonly #agents = new ParallelAgents();
  #latest: Format | undefined;

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  /** Names of the formats read so far. */
  get formats(): string[] {
    return [...this.#readers.keys()].map(({ name }) => name);
  }

  /** Reads the JSON of a line, or a line of server-sent events. */
  read(text: string): Translation {
    const json = unframed(text);
    if (json === '') return none;
    const excess = exceededLimit(json, MAX_RECORD_PARTS);
    if (excess !== undefined) return fault('too_complex', excess);
    let value: unknown;
    try {
      value = pythonJson(json);
    } catch (error) {
      return fault('not_json', messageOf(error));
    }
    let translated: Translation;
    try {
      translated = this.readValue(value);
    } catch (error) {
      // A record that no reader foresaw costs this record only.
      return fault('invalid_event', `the record could not be read: ${messageOf(error)}`);
    }
    // A canonical event is analyzed synchronously, so its limits are stricter.
    const tooMuch = translated.isCanonical ? exceededLimit(json) : undefined;
    return tooMuch === undefined ? translated : fault('too_complex', tooMuch);
  }

  /** Reads a parsed value; for an array, each element. */
  readValue(value: unknown): Translation {
    if (isObject(value)) return this.#readRecord(value);
    if (!Array.isArray(value) || value.length === 0)
      return fault('not_an_object', `expected a JSON object, got ${describe(value)}`);
    const record = conversationIn(value);
    if (record !== undefined) return this.#readRecord(record);
    const parts = inOrder(value).map((element) => this.readValue(element));
    return {
      events: parts.flatMap(({ events }) => events),
      ignored: parts.flatMap(({ ignored }) => ignored),
      faults: parts.flatMap(({ faults }) => faults),
      isPending: parts.some(({ isPending }) => isPending),
      isCanonical: false,
      records: parts.reduce((sum, { records }) => sum + records, 0),
      unknown: parts.reduce((sum, { unknown }) => sum + unknown, 0),
    };
  }

  /** The remaining events at the end of the file or request. */
  end(): readonly AgentEvent[] {
    const readers = [...this.#readers];
    return [
      ...this.#agents.join(readers.flatMap(([format, reader]) => this.#withoutCopies(format, reader.end()))),
      ...[...this.#envelopes.values()].flatMap((inner) => inner.end()),
    ];
  }

  #readRecord(record: JsonObject): Translation {
    const document = documentIn(record);
    if (document !== undefined) return this.#readDocument(document);
    const { format: name } = this.#options;
    const asked = name === 'auto' ? undefined : formatOf(name);
    const format = asked ?? this.#formatOf(record);
    if (format?.recognizes(record) !== true) {
      const list = this.#listIn(record, asked);
      if (list !== undefined) return this.readValue(list);
      return asked === undefined ? this.#unrecognized(record) : this.#mismatch(record, asked);
    }
    this.#latest = format;
    const content = format.unwrap?.(record);
    if (content !== undefined) {
      return enveloped(this.#inner(content.session).readValue(content.value), content);
    }
    let reader = this.#readers.get(format);
    if (reader === undefined) {
      reader = format.createReader(this.#options.session, this.#options.memory);
      this.#readers.set(format, reader);
    }
    const { events: all, ignored, isPending = false, isUnknown = false } = reader.read(record);
    // Events in our own format count as they are, at every door.
    const events = format === canonical ? all : this.#agents.join(this.#withoutCopies(format, all));
    // A record without any events, such as a repeated one, counts as ignored.
    const isNothing = all.length === 0 && ignored.length === 0 && !isPending;
    const types = isNothing ? [textOf(record['type']) ?? format.name] : ignored;
    const hasNoSession = events.length === 0 && types.some((type) => unread.test(type));
    const unknown = hasNoSession || isUnknown ? 1 : 0;
    const isCanonical = format === canonical;
    return { ...none, events, ignored: types, isPending, isCanonical, records: 1, unknown };
  }

  #withoutCopies({ hasCopies = false }: Format, events: readonly AgentEvent[]): readonly AgentEvent[] {
    const { isCopy } = this.#options;
    return isCopy === undefined || !hasCopies ? events : events.filter((event) => !isCopy(event));
  }

  #readDocument({ records, ignored }: Document): Translation {
    const read = records.length === 0 ? none : this.readValue(records);
    return { ...read, ignored: [...read.ignored, ...ignored], records: read.records + ignored.length };
  }

  /** The translator for the content of one session's envelopes. */
  #inner(session: string | undefined): Translator {
    const key = session ?? '';
    const inner =
      this.#envelopes.get(key) ??
      new Translator({
        format: 'auto',
        session: session ?? this.#options.session,
        isCopy: this.#options.isCopy,
      });
    this.#envelopes.set(key, inner);
    if (this.#envelopes.size > MAX_ENVELOPES) {
      const [oldest] = this.#envelopes.keys();
      if (oldest !== undefined) this.#envelopes.delete(oldest);
    }
    return inner;
  }

  #formatOf(record: JsonObject): Format | undefined {
    return this.#latest?.recognizes(record) === true ? this.#latest : recognize(record);
  }

  /** The records that an unknown document lists, such as a page of an API's answer. */
  #listIn(document: JsonObject, asked: Format | undefined): unknown {
    if (recognize(document) !== undefined) return undefined;
    return Object.values(document).find((value) => {
      const record = listOf(value)[0];
      if (!isObject(record)) return false;
      if (documentIn(record) !== undefined) return true;
      const format = this.#formatOf(record);
      // The parts of a message can look like events.
      const isRecord = format !== undefined && (format !== canonical || 'sessionId' in record);
      return isRecord && (asked === undefined || asked === format);
    });
  }

  /** Among records of another format it is irrelevant; otherwise it can be an event of an unknown type. */
  #unrecognized(record: JsonObject): Translation {
    const type = textOf(record['type']);
    if (this.#latest !== undefined && this.#latest !== canonical) return notUnderstood(type);
    // The event schema decides whether it is a canonical event, unless it is closer to another format. A document of another
    // producer holds a list, but no type.
    const hasList = Object.values(record).some((value) => Array.isArray(value));
    const isEvent = type !== undefined || (!hasList && nearestFormat(record) === undefined);
    if ('sessionId' in record && isEvent)
      return {
        ...none,
        events: [record as AgentEvent],
        ignored: type === undefined ? [] : [type],
        isCanonical: true,
        records: 1,
      };
    return fault('unknown_format', `the record matches no known format${nearestHint(record)}`);
  }

  #mismatch(record: JsonObject, { name }: Format): Translation {
    const other = recognize(record);
    if (other !== undefined)
      return fault(
        'unknown_format',
        `the record is ${other.title}: use the format ${other.name} instead of ${name}`,
      );
    const type = textOf(record['type']);
    // A session may begin with records of a type that none recognizes.
    if (this.#latest !== undefined || (type !== undefined && 'sessionId' in record))
      return notUnderstood(type);
    return fault('unknown_format', `the record does not match the format ${name}${nearestHint(record)}`);
  }
}

function notUnderstood(type: string | undefined): Translation {
  return { ...none, ignored: [type ?? 'unknown'], records: 1, unknown: 1 };
}

/** Completes the events in an envelope with its session and id. */
function enveloped(inner: Translation, { session, id }: EnvelopeContent): Translation {
  const events = inner.events.map((event, i) => ({
    ...event,
    ...(session !== undefined && event.sessionId == null && { sessionId: session }),
    ...(id !== undefined && event.id == null && { id: `${id}.${String(i)}` }),
  }));
  return { ...inner, events, isCanonical: false };
}

/** The end of a message that suggests the nearest format for an unrecognized record. */
function nearestHint(record: JsonObject): string {
  const nearest = nearestFormat(record);
  return nearest === undefined
    ? `; Loopwatch's own events have "sessionId" and "type"`
    : `; the nearest is ${nearest.name} (${nearest.title})`;
}

function fault(reason: DeadLetterReason, message: string): Translation {
  return { ...none, faults: [{ reason, message }], records: 1 };
}

/** The JSON of a line, which can be part of a server-sent event. */
export function unframed(text: string): string {
  const line = text.trim();
  if (line.startsWith(ssePrefix)) {
    const data = line.slice(ssePrefix.length).trim();
    return data === sseEnd ? '' : data;
  }
  return sseField.test(line) ? '' : line;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an empty array' : `a ${typeof value}`;
}
