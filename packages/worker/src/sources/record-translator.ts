import {
  type DeadLetterReason,
  type FormatName,
  formatNames,
  type SourceSettings,
} from '@loopwatch/contract';
import { acceptEvent } from '@loopwatch/contract/check';
import { TelemetryMemory, type Translation, Translator } from '@loopwatch/formats';
import { otlpJson } from '@loopwatch/formats/otlp-protobuf';
import type { DecodedValue, LogRecord } from '@loopwatch/log';
import { LRUCache } from 'lru-cache';

/** An event translated from a record, with the session that becomes its key. */
export interface TranslatedEvent {
  readonly sessionId: string;
  /** JSON. */
  readonly text: string;
}

/** The result of translating one record. */
export interface TranslatedRecord {
  readonly events: readonly TranslatedEvent[];
  /** Types of the parts that are not relevant to loops. */
  readonly ignored: readonly string[];
  /** Why the record, or a part of it, was rejected. */
  readonly fault: { readonly reason: DeadLetterReason; readonly message: string } | undefined;
}

type RecordFormat = FormatName | 'auto';

/** Formats that name the session in each record: records of one session may have different keys. */
const telemetry: ReadonlySet<string> = new Set<FormatName>(['otlp', 'litellm', 'langfuse', 'langsmith']);
/** Translators kept per partition; the least recently used is dropped first. */
const MAX_TRANSLATORS = 1_000;
const OPEN_BRACE = 0x7b;

/** Translates the records of one partition in order; what it remembers only affects how later records are read. */
export class RecordTranslator {
  readonly #settings: SourceSettings;
  /** By format and key. */
  readonly #translators = new LRUCache<string, Translator>({ max: MAX_TRANSLATORS });

  constructor(settings: SourceSettings) {
    this.#settings = settings;
  }

  /** @param decoded of a value that names its schema */
  read(record: LogRecord, decoded?: DecodedValue): TranslatedRecord {
    if (record.rejection !== undefined) return faulty(record.rejection.reason, record.rejection.message);
    const { value } = record;
    if (value === null) return faulty('empty_value', 'the record has no value');
    const { format_header: header, format: configured } = this.#settings;
    const bytes = record.headers[header];
    const name = bytes === undefined ? configured : Buffer.from(bytes).toString();
    const format = name === 'auto' ? name : formatNames.find((known) => known === name);
    if (format === undefined) {
      return faulty(
        'unknown_format',
        `the header ${header} names "${name}"; known: ${formatNames.join(', ')}`,
      );
    }
    if (decoded !== undefined && 'fault' in decoded) return faulty('undecodable', decoded.fault);
    const text = decoded?.json ?? textOf(value, format);
    return accepted(this.#translator(format, record).read(text), text, record);
  }

  #translator(format: RecordFormat, { key }: LogRecord): Translator {
    const session = key === null || key.length === 0 ? undefined : key.toString();
    const name = telemetry.has(format) ? format : JSON.stringify([format, session]);
    const translator =
      this.#translators.get(name) ?? new Translator({ format, session, memory: new TelemetryMemory() });
    this.#translators.set(name, translator);
    return translator;
  }
}

/** OpenTelemetry collectors write JSON or protobuf without saying which. */
function textOf(value: Buffer, format: RecordFormat): string {
  const json = format === 'otlp' && value[0] !== OPEN_BRACE ? otlpJson(value) : undefined;
  return json ?? value.toString();
}

function accepted(
  { events, ignored, faults, isCanonical }: Translation,
  text: string,
  { key }: LogRecord,
): TranslatedRecord {
  const read: TranslatedEvent[] = [];
  let fault = faults[0];
  for (const event of events) {
    const decoded = acceptEvent(event, { key });
    if (decoded.ok)
      read.push({ sessionId: decoded.sessionId, text: isCanonical ? text : JSON.stringify(event) });
    else fault ??= decoded;
  }
  return { events: read, ignored: isCanonical ? [] : ignored, fault };
}

function faulty(reason: DeadLetterReason, message: string): TranslatedRecord {
  return { events: [], ignored: [], fault: { reason, message } };
}
