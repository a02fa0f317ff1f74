import { detectionSchema } from '@loopwatch/contract';
import { canonicalJson, detectionOf, SessionAnalyzer } from '@loopwatch/detectors/internal';
import { BaselineDetector } from './baseline-detector.ts';
import { type Bench, type Figures, median, progress, rounded, time } from './measure.ts';
import { type ContentEvent, contentEvents, prose } from './prose.ts';

/** Number of events parsed and then analyzed at once: about one fetch from a log. */
const BATCH_EVENTS = 1250;
const SHORT = 10_000;
const ROUNDS = 9;
/** Size of the slices of a session of ten million units, which alternate with short sessions. */
const SLICE = 500_000;

const detection = detectionOf(detectionSchema.parse({ preset: 'stream' }));

/** The text detector, on prose in events of eight units, as models stream it. */
export const content: Bench = () => {
  progress('content: warming up');
  const text = prose(10_000_000);
  spend(text.slice(0, SLICE), newAnalyzer());
  return [againstBaseline(text), againstParse(text), longAgainstShort(text)];
};

function againstBaseline(text: string): Figures {
  const part = text.slice(0, 20_000);
  const events = contentEvents(part, 'session-1');
  const baseline: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`content: against the baseline detector, ${String(round + 1)} of ${String(ROUNDS)}`);
    const detector = new BaselineDetector();
    const spent = time(() => {
      for (const event of events)
        if (detector.push(event.text)) throw new Error('prose was reported as a loop');
    });
    baseline.push(spent / part.length);
    ours.push(spend(text.slice(0, SLICE), newAnalyzer()).analyzing / SLICE);
  }
  return {
    bench: 'content, against the baseline detector',
    unitsPerSecond: rounded(1000 / median(ours)),
    baselineUnitsPerSecond: rounded(1000 / median(baseline)),
    ratio: rounded(median(baseline) / median(ours)),
    required: '>= 500',
  };
}

function againstParse(text: string): Figures {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    progress(`content: against JSON.parse, ${String(round + 1)} of ${String(ROUNDS)}`);
    return spend(text.slice(0, 2 * SLICE), newAnalyzer());
  });
  const events = SLICE / 4;
  const parsing = median(rounds.map((spent) => spent.parsing)) / events;
  const analyzing = median(rounds.map((spent) => spent.analyzing)) / events;
  return {
    bench: 'content, against JSON.parse of the same events',
    nsPerEvent: rounded(analyzing * 1e6),
    parseNsPerEvent: rounded(parsing * 1e6),
    ratio: rounded(analyzing / parsing),
    required: '<= 0.5',
  };
}

/** One session of ten million units in slices; after each slice the same amount of text in sessions of ten thousand. */
function longAgainstShort(text: string): Figures {
  const analyzer = newAnalyzer();
  const long: number[] = [];
  const short: number[] = [];
  for (let from = 0; from < text.length; from += SLICE) {
    progress(`content: a session's unit ${String(from)} of ${String(text.length)}`);
    const slice = text.slice(from, from + SLICE);
    long.push(spend(slice, analyzer, from).analyzing / SLICE);
    let spent = 0;
    for (let i = 0; i < SLICE; i += SHORT) spent += spend(slice.slice(i, i + SHORT), newAnalyzer()).analyzing;
    short.push(spent / SLICE);
  }
  const atTheEnd = median(long.slice(-7));
  return {
    bench: 'content, a unit at 10,000,000 against one at 10,000',
    nsPerUnitLong: rounded(atTheEnd * 1e6),
    nsPerUnitShort: rounded(median(short) * 1e6),
    ratio: rounded(atTheEnd / median(short)),
    required: '<= 1.2',
  };
}

interface Spent {
  /** Milliseconds. */
  readonly parsing: number;
  readonly analyzing: number;
}

/** Alternately parses and analyzes a text, batch by batch. Prose never loops: a verdict is an error. */
function spend(text: string, analyzer: SessionAnalyzer, from = 0): Spent {
  const json = contentEvents(text, 'session-1', from).map((event) => canonicalJson(event));
  let parsing = 0;
  let analyzing = 0;
  for (let i = 0; i < json.length; i += BATCH_EVENTS) {
    const batch = json.slice(i, i + BATCH_EVENTS);
    let events: ContentEvent[] = [];
    parsing += time(() => {
      events = batch.map((line) => JSON.parse(line) as ContentEvent);
    });
    analyzing += time(() => {
      for (const event of events)
        if (analyzer.push(event).verdicts.length > 0) throw new Error('prose was reported as a loop');
    });
  }
  return { parsing, analyzing };
}

function newAnalyzer(): SessionAnalyzer {
  return new SessionAnalyzer('session-1', detection);
}
