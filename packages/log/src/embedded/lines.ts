import { isUtf8 } from 'node:buffer';
import { BytesRecord } from '../port/bytes-record.ts';
import type { LogRecord, OutputRecord, RecordHeaders } from '../port/ports.ts';

/** A record that has no place in a topic yet. */
export type NewRecord = Omit<OutputRecord, 'topic'>;

/** Bytes as they stand in a line: text where they are valid UTF-8, so that a person can read the file. */
type StoredBytes = string | { readonly base64: string } | null;

/** A record as JSON. */
export interface StoredRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: StoredBytes;
  readonly value: StoredBytes;
  readonly headers?: Readonly<Record<string, StoredBytes>>;
}

const noHeaders: RecordHeaders = Object.freeze({});

/** @param now Its timestamp if it has none, epoch ms. */
export function numbered(record: NewRecord, offset: number, now: number): LogRecord {
  const { key, value, headers = noHeaders, timestamp = now } = record;
  return new BytesRecord({ offset, timestamp, key: toBuffer(key), value: toBuffer(value), headers });
}

/** One record as one line of JSON, with its line feed. */
export function encodeLine(record: LogRecord): string {
  return `${JSON.stringify(storeRecord(record))}\n`;
}

export function storeRecord({ offset, timestamp, key, value, headers }: LogRecord): StoredRecord {
  const stored: StoredRecord = { offset, timestamp, key: store(key), value: store(value) };
  const names = Object.keys(headers);
  if (names.length === 0) return stored;
  const storedHeaders = Object.fromEntries(names.map((name) => [name, store(headers[name] ?? null)]));
  return { ...stored, headers: storedHeaders };
}

/**
 * The record of one line.
 *
 * @throws Error saying what is wrong with the line; where it stands is for the caller to add.
 */
export function decodeLine(line: Buffer, expectedOffset: number): LogRecord {
  const record = loadRecord(JSON.parse(line.toString()));
  if (record.offset === expectedOffset) return record;
  throw new Error(`it holds offset ${record.offset} where ${expectedOffset} belongs`);
}

/** @throws Error when it is no {@link StoredRecord}. */
export function loadRecord(stored: unknown): LogRecord {
  if (!isStoredRecord(stored)) throw new Error('it is not a record');
  const { offset, timestamp, headers } = stored;
  return new BytesRecord({
    offset,
    timestamp,
    key: load(stored.key),
    value: load(stored.value),
    headers: headers === undefined ? noHeaders : loadHeaders(headers),
  });
}

function toBuffer(value: string | Buffer | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}

function store(bytes: Uint8Array | null): StoredBytes {
  if (bytes === null) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? buffer.toString() : { base64: buffer.toString('base64') };
}

function load(stored: StoredBytes): Buffer | null {
  if (stored === null) return null;
  return typeof stored === 'string' ? Buffer.from(stored) : Buffer.from(stored.base64, 'base64');
}

function loadHeaders(stored: Readonly<Record<string, StoredBytes>>): RecordHeaders {
  // Built from entries, so that a header named __proto__ is one like any other.
  return Object.fromEntries(
    Object.entries(stored).map(([name, bytes]) => [name, load(bytes) ?? Buffer.alloc(0)] as const),
  );
}

function isStoredRecord(value: unknown): value is StoredRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { offset, timestamp, key, value: bytes, headers = {} } = value as Partial<Record<string, unknown>>;
  return (
    Number.isSafeInteger(offset) &&
    typeof timestamp === 'number' &&
    isStoredBytes(key) &&
    isStoredBytes(bytes) &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every(isStoredBytes)
  );
}

function isStoredBytes(value: unknown): value is StoredBytes {
  if (value === null || typeof value === 'string') return true;
  return typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string';
}
