import { createKafkaSink, type OutputRecord } from '@loopwatch/log';

export const SESSIONS = 1000;
/** Events per millisecond of event time: about the rate at which they are read. */
const A_MILLISECOND = 200;

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

/** Writes this many events. @returns their size in bytes */
export async function fill(brokers: readonly string[], topic: string, events: number): Promise<number> {
  const sink = createKafkaSink({ brokers, clientId: 'bench' });
  await sink.open();
  let bytes = 0;
  for (let i = 0; i < events; ) {
    const records: OutputRecord[] = [];
    for (; records.length < 5000 && i < events; i += 1) {
      const value = eventText(i);
      bytes += value.length;
      records.push({ topic, key: `session-${String(i % SESSIONS)}`, value });
    }
    await sink.publish(records);
  }
  await sink.close();
  return bytes;
}
