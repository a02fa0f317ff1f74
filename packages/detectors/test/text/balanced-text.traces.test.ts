import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AgentEvent, PresetName } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { analyzer, text } from '../sessions.ts';

/** The figures of docs/detectors/content-repeat.md, on data that is not part of the project. */
const data = resolve(process.env['LOOPWATCH_SHARED_DATA'] ?? '../shared/data');

function jsonLines<T>(...path: string[]): T[] {
  const bytes = readFileSync(join(data, ...path));
  const whole = path.at(-1)?.endsWith('.gz') === true ? gunzipSync(bytes) : bytes;
  return whole
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

interface Stream {
  readonly sessionId: string;
  readonly loop: boolean | null;
  readonly chunks: readonly string[];
}

/** Characters of a stream up to the unit at which a preset finds it looping. */
function needed({ chunks }: Stream, preset: PresetName): number | undefined {
  const session = analyzer({ preset });
  for (const chunk of chunks) {
    for (const verdict of session.push(text(chunk)).verdicts)
      if (verdict.detector === 'content-repeat') return verdict.evidence.at + 1;
  }
  return undefined;
}

describe('answers of small models', () => {
  const streams = jsonLines<Stream>('streams', 'small-models.jsonl.gz').map((stream) => ({
    ...stream,
    seed: needed(stream, 'stream'),
    balanced: needed(stream, 'balanced'),
  }));

  test('are loops exactly if degenerate', () => {
    const wrong = streams.filter(({ loop, balanced }) => loop !== null && loop !== (balanced !== undefined));
    expect(wrong.map(({ sessionId }) => sessionId)).toEqual([]);
    expect(streams.filter(({ loop }) => loop === true)).toHaveLength(34);
    expect(streams.filter(({ loop }) => loop === false)).toHaveLength(5);
    expect(streams.filter(({ loop, seed }) => loop === true && seed !== undefined)).toHaveLength(31);
    expect(streams.filter(({ seed, balanced }) => seed !== undefined && balanced === undefined)).toEqual([]);
  });

  test('are detected within twice the characters that equal windows need', () => {
    const ratios = streams
      .flatMap(({ seed, balanced }) =>
        seed === undefined || balanced === undefined ? [] : [balanced / seed],
      )
      .toSorted((a, b) => a - b);
    expect(ratios).toHaveLength(31);
    expect(ratios[15]).toBeLessThan(1.1);
    expect(ratios.at(-1)).toBeLessThan(1.6);
  });
});

describe('runs of real agents', () => {
  const files = ['trajectories', 'sessions'].flatMap((folder) =>
    readdirSync(join(data, folder))
      .filter((name) => name.endsWith('.events.jsonl.gz'))
      .map((name) => join(folder, name)),
  );

  /** A model that repeats one line of code in its answer for 20,000 units. */
  const loops = new Set(['minig3-67001653']);

  test.each(files)('contain no text loop but the known one: %s', (file) => {
    const sessions = new Map<string, ReturnType<typeof analyzer>>();
    const alarms: string[] = [];
    let units = 0;
    for (const event of jsonLines<AgentEvent & { readonly sessionId: string }>(file)) {
      const { sessionId } = event;
      const session = sessions.get(sessionId) ?? analyzer({ preset: 'balanced' }, sessionId);
      sessions.set(sessionId, session);
      if (event.type === 'content') units += String(event['text']).length;
      for (const { detector, reason } of session.push(event).verdicts)
        if ((detector === 'content-repeat' || detector === 'thought-repeat') && !loops.has(sessionId))
          alarms.push(`${sessionId}: ${reason}`);
    }
    expect(alarms).toEqual([]);
    expect(units).toBeGreaterThan(30_000);
  });
});
