import { type DeadLetterReason, deadLetterHeaders } from '@loopwatch/contract';
import type { LogRecord, OutputRecord } from '@loopwatch/log';

/** A record that could not be read, as it was, with headers that say why and where it came from. */
export function deadLetter(
  topic: string,
  record: LogRecord,
  place: { readonly topic: string; readonly partition: number },
  reason: DeadLetterReason,
  message: string,
): OutputRecord {
  return {
    topic,
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      [deadLetterHeaders.code]: Buffer.from(reason),
      [deadLetterHeaders.message]: Buffer.from(message),
      [deadLetterHeaders.topic]: Buffer.from(place.topic),
      [deadLetterHeaders.partition]: Buffer.from(String(place.partition)),
      [deadLetterHeaders.offset]: Buffer.from(String(record.offset)),
    },
  };
}
