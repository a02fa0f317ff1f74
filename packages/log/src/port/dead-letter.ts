import { createHash } from 'node:crypto';
import { type DeadLetterReason, deadLetterHeaders } from '@loopwatch/contract';
import type { LogRecord, OutputRecord, RecordHeaders } from './records.ts';

const KIB = 1024;
/** Upper bound of a dead letter, everything included: its topic accepts 17 MiB, part of which the log needs itself. */
const MAX_LETTER_BYTES = 16 * KIB * KIB;
/** Any topic accepts this, unless its `max.message.bytes` was lowered. */
export const SMALL_LETTER_BYTES = 512 * KIB;
/** Longer than any session id. */
const MAX_KEY_BYTES = KIB;
/** Room for the original headers of a truncated record. */
const MAX_HEADER_BYTES = 64 * KIB;
const MAX_MESSAGE_UNITS = 4 * KIB;
/** Lengths, offsets and timestamps. */
const RECORD_OVERHEAD = 64;
const HEADER_OVERHEAD = 10;

/**
 * A rejected record with its original bytes, and headers that say why it was rejected and where it came from. Whatever
 * does not fit is truncated; two more headers then hold the original sizes and a hash of the original value.
 */
export function deadLetter(
  topic: string,
  record: LogRecord,
  topicPartition: { readonly topic: string; readonly partition: number },
  reason: DeadLetterReason,
  message: string,
  maxBytes = MAX_LETTER_BYTES,
): OutputRecord {
  const { key, value, headers: original, rejection } = record;
  const added: Record<string, Buffer> = {
    [deadLetterHeaders.code]: Buffer.from(reason),
    [deadLetterHeaders.message]: Buffer.from(message.slice(0, MAX_MESSAGE_UNITS)),
    [deadLetterHeaders.topic]: Buffer.from(topicPartition.topic),
    [deadLetterHeaders.partition]: Buffer.from(String(topicPartition.partition)),
    [deadLetterHeaders.offset]: Buffer.from(String(record.offset)),
  };
  if (rejection?.lastOffset !== undefined)
    added[deadLetterHeaders.lastOffset] = Buffer.from(String(rejection.lastOffset));
  const whole = { topic, key, value, headers: { ...original, ...added } };
  // kafkajs derives the partition from the key, in time quadratic in its length.
  if (letterSize(whole) <= maxBytes && (key?.length ?? 0) <= MAX_KEY_BYTES) return whole;

  const sizes = { key: key?.length ?? 0, value: value?.length ?? 0, headers: headerBytes(original) };
  added[deadLetterHeaders.truncated] = Buffer.from(JSON.stringify(sizes));
  if (value !== null)
    added[deadLetterHeaders.sha256] = Buffer.from(createHash('sha256').update(value).digest('hex'));
  const cut = {
    topic,
    key: key?.subarray(0, MAX_KEY_BYTES) ?? null,
    headers: { ...firstHeaders(original, MAX_HEADER_BYTES), ...added },
  };
  const room = Math.max(0, maxBytes - letterSize({ ...cut, value: null }));
  return { ...cut, value: value?.subarray(0, room) ?? null };
}

/** Upper estimate of a dead letter's size, in bytes. */
export function letterSize({ key, value, headers = {} }: Omit<OutputRecord, 'topic'>): number {
  return RECORD_OVERHEAD + (key?.length ?? 0) + (value?.length ?? 0) + headerBytes(headers);
}

function headerBytes(headers: RecordHeaders): number {
  return Object.entries(headers).reduce((sum, [name, bytes]) => sum + sizeOfHeader(name, bytes), 0);
}

function sizeOfHeader(name: string, bytes: Uint8Array): number {
  return HEADER_OVERHEAD + Buffer.byteLength(name) + bytes.length;
}

/** The original headers that fit; those that do not are left out as a whole. */
function firstHeaders(headers: RecordHeaders, room: number): RecordHeaders {
  let left = room;
  return Object.fromEntries(
    Object.entries(headers).filter(([name, bytes]) => {
      const size = sizeOfHeader(name, bytes);
      if (size > left) return false;
      left -= size;
      return true;
    }),
  );
}
