import type { OutputRecord } from './ports.ts';

/** The records of each topic, in the order they were given. */
export function groupByTopic<R extends OutputRecord>(records: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const record of records) {
    const group = groups.get(record.topic);
    if (group === undefined) groups.set(record.topic, [record]);
    else group.push(record);
  }
  return groups;
}

/** About how many bytes a record takes on the wire. */
export function sizeOf({ key, value, headers }: Omit<OutputRecord, 'topic'>): number {
  let bytes = 32 + lengthOf(key) + lengthOf(value);
  for (const name in headers) bytes += 8 + name.length + (headers[name]?.byteLength ?? 0);
  return bytes;
}

function lengthOf(value: string | Buffer | null): number {
  if (value === null) return 0;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}
