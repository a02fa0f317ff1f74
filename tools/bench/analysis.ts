import { createHash } from 'node:crypto';
import { detectionSchema } from '@loopwatch/contract';
import { type Detection, detectionOf, SessionAnalyzer } from '@loopwatch/detectors';
import { analysisParts } from './analysis-parts.ts';
import { type Figures, median, progress, rounded } from './measure.ts';
import { cut, type RecordedEvent, type Recording, recordings } from './recorded.ts';

/** Number of events parsed and then analyzed at once: about one fetch from a log. */
const BATCH_EVENTS = 1250;
const ROUNDS = 3;
const CUT_UNITS = 16;
const KINDS = ['trajectories', 'sessions'] as const;
const REQUIRED: Readonly<Record<string, string>> = {
  'balanced, as recorded': '<= 4',
  [`balanced, text cut into ${String(CUT_UNITS)} units`]: '<= 3',
};

/**
 * The analysis of recorded sessions of real agents (without recordings, of synthetic ones), compared with `JSON.parse` of
 * the same events: each preset, events as recorded and with their text in small pieces, then the time per type of event
 * and per detector. `verdicts` is a hash of all verdicts, which a change that is only about speed must keep.
 */
export function analysis(full: boolean): Figures[] {
  return KINDS.flatMap((kind) => {
    const files = recordings(kind);
    const pieces = files.map((file) => ({ ...file, lines: cut(file.lines, CUT_UNITS) }));
    const presets = (['balanced', 'stream'] as const).flatMap((preset) => {
      const detection = detectionOf(detectionSchema.parse({ preset }));
      const rounds = full || preset === 'balanced' ? ROUNDS : 1;
      return [
        compare(kind, `${preset}, as recorded`, files, detection, rounds),
        compare(kind, `${preset}, text cut into ${String(CUT_UNITS)} units`, pieces, detection, rounds),
      ];
    });
    return [...presets, ...analysisParts(kind, files, full)];
  });
}

interface Spent {
  parsing: number;
  analyzing: number;
  events: number;
  bytes: number;
  verdicts: string;
}

function compare(
  kind: string,
  what: string,
  files: readonly Recording[],
  detection: Detection,
  count: number,
): Figures {
  for (const { lines } of files) spend(lines.slice(0, 5000), detection);
  const rounds = Array.from({ length: count }, (_, round) => {
    progress(`analysis: ${kind}, ${what}, ${String(round + 1)} of ${String(count)}`);
    return files.map(({ lines }) => spend(lines, detection));
  });
  const total = (of: (spent: Spent) => number) =>
    median(rounds.map((round) => round.reduce((sum, spent) => sum + of(spent), 0)));
  const events = total((spent) => spent.events);
  const hash = createHash('sha256');
  for (const { verdicts } of rounds[0] ?? []) hash.update(verdicts);
  const ratioOf = (round: readonly Spent[]) =>
    round.reduce((sum, spent) => sum + spent.analyzing, 0) /
    round.reduce((sum, spent) => sum + spent.parsing, 0);
  const perFile = files.map(({ name }, i) => {
    const ratio = median(rounds.map((round) => (round[i]?.analyzing ?? 0) / (round[i]?.parsing ?? 1)));
    return `${name} ${String(rounded(ratio))}`;
  });
  return {
    bench: `analysis, ${kind}, ${what}`,
    traffic: files[0]?.traffic ?? '',
    events,
    bytesPerEvent: Math.round(total((spent) => spent.bytes) / events),
    usPerEvent: rounded((total((spent) => spent.analyzing) * 1000) / events),
    parseUsPerEvent: rounded((total((spent) => spent.parsing) * 1000) / events),
    perFile: perFile.join(', '),
    verdicts: hash.digest('hex').slice(0, 16),
    ratio: rounded(median(rounds.map(ratioOf))),
    required: REQUIRED[what] ?? 'nothing',
  };
}

/** Alternately parses and analyzes events, batch by batch. */
function spend(lines: readonly string[], detection: Detection): Spent {
  const spent: Spent = { parsing: 0, analyzing: 0, events: lines.length, bytes: 0, verdicts: '' };
  const sessions = new Map<string, SessionAnalyzer>();
  const hash = createHash('sha256');
  for (let from = 0; from < lines.length; from += BATCH_EVENTS) {
    const batch = lines.slice(from, from + BATCH_EVENTS);
    const verdicts: unknown[] = [];
    const start = performance.now();
    const events = batch.map((line) => JSON.parse(line) as RecordedEvent);
    const parsed = performance.now();
    for (const event of events) {
      const { sessionId } = event;
      let session = sessions.get(sessionId);
      if (session === undefined) {
        session = new SessionAnalyzer(sessionId, detection);
        sessions.set(sessionId, session);
      }
      const { verdicts: found } = session.push(event);
      if (found.length > 0) verdicts.push(found);
    }
    const end = performance.now();
    spent.parsing += parsed - start;
    spent.analyzing += end - parsed;
    hash.update(JSON.stringify(verdicts));
    for (const line of batch) spent.bytes += line.length;
  }
  spent.verdicts = hash.digest('hex');
  return spent;
}
