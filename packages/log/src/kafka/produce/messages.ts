import type { TopicMessages } from 'kafkajs';
import { groupByTopic, sizeOf } from '../../port/output-records.ts';
import type { OutputRecord } from '../../port/ports.ts';

/** A record that is written to a given partition, not to the one its key says. */
export interface RoutedRecord extends OutputRecord {
  readonly partition?: number;
}

/**
 * kafkajs makes one record batch of all records for a partition, and brokers refuse batches over `max.message.bytes`
 * (1 MiB unless the topic says otherwise); records beyond this many bytes go in another request.
 */
export const requestBytes = 768 * 1024;

/** Cuts records into requests, in their order. */
export function* chunksOf(records: readonly RoutedRecord[]): Generator<readonly RoutedRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const size = sizeOf(record);
    if (index > start && bytes + size > requestBytes) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < records.length) yield start === 0 ? records : records.slice(start);
}

/** As kafkajs takes them. */
export function toTopicMessages(records: readonly RoutedRecord[]): TopicMessages[] {
  return Array.from(groupByTopic(records), ([topic, ofTopic]) => ({
    topic,
    messages: ofTopic.map(({ key, value, headers, timestamp, partition }) => ({
      key,
      value,
      ...(partition !== undefined && { partition }),
      ...(headers !== undefined && { headers: headersOf(headers) }),
      ...(timestamp !== undefined && { timestamp: String(timestamp) }),
    })),
  }));
}

function headersOf(headers: Readonly<Record<string, Uint8Array>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(headers).map(([name, bytes]) => [name, Buffer.from(bytes)]));
}
