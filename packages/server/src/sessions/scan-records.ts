import { storableText } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import type { LogRecord, RecordReader, TopicPartition } from '@loopwatch/log';

/** A record of one session, decoded as by the worker. */
export interface SessionRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly decoded: ReturnType<typeof decodeEvent>;
}

/** The session's records in a part of a partition. */
export interface Scan {
  readonly records: SessionRecord[];
  /** The scanned offsets: `from`, up to but not including `next`. */
  readonly from: number;
  readonly next: number;
  readonly scanned: number;
}

export interface ScanOptions {
  readonly reader: RecordReader;
  readonly topicPartition: TopicPartition;
  readonly sessionId: string;
  /** Maximum records to read, including those of other sessions. */
  readonly budget: number;
}

const CHUNK_RECORDS = 2_000;

/** Reads until enough of the session's records are found, the end is reached, or the budget is spent. */
export async function scanForward(
  { reader, topicPartition, sessionId, budget }: ScanOptions,
  from: number,
  upTo: number,
  wanted: number,
): Promise<Scan> {
  const records: SessionRecord[] = [];
  let next = from;
  let scanned = 0;
  while (next < upTo && records.length < wanted && scanned < budget) {
    const range = await reader.read(topicPartition, next, Math.min(CHUNK_RECORDS, upTo - next));
    if (range.next <= next) break;
    scanned += range.records.length;
    next = Math.min(range.next, upTo);
    for (const record of range.records) {
      if (record.offset >= upTo) break;
      const own = ofSession(record, sessionId);
      if (own !== undefined) records.push(own);
      if (records.length === wanted) {
        next = record.offset + 1;
        break;
      }
    }
  }
  return { records, from, next, scanned };
}

/** The same backward, in chunks that double each time; records are in log order. */
export async function scanBackward(
  options: ScanOptions,
  to: number,
  downTo: number,
  wanted: number,
): Promise<Scan> {
  let records: SessionRecord[] = [];
  let from = to;
  let scanned = 0;
  for (
    let length = CHUNK_RECORDS;
    from > downTo && records.length < wanted && scanned < options.budget;
    length *= 2
  ) {
    const start = Math.max(downTo, from - Math.min(length, options.budget - scanned));
    const scan = await scanForward(
      { ...options, budget: Number.POSITIVE_INFINITY },
      start,
      from,
      Number.POSITIVE_INFINITY,
    );
    records = [...scan.records, ...records];
    scanned += Math.max(1, scan.scanned);
    from = start;
  }
  return { records, from, next: to, scanned };
}

/**
 * Decodes a record of the session; undefined for other sessions, most of which are skipped by their bytes alone. Ids are
 * compared as stored: the database replaces characters that it cannot hold by U+FFFD.
 */
export function ofSession(record: LogRecord, sessionId: string): SessionRecord | undefined {
  const { key, value, offset, timestamp } = record;
  const stored = storableText(sessionId);
  const keyName = storableText(key?.toString() ?? '');
  const quoted = JSON.stringify(stored).slice(1, -1);
  const mayBeNamed = stored.includes('\ufffd') || value?.includes(quoted) === true;
  if (keyName !== stored && !mayBeNamed) return undefined;
  const decoded = decodeEvent(record);
  const owner = decoded.ok ? decoded.sessionId : keyName;
  return owner === stored ? { offset, timestamp, decoded } : undefined;
}
