import { createKafkaSink, type OutputRecord } from '@loopwatch/log';

export const SESSIONS = 1000;
/** Events per millisecond of event time: about the rate at which they are read. */
const A_MILLISECOND = 200;
/** Records written at a time. */
const BATCH = 5000;

/**
 * 130 bytes, one in ten a tool call, nearly all of them different. Every tenth of a million events, three or four of a
 * thousand sessions make ten equal calls in a row: opened, escalated, resolved, about one verdict in 10,000 events.
 */
export function eventText(i: number): string {
  const session = i % SESSIONS;
  const turn = Math.floor(i / SESSIONS);
  const head = `{"v":1,"id":"e-${String(i)}","sessionId":"session-${String(session)}","time":${String(1_763_757_600_000 + Math.floor(i / A_MILLISECOND))}`;
  if (turn % 10 !== 9) return `${head},"type":"content","text":"${words(i)}"}`;
  const looping = session % 300 === (Math.floor(turn / 100) % 10) * 30;
  const path = looping ? 'same' : `file-${String(i)}`;
  return `${head},"type":"tool_call_request","name":"read_file","args":{"path":"${path}"}}`;
}

const vocabulary =
  'the worker reads each record once and keeps what it needs to know about a session for later'.split(' ');

export function words(i: number): string {
  return [i % 17, i % 13, i % 11, i % 7].map((n) => vocabulary[n]).join(' ');
}

/** Synthetic events as records of the events topic. */
export function* madeUpTraffic(topic: string, events: number): Generator<OutputRecord> {
  for (let i = 0; i < events; i += 1)
    yield { topic, key: `session-${String(i % SESSIONS)}`, value: eventText(i) };
}

/** Writes records to Kafka. @returns their number, and the size of their values in bytes */
export async function fill(
  brokers: readonly string[],
  records: Iterable<OutputRecord>,
): Promise<{ events: number; bytes: number }> {
  const sink = createKafkaSink({ brokers, clientId: 'bench' });
  await sink.open();
  const written = { events: 0, bytes: 0 };
  let batch: OutputRecord[] = [];
  for (const record of records) {
    batch.push(record);
    written.events += 1;
    written.bytes += Buffer.byteLength(record.value ?? '');
    if (batch.length < BATCH) continue;
    await sink.publish(batch);
    batch = [];
  }
  await sink.publish(batch);
  await sink.close();
  return written;
}
