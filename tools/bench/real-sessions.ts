import { getHeapStatistics } from 'node:v8';
import { detectionSchema } from '@loopwatch/contract';
import {
  type InputRecord,
  LoopPipeline,
  type PartitionPipeline,
  silentObserver,
} from '@loopwatch/worker/stream';
import { collectGarbage, type Figures, progress, rounded } from './measure.ts';
import { randomNumbers } from './prose.ts';
import { type RecordedEvent, type Recording, recordings } from './recorded.ts';

const LIMIT_KIB = 80;
/** Heap per session, including garbage: the minimum for Node's limit before a run begins. */
const ROOM = 90_000;
const PARTITIONS = 4;
const MAX_TOLD = 10_000;
const BENCH = 'memory, sessions of real traffic';

/**
 * The memory of live sessions of real traffic in a worker's pipeline, preset `balanced`: recorded sessions (without recordings, synthetic ones), cloned
 * with new ids, each cut at a random point of its life. One pipeline reaches the sizes one after the other.
 */
export async function realSessions(sizes: readonly number[]): Promise<Figures[]> {
  const files = recordings('sessions');
  const sessions = sessionsIn(files);
  const most = Math.max(...sizes);
  const missing = most * ROOM - getHeapStatistics().heap_size_limit;
  if (missing > 0)
    return [
      notMeasured(
        `NODE_OPTIONS=--max-old-space-size=${String(Math.ceil((most * ROOM) / 2 ** 20))} is needed`,
      ),
    ];

  const settings = detectionSchema.parse({ preset: 'balanced', session: { max_sessions: most } });
  const pipeline = new LoopPipeline(settings, silentObserver, undefined, true);
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) =>
    pipeline.partition({ topic: 'events', partition }),
  );
  const random = randomNumbers(1);
  const before = await inUse();
  const figures: Figures[] = [];
  let live = 0;
  let events = 0;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    progress(`memory: ${String(size)} sessions of real traffic`);
    for (; live < size; live += 1) {
      const session = sessions[live % sessions.length] ?? [];
      const records = recordsOf(session.slice(0, 1 + Math.floor(random() * session.length)), live, events);
      const partition = partitions[live % PARTITIONS] as PartitionPipeline;
      await partition.process(records).forEach(() => undefined);
      const { summaries } = partition.sessions;
      summaries?.summarizeChanges(MAX_TOLD);
      summaries?.drain();
      events += records.length;
    }
    const { heap, rss } = await inUse();
    const bytes = (heap - before.heap) / size;
    const measured = {
      bench: BENCH,
      sessions: pipeline.activeSessions,
      traffic: files[0]?.traffic ?? '',
      differentSessions: sessions.length,
      events,
      bytesPerSession: Math.round(bytes),
      residentBytesPerSession: Math.round((rss - before.rss) / size),
      residentMiB: Math.round(rss / 2 ** 20),
      ratio: rounded(bytes / (LIMIT_KIB * 1024)),
      required: `<= 1 (${String(LIMIT_KIB)} KiB)`,
    };
    // A larger size takes long and may not be reached.
    progress(JSON.stringify(measured));
    figures.push(measured);
  }
  return figures;
}

function notMeasured(reason: string): Figures {
  return { bench: BENCH, ratio: null, required: `not measured: ${reason}` };
}

function sessionsIn(files: readonly Recording[]): RecordedEvent[][] {
  const sessions = new Map<string, RecordedEvent[]>();
  for (const line of files.flatMap(({ lines }) => lines)) {
    const event = JSON.parse(line) as RecordedEvent;
    const events = sessions.get(event.sessionId);
    if (events === undefined) sessions.set(event.sessionId, [event]);
    else events.push(event);
  }
  return [...sessions.values()];
}

/** All sessions have their last event at the same time, so that none becomes idle and is freed. */
function recordsOf(events: readonly RecordedEvent[], clone: number, offset: number): InputRecord[] {
  const later = 1_800_000_000_000 - Math.max(...events.map(({ time }) => time));
  return events.map((event, index) => {
    const sessionId = `${event.sessionId}~${String(clone)}`;
    const text = JSON.stringify({ ...event, sessionId, time: event.time + later });
    return { offset: offset + index, timestamp: null, key: sessionId, text };
  });
}

async function inUse(): Promise<{ heap: number; rss: number }> {
  await collectGarbage();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed + arrayBuffers, rss };
}
