import { type AgentEvent, detectionSchema } from '@loopwatch/contract';
import { detectionOf, SessionAnalyzer } from '@loopwatch/detectors/internal';
import { type Bench, collectGarbage, type Figures, progress, rounded } from './measure.ts';
import { contentEvents, prose, randomNumbers } from './prose.ts';
import { realSessions } from './real-sessions.ts';

const SESSIONS = 20_000;
const ALL_SESSIONS = 200_000;
const CALLS = 40;
const UNITS = 3200;
const KIB = 1024;

/** Bytes per live session: heap and external arrays. Uses preset `stream`, except for real traffic. */
export const memory: Bench = async (full, sizes) => {
  // First, because a heap that was large before hides its growth.
  const figures = await realSessions(sizes ?? [SESSIONS]);
  if (sizes !== undefined) return figures;
  const text = prose(1_000_000);
  for (const sessions of full ? [SESSIONS, ALL_SESSIONS] : [SESSIONS]) {
    figures.push(await measure('that only call tools', sessions, 2 * KIB, callsOf));
    figures.push(await measure('that only call tools, with random ids', sessions, 3 * KIB, withRandomIds));
    const eventsOf = (session: string, n: number) => {
      const from = (n * 1_003) % (text.length - UNITS);
      return contentEvents(text.slice(from, from + UNITS), session);
    };
    figures.push(await measure('that streamed text', sessions, 16 * KIB, eventsOf));
  }
  return figures;
};

async function measure(
  kind: string,
  sessions: number,
  limit: number,
  eventsOf: (session: string, n: number) => Iterable<AgentEvent>,
): Promise<Figures> {
  progress(`memory: ${String(sessions)} sessions ${kind}`);
  const detection = detectionOf(detectionSchema.parse({ preset: 'stream' }));
  const before = await bytesInUse();
  const live: SessionAnalyzer[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const session = `session-${String(n)}`;
    const analyzer = new SessionAnalyzer(session, detection);
    for (const event of eventsOf(session, n)) analyzer.push(event);
    live.push(analyzer);
  }
  const bytes = ((await bytesInUse()) - before) / live.length;
  return {
    bench: `memory, ${String(sessions)} sessions ${kind}`,
    bytesPerSession: Math.round(bytes),
    ratio: rounded(bytes / limit),
    required: `<= 1 (${String(limit / KIB)} KiB)`,
  };
}

async function bytesInUse(): Promise<number> {
  await collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Ids that are not sequential need the most memory. */
function* withRandomIds(session: string, n: number): Generator<AgentEvent> {
  const random = randomNumbers(n);
  for (const event of callsOf(session)) yield { ...event, id: random().toString(36).slice(2) };
}

/** A session of turns, each with a different call and its result. */
function* callsOf(session: string): Generator<AgentEvent> {
  const events: AgentEvent[] = [];
  const add = (event: AgentEvent) => {
    const index = events.length;
    events.push({
      ...event,
      id: `${session}-${String(index)}`,
      sessionId: session,
      time: 1_760_000_000_000 + index * 1000,
    });
  };
  add({ type: 'prompt_started', text: 'find the fault' });
  for (let call = 0; call < CALLS; call += 1) {
    const callId = `call-${String(call)}`;
    add({ type: 'turn_started' });
    add({
      type: 'tool_call_request',
      callId,
      name: 'read_file',
      args: { path: `src/part-${String(call)}.ts` },
    });
    add({ type: 'tool_result', callId, result: 'export const part = 1;' });
  }
  yield* events;
}
