import type { OutputRecord } from '@loopwatch/log';
import { randomNumbers } from './prose.ts';
import { cut, type RecordedEvent, type Recording, recordings } from './recorded.ts';

/** Sessions that receive events alternately. */
const LIVE = 500;
/** When the last event of each session happens: none becomes idle and is freed. */
const ENDS_AT = 1_800_000_000_000;

/** The recordings of real agents, or generated sessions like them. */
export function recordedAgents(): Recording[] {
  return (['trajectories', 'sessions'] as const).flatMap(recordings);
}

/**
 * Recorded sessions as records of the events topic, each session in order, many of them interleaved.
 *
 * @param units cuts text into pieces of this many units, as models stream it; default: as recorded
 * @param minEvents repeats all sessions with new ids until there are this many events
 */
export function* recordedTraffic(
  files: readonly Recording[],
  topic: string,
  minEvents: number,
  units?: number,
): Generator<OutputRecord> {
  const sessions = files.flatMap(({ lines }) => sessionsOf(units === undefined ? lines : cut(lines, units)));
  if (sessions.length === 0) return;
  const random = randomNumbers(1);
  const live: Iterator<OutputRecord>[] = [];
  let started = 0;
  for (let events = 0; ; events += 1) {
    while (live.length < LIVE && (events < minEvents || started % sessions.length !== 0)) {
      const copy = Math.floor(started / sessions.length);
      const session = sessions[started % sessions.length] ?? [];
      live.push(recordsOf(session, topic, copy));
      started += 1;
    }
    if (live.length === 0) return;
    const at = Math.floor(random() * live.length);
    const next = live[at]?.next();
    if (next?.done === false) yield next.value;
    else {
      live.splice(at, 1);
      events -= 1;
    }
  }
}

function sessionsOf(lines: readonly string[]): RecordedEvent[][] {
  const sessions = new Map<string, RecordedEvent[]>();
  for (const line of lines) {
    const event = JSON.parse(line) as RecordedEvent;
    const session = sessions.get(event.sessionId);
    if (session === undefined) sessions.set(event.sessionId, [event]);
    else session.push(event);
  }
  return [...sessions.values()];
}

function* recordsOf(session: readonly RecordedEvent[], topic: string, copy: number): Generator<OutputRecord> {
  const later = ENDS_AT - Math.max(...session.map(({ time }) => time));
  for (const event of session) {
    const sessionId = `${event.sessionId}~${String(copy)}`;
    yield { topic, key: sessionId, value: JSON.stringify({ ...event, sessionId, time: event.time + later }) };
  }
}
