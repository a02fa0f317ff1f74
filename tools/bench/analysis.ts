import { createSessionAnalyzer, type SessionAnalyzerHandle } from '@loopwatch/detectors';
import { type Figures, progress, rounded, time } from './measure.ts';
import { cut, type RecordedEvent, recordings } from './recorded.ts';

const RUNS = 4;
const CUT_UNITS = 16;

/**
 * The analysis of recorded sessions of real agents (without recordings, of synthetic ones) with the default settings, compared
 * with `JSON.parse` of the same events: as recorded and with their text in small pieces. Sessions take turns as they were
 * recorded, and all stay alive. Of each, the least of four runs counts, because other work on the machine only adds time.
 */
export function analysis(): Figures[] {
  return (['trajectories', 'sessions'] as const).flatMap((kind) => {
    const files = recordings(kind);
    const lines = files.flatMap((file) => file.lines);
    const traffic = files[0]?.traffic ?? '';
    return [
      { ...compare(`${kind}, as recorded`, lines), traffic, required: '<= 8' },
      {
        ...compare(`${kind}, text cut into ${String(CUT_UNITS)} units`, cut(lines, CUT_UNITS)),
        traffic,
        required: '<= 5',
      },
    ];
  });
}

function compare(what: string, lines: readonly string[]): Omit<Figures, 'required'> & { ratio: number } {
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  let parsing = Infinity;
  let analyzing = Infinity;
  for (let run = 1; run <= RUNS; run += 1) {
    progress(`analysis: ${what}, ${String(run)} of ${String(RUNS)}`);
    parsing = Math.min(
      parsing,
      time(() => {
        for (const line of lines) JSON.parse(line);
      }),
    );
    analyzing = Math.min(
      analyzing,
      time(() => {
        analyze(events);
      }),
    );
    global.gc?.();
  }
  return {
    bench: `analysis, ${what}`,
    events: events.length,
    usPerEvent: rounded((analyzing * 1000) / events.length),
    parseUsPerEvent: rounded((parsing * 1000) / events.length),
    ratio: rounded(analyzing / parsing),
  };
}

function analyze(events: readonly RecordedEvent[]): void {
  const sessions = new Map<string, SessionAnalyzerHandle>();
  for (const event of events) {
    let session = sessions.get(event.sessionId);
    if (session === undefined) {
      session = createSessionAnalyzer();
      sessions.set(event.sessionId, session);
    }
    session.push(event);
  }
}
