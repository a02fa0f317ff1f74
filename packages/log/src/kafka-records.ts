import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { LogRecord, RecordHeaders } from './ports.ts';

const noHeaders: RecordHeaders = Object.freeze({});
const noBytes = new Uint8Array(0);

/**
 * One plain object a record and nothing more: this runs several hundred thousand times a second. Keys and values stay
 * the views into the fetched bytes that kafkajs made.
 */
export function toLogRecords(messages: readonly KafkaMessage[]): LogRecord[] {
  return messages.map((message) => ({
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: toHeaders(message.headers),
  }));
}

function toHeaders(headers: IHeaders | undefined): RecordHeaders {
  if (headers === undefined) return noHeaders;
  let copy: Record<string, Uint8Array> | undefined;
  for (const name in headers) {
    copy ??= {};
    copy[name] = headerBytes(headers[name]);
  }
  return copy ?? noHeaders;
}

/** A header given several times counts with its last value, as in Kafka's own `lastHeader`. */
function headerBytes(value: IHeaders[string] | null): Uint8Array {
  const last = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined || last === null) return noBytes;
  return typeof last === 'string' ? Buffer.from(last) : last;
}
