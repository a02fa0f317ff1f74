import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type AgentEvent, type DetectionInput, eventSchema, type PresetName } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { createSessionAnalyzer, type PureVerdict } from '../src/index.ts';
import { detectors } from '../src/internal.ts';
import { shown } from './evidence.ts';
import {
  type ExpectedVerdict,
  goldenEvents,
  parseGoldenCase,
  uniqueText,
  verdictsOf,
} from './golden-case.ts';

const root = join(import.meta.dirname, '../../..');
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const jsonLines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

function verdicts(config: DetectionInput, events: readonly AgentEvent[]): PureVerdict[] {
  const analyzer = createSessionAnalyzer(config);
  return events.flatMap((event) => analyzer.push(event));
}

describe('golden cases', () => {
  /** Whole sessions, in which all detectors have to agree. */
  const sessions = ['shapes', 'healthy'];
  const folders = [...detectors.map(({ id }) => id), ...sessions];

  it('have one folder per detector, none of them empty', () => {
    const kept = readdirSync(join(root, 'golden'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(kept.toSorted()).toEqual(folders.toSorted());
  });

  const files = folders.flatMap((folder) =>
    readdirSync(join(root, 'golden', folder)).map((file) => ({ file: `${folder}/${file}` })),
  );

  it.each(files)('$file', ({ file }) => {
    const golden = parseGoldenCase(read('golden', file));
    const config = golden.config ?? { preset: golden.preset };
    const found = verdictsOf(config, goldenEvents(golden), golden.answers).map((verdict, i) =>
      outcomeOf(verdict, golden.expected[i]),
    );
    expect(found, golden.name).toEqual(golden.expected);
  });

  it.each(files.filter(({ file }) => file.startsWith('healthy/')))('$file stays silent', ({ file }) => {
    const { preset, expected } = parseGoldenCase(read('golden', file));
    expect({ preset, expected }).toEqual({ preset: 'balanced', expected: [] });
  });

  it('include the twenty shapes with preset balanced', () => {
    const shapes = files.filter(({ file }) => file.startsWith('shapes/'));
    const numbers = new Set(shapes.map(({ file }) => Number(file.slice('shapes/'.length).split('-')[0])));
    expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(shapes.filter(({ file }) => parseGoldenCase(read('golden', file)).preset !== 'balanced')).toEqual(
      [],
    );
  });

  it('use filler text without repetition', () => {
    const text = uniqueText(5000, 1);
    const windows = new Set(Array.from({ length: 4951 }, (_, i) => text.slice(i, i + 50)));
    expect(windows.size).toBe(4951);
    expect(text).toMatch(/^[a-z]{5000}$/);
  });
});

/** The verdict as a golden file writes it; the place in the text only where the file has one. */
function outcomeOf(verdict: PureVerdict, expected: ExpectedVerdict | undefined): ExpectedVerdict {
  const { phase, detector, eventIndex, action, count, outcome } = verdict;
  return {
    phase,
    detector,
    eventIndex,
    action,
    count,
    ...(outcome !== undefined && { outcome }),
    ...(expected?.at !== undefined && { at: shown(verdict, 'at') as number }),
  };
}

describe('a golden file', () => {
  const sound = { name: 'n', preset: 'stream', events: [{ type: 'turn_started' }], expected: [] };
  it.each([
    { fault: 'an unknown key', change: { expect: [] }, message: /unknown: expect/ },
    { fault: 'no name', change: { name: undefined }, message: /"name"/ },
    { fault: 'neither preset nor config', change: { preset: undefined }, message: /"preset" or a "config"/ },
    { fault: 'both preset and config', change: { config: {} }, message: /"preset" or a "config"/ },
    { fault: 'no events', change: { events: [] }, message: /"events"/ },
    { fault: 'nothing expected', change: { expected: undefined }, message: /"expected"/ },
    {
      fault: 'an incomplete verdict',
      change: { expected: [{ phase: 'opened' }] },
      message: /lacks detector/,
    },
  ])('with $fault is rejected', ({ change, message }) => {
    expect(() => parseGoldenCase(JSON.stringify({ ...sound, ...change }))).toThrow(message);
  });

  it('with an event that violates the contract is rejected', () => {
    const golden = parseGoldenCase(JSON.stringify({ ...sound, events: [{ type: 'content' }] }));
    expect(() => goldenEvents(golden)).toThrow(/does not match the schema of its type/);
  });
});

interface StreamVector {
  readonly sessionId: string;
  readonly class: string;
  readonly events: readonly AgentEvent[];
  readonly expected: { readonly eventIndex: number | null; readonly detector: string | null };
}

describe('the vectors of preset stream', () => {
  const packed = readFileSync(join(root, 'golden/stream-vectors.jsonl.gz'));
  const vectors = jsonLines(gunzipSync(packed).toString('utf8')) as StreamVector[];
  const firstFinding = (found: readonly PureVerdict[]): StreamVector['expected'] => {
    const opened = found.find(({ phase }) => phase === 'opened');
    return { eventIndex: opened?.eventIndex ?? null, detector: opened?.detector ?? null };
  };
  const expected = new Map(vectors.map((vector) => [vector.sessionId, vector.expected]));

  it('are complete, each as a session of its own', () => {
    expect(vectors).toHaveLength(834);
    expect(expected.size).toBe(834);
    expect(vectors.filter((vector) => vector.expected.detector !== null).length).toBeGreaterThan(200);
  });

  it.each([...new Set(vectors.map((vector) => vector.class))].toSorted())('%s', (name) => {
    const ofClass = vectors.filter((vector) => vector.class === name);
    const found = ofClass.map(({ sessionId, events }) => [
      sessionId,
      firstFinding(verdicts({ preset: 'stream' }, events)),
    ]);
    expect(found).toEqual(ofClass.map(({ sessionId, expected }) => [sessionId, expected]));
  });

  it('give the same verdicts with all sessions interleaved', () => {
    const sessions = vectors.map(({ sessionId, events }) => ({
      sessionId,
      events,
      analyzer: createSessionAnalyzer({ preset: 'stream' }),
      found: [] as PureVerdict[],
    }));
    const longest = Math.max(...sessions.map(({ events }) => events.length));
    for (let i = 0; i < longest; i += 1) {
      for (const { events, analyzer, found } of sessions) {
        const event = events[i];
        if (event !== undefined) found.push(...analyzer.push(event));
      }
    }
    const found = sessions.map(({ sessionId, found }) => [sessionId, firstFinding(found)] as const);
    expect(new Map(found)).toEqual(expected);
  });
});

interface Sample {
  readonly file: string;
  readonly title: string;
  readonly shows: 'loop' | 'look-alike';
  readonly pattern: string;
  readonly expect: Readonly<Partial<Record<PresetName, string | null>>>;
}

describe('the samples', () => {
  const manifest = JSON.parse(read('samples/manifest.json')) as Sample[];
  const readme = read('samples/README.md');
  const events = (file: string): AgentEvent[] =>
    jsonLines(read('samples', file)).map((line) => eventSchema.parse(line));

  it('are those listed in the manifest', () => {
    const files = readdirSync(join(root, 'samples')).filter((file) => file.endsWith('.jsonl'));
    expect(manifest.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
    const sessions = manifest.map(({ file }) => events(file)[0]?.sessionId);
    expect(new Set(sessions).size).toBe(manifest.length);
  });

  const cases = manifest.flatMap(({ file, expect: wanted }) =>
    Object.entries(wanted).map(([preset, detector]) => ({ file, preset: preset as PresetName, detector })),
  );
  it.each(cases)('$file, preset $preset: $detector', ({ file, preset, detector }) => {
    const opened = verdicts({ preset }, events(file)).find(({ phase }) => phase === 'opened');
    expect(opened?.detector ?? null).toBe(detector);
  });

  it.each(manifest)('$file is one session with ids and times in order', ({ file, expect: wanted }) => {
    const all = events(file);
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const times = all.map(({ time }) => Number(time));
    expect(times[0]).toBeGreaterThanOrEqual(1_760_000_000_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Object.keys(wanted)).toContain('stream');
  });

  it.each(manifest)('$file has a row in the README with the verdicts of preset stream', (sample) => {
    const says = sample.expect.stream == null ? 'silent' : `\`${sample.expect.stream}\``;
    const name = sample.file.replace('.events.jsonl', '');
    expect(readme).toContain(`| \`${name}\` | ${sample.title} | ${sample.pattern} | ${says} |`);
  });

  it('that only look like loops give no verdict with preset stream', () => {
    const loud = manifest.filter((sample) => sample.shows === 'look-alike' && sample.expect.stream !== null);
    expect(loud).toEqual([]);
  });

  it('are classified correctly by preset balanced', () => {
    const said = (shows: Sample['shows'], detectors: readonly unknown[]): string[] =>
      manifest
        .filter((sample) => sample.shows === shows && detectors.includes(sample.expect.balanced))
        .map(({ file }) => file);
    const lookAlikes = manifest.filter(({ shows }) => shows === 'look-alike');
    expect(said('look-alike', [null, 'outage'])).toEqual(lookAlikes.map(({ file }) => file));
    expect(said('loop', [null, 'outage', undefined])).toEqual([]);
  });

  it('that repeat thoughts are detected with thought_loop on', () => {
    const found = verdicts(
      { preset: 'stream', thought_loop: { enabled: true } },
      events('thought-chant.events.jsonl'),
    );
    expect(found[0]).toMatchObject({ phase: 'opened', detector: 'thought-repeat' });
  });
});
