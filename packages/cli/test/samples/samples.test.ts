import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEventType } from '@loopwatch/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { samplesDir } from '../../src/runtime/installation.ts';
import { loadSamples } from '../../src/samples/load-samples.ts';
import { pausesBefore } from '../../src/samples/sample-player.ts';

describe('loadSamples', () => {
  const samples = loadSamples(samplesDir);

  it('samples: every file is loaded once', () => {
    const files = readdirSync(samplesDir).filter((file) => file.endsWith('.events.jsonl'));
    expect(samples.map(({ name }) => `${name}.events.jsonl`).toSorted()).toEqual(files.toSorted());
    expect(samples.length).toBeGreaterThan(20);
  });

  it('samples: the first ones soon show a loop', () => {
    expect(samples.slice(0, 4).map(({ name }) => name)).toEqual([
      'content-chant',
      'tool-repeat-read-file',
      'polling-progress',
      'polling-never-changes',
    ]);
  });

  it.each(samples)(
    'sample $name: is one complete session of at most 40 seconds',
    ({ name, sessionId, events }) => {
      const lines = readFileSync(join(samplesDir, `${name}.events.jsonl`), 'utf8')
        .trim()
        .split('\n');
      expect(events).toEqual(lines.map((line) => JSON.parse(line) as unknown));
      expect(new Set(events.map((event) => event.sessionId))).toEqual(new Set([sessionId]));
      expect(events.filter(({ type }) => !isEventType(type))).toEqual([]);
      const pauses = pausesBefore(events);
      expect(pauses).toHaveLength(events.length);
      expect(pauses[0]).toBe(0);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(1500);
      const total = pauses.reduce((sum, pause) => sum + pause);
      expect(total).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(40_000.001);
    },
  );

  it('samples: a bad line is reported by file and line', () => {
    const dir = mkdtempSync(join(tmpdir(), 'loopwatch-samples-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, 'README.md'), 'no sample');
    expect(loadSamples(dir)).toEqual([]);
    const file = join(dir, 'bad.events.jsonl');
    writeFileSync(file, '{"type":"turn_started","sessionId":"s"}\n{"type":"content","sessionId":"s"}\n');
    expect(() => loadSamples(dir)).toThrow(UsageError);
    expect(() => loadSamples(dir)).toThrow(`${file}:2: text: `);
  });
});

describe('pausesBefore', () => {
  const at = (...times: (number | string | undefined)[]) =>
    pausesBefore(times.map((time) => ({ type: 'turn_started', ...(time !== undefined && { time }) })));

  it.each<[string, (number | string | undefined)[], number[]]>([
    ['none before the first', [5000], [0]],
    ['the recorded ones', [0, 100, 100, 350], [0, 100, 0, 250]],
    ['computed from ISO dates', ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'], [0, 1000]],
    ['at most one and a half seconds', [0, 1500, 3001, 90_000], [0, 1500, 1500, 1500]],
    ['none when time goes backwards', [1000, 0, 10], [0, 0, 10]],
    ['none before an event without a time', [0, undefined, 100], [0, 0, 100]],
    ['none without any times', [undefined, undefined, 100], [0, 0, 0]],
    ['none without events', [], []],
  ])('sample pauses: %s', (_, times, expected) => {
    expect(at(...times)).toEqual(expected);
  });

  it('sample pauses: are scaled down to 40 seconds in total', () => {
    const times = Array.from({ length: 81 }, (_, i) => i * 1000);
    const pauses = at(...times);
    expect(pauses[0]).toBe(0);
    expect(new Set(pauses.slice(1))).toEqual(new Set([500]));
    expect(at(...times.slice(0, 41)).slice(1)).toEqual(Array(40).fill(1000));
  });
});
