import { detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { expectedResults } from './expected.ts';
import { Random } from './random.ts';
import { Traffic } from './traffic.ts';

const IDLE_MS = 200_000;

function records(seed: number, count: number, idle = IDLE_MS) {
  const traffic = new Traffic({ startsAt: 0, stepMs: 67, idleMs: idle, random: new Random(seed) });
  return Array.from({ length: count }, () => traffic.next());
}

describe('Traffic', () => {
  it('chaos traffic: is determined by the seed', () => {
    expect(records(1, 2000)).toEqual(records(1, 2000));
    expect(records(1, 2000)).not.toEqual(records(2, 2000));
  });

  it('chaos traffic: keeps causing verdicts of many kinds and dead letters', async () => {
    const produced = records(1, 6_000).map((record, offset) => ({
      ...record,
      offset,
      partition: 0,
      headers: {},
    }));
    const detection = detectionSchema.parse({ tool_call_loop: { max_repeats: 3 } });
    const { verdicts, deadLetters } = await expectedResults('events', produced, detection);
    const detectors = new Set(verdicts.map(({ detector }) => detector));
    expect([...detectors]).toEqual(
      expect.arrayContaining(['tool-repeat', 'tool-cycle', 'stagnation', 'outage']),
    );
    expect(verdicts.length).toBeGreaterThan(produced.length / 100);
    expect(new Set(deadLetters.map((line) => (JSON.parse(line) as { reason: string }).reason)).size).toBe(5);
  });

  it('chaos traffic: some sessions resume after the session timeout', () => {
    const times = new Map<string | null, number>();
    const pauses = records(1, 30_000).map(({ key, timestamp }) => {
      const pause = timestamp - (times.get(key) ?? timestamp);
      times.set(key, timestamp);
      return key?.startsWith('absent') ? pause : 0;
    });
    expect(pauses.filter((pause) => pause > IDLE_MS * 2).length).toBeGreaterThan(5);
    expect(pauses.filter((pause) => pause > IDLE_MS / 2 && pause < IDLE_MS).length).toBeGreaterThan(5);
  });

  it('chaos traffic: repeats ids only within their session', () => {
    const idle = 5_000;
    const seen = new Map<string, number>();
    const distances = records(1, 20_000, idle).flatMap(({ value, timestamp }) => {
      const { id } = JSON.parse(value?.startsWith('{"v":1,"id"') ? value : '{}') as { id?: string };
      if (id === undefined) return [];
      const before = seen.get(id);
      seen.set(id, timestamp);
      return before === undefined ? [] : [timestamp - before];
    });
    expect(distances.length).toBeGreaterThan(50);
    expect(Math.max(...distances)).toBeLessThanOrEqual(2 * idle);
  });
});
