import { type DetectorId, detectionSchema } from '@loopwatch/contract';
import { type Detection, detectionOf, SessionAnalyzer } from '@loopwatch/detectors';
import { cpuMs, type Figures, median, progress, rounded } from './measure.ts';
import type { RecordedEvent, Recording } from './recorded.ts';

/** The detectors that preset `balanced` switches on, and their blocks of settings. */
const blocks = {
  'tool-repeat': 'tool_call_loop',
  'tool-cycle': 'tool_cycle',
  stagnation: 'stagnation',
  outage: 'outage',
  'content-repeat': 'content_loop',
  'thought-repeat': 'thought_loop',
} as const satisfies Partial<Record<DetectorId, string>>;

const ROUNDS = 3;
const PREFIX_EVENTS = 30_000;

/** Where the time of preset `balanced` goes: by type of event, and by detector. */
export function analysisParts(kind: string, files: readonly Recording[], full: boolean): Figures[] {
  const lines = files.flatMap((file) => file.lines.slice(0, full ? Infinity : PREFIX_EVENTS / files.length));
  const traffic = files[0]?.traffic ?? '';
  progress(`analysis: ${kind}, by type of event`);
  const types = byType(lines).map((figures) => ({
    bench: `analysis, ${kind}, ${figures.type}`,
    traffic,
    ...figures,
    required: 'nothing',
  }));
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  return [...types, ...withoutEach(kind, events, traffic)];
}

interface TypeFigures {
  readonly type: string;
  readonly events: number;
  readonly usPerEvent: number;
  readonly share: number;
  /** To `JSON.parse` of the same events. */
  readonly ratio: number;
}

function byType(lines: readonly string[]): TypeFigures[] {
  const sums = new Map<string, { events: number; parsing: number; analyzing: number }>();
  const push = analyzerOf(detectionOf(detectionSchema.parse({ preset: 'balanced' })));
  for (const line of lines) {
    const start = performance.now();
    const event = JSON.parse(line) as RecordedEvent;
    const parsed = performance.now();
    push(event);
    const end = performance.now();
    const sum = sums.get(event.type) ?? { events: 0, parsing: 0, analyzing: 0 };
    sum.events += 1;
    sum.parsing += parsed - start;
    sum.analyzing += end - parsed;
    sums.set(event.type, sum);
  }
  const all = [...sums.values()].reduce((total, { analyzing }) => total + analyzing, 0);
  return [...sums].map(([type, { events, parsing, analyzing }]) => ({
    type,
    events,
    usPerEvent: rounded((analyzing * 1000) / events),
    share: rounded(analyzing / all),
    ratio: rounded(analyzing / parsing),
  }));
}

/** The processor time of all detectors but one, compared with all of them, in turn. */
function withoutEach(kind: string, events: readonly RecordedEvent[], traffic: string): Figures[] {
  const variants = new Map<string, Detection>([
    ['all', detectionOf(detectionSchema.parse({ preset: 'balanced' }))],
    ...Object.entries(blocks).map(([id, block]): [string, Detection] => [
      id,
      detectionOf(detectionSchema.parse({ preset: 'balanced', [block]: { enabled: false } })),
    ]),
    [
      'every detector',
      detectionOf(
        detectionSchema.parse({
          preset: 'balanced',
          ...Object.fromEntries(Object.values(blocks).map((block) => [block, { enabled: false }])),
        }),
      ),
    ],
  ]);
  const rounds: Map<string, number>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`analysis: ${kind}, without each detector, ${String(round + 1)} of ${String(ROUNDS)}`);
    const spent = [...variants].map(([id, detection]): [string, number] => {
      const push = analyzerOf(detection);
      const start = cpuMs();
      for (const event of events) push(event);
      return [id, cpuMs() - start];
    });
    rounds.push(new Map(spent));
  }
  return [...variants.keys()]
    .filter((id) => id !== 'all')
    .map((id) => ({
      bench: `analysis, ${kind}, without ${id}`,
      traffic,
      usPerEvent: rounded((median(rounds.map((spent) => spent.get(id) ?? 0)) * 1000) / events.length),
      ratio: rounded(median(rounds.map((spent) => (spent.get(id) ?? 0) / (spent.get('all') ?? 1)))),
      required: 'nothing',
    }));
}

function analyzerOf(detection: Detection): (event: RecordedEvent) => void {
  const sessions = new Map<string, SessionAnalyzer>();
  return (event) => {
    let session = sessions.get(event.sessionId);
    if (session === undefined) {
      session = new SessionAnalyzer(event.sessionId, detection);
      sessions.set(event.sessionId, session);
    }
    session.push(event);
  };
}
