import { afterEach, describe, expect, test, vi } from 'vitest';
import { createToolCallTracker } from '../../src/index.ts';

type Call = readonly [name: string, args: unknown, seconds: number];
const france = (year: string): string =>
  JSON.stringify({ query: `population of France in the year ${year}` });

function track(config: Parameters<typeof createToolCallTracker>[0], calls: readonly Call[]) {
  const tracker = createToolCallTracker(config);
  return calls.map(([name, args, seconds]) => tracker.track(name, args, seconds * 1000));
}

const counts = (config: Parameters<typeof createToolCallTracker>[0], calls: readonly Call[]) =>
  track(config, calls).map(({ count }) => count);

describe('tool call tracker by default', () => {
  test('blocks the third similar call within five minutes', () => {
    const calls: Call[] = [
      ['search_web', france('2021'), 0],
      ['search_web', france('2022'), 60],
      ['search_web', france('2023'), 120],
    ];
    const [first, second, third] = track({}, calls);
    expect(first).toEqual({ blocked: false, reason: null, count: 1, action: 'none' });
    expect(second).toMatchObject({ blocked: false, count: 2 });
    expect(third).toMatchObject({ blocked: true, count: 3, action: 'block' });
    expect(third?.reason).toContain(
      "Tool call loop detected: 'search_web' invoked with similar params 3 times",
    );
  });

  test.each<[string, Call[], number[]]>([
    [
      'does not count other arguments',
      [
        ['a', { q: 'one' }, 0],
        ['a', { q: 'another thing' }, 1],
        ['a', { q: 'one' }, 2],
      ],
      [1, 1, 2],
    ],
    [
      'does not count other tools',
      [
        ['a', {}, 0],
        ['b', {}, 1],
        ['a', {}, 2],
      ],
      [1, 1, 2],
    ],
    [
      'counts a call after 300 seconds, but not after more',
      [
        ['a', {}, 0],
        ['a', {}, 300],
        ['a', {}, 301],
      ],
      [1, 2, 2],
    ],
    [
      'ignores key order and accepts JSON text',
      [
        ['a', { x: 1, y: 2 }, 0],
        ['a', '{"y":2,"x":1}', 1],
      ],
      [1, 2],
    ],
  ])('%s', (_, calls, expected) => {
    expect(counts({}, calls)).toEqual(expected);
  });
});

describe('tool call tracker without a time', () => {
  afterEach(() => void vi.useRealTimers());

  test('takes the current time', () => {
    vi.useFakeTimers({ now: 1_760_000_000_000 });
    const tracker = createToolCallTracker();
    const after = (ms: number) => {
      vi.advanceTimersByTime(ms);
      return tracker.track('a', {}).count;
    };
    expect([after(0), after(300_000), after(1)]).toEqual([1, 2, 2]);
    expect(tracker.track('a', {}, 0).count).toBe(1);
  });
});

describe('tool call tracker settings', () => {
  const fourTimes: Call[] = [0, 1, 2, 3].map((second) => ['search_web', {}, second]);

  test.each([
    ['warn', ['none', 'none', 'warn', 'warn'], [false, false, false, false]],
    ['block', ['none', 'none', 'block', 'block'], [false, false, true, true]],
    ['chance_then_block', ['none', 'none', 'chance', 'block'], [false, false, false, true]],
  ] as const)('mode %s determines actions and blocking', (mode, actions, blocked) => {
    const tracked = track({ mode }, fourTimes);
    expect(tracked.map(({ action }) => action)).toEqual(actions);
    expect(tracked.map((call) => call.blocked)).toEqual(blocked);
  });

  test('a chance has a reason with pattern, window and call', () => {
    const reason = track({ mode: 'chance_then_block' }, fourTimes)[2]?.reason;
    for (const part of [
      'search_web',
      '3 times',
      'within 300 seconds',
      'arguments {}',
      'one corrected tool call',
    ])
      expect(reason).toContain(part);
  });

  test('error_messages replace the texts', () => {
    const error_messages = { block: 'No.', warning: 'Careful.' };
    expect(
      track({ mode: 'chance_then_block', error_messages }, fourTimes).map(({ reason }) => reason),
    ).toEqual([null, null, 'Careful.', 'No.']);
  });

  test('per_tool sets limits of single tools', () => {
    const config = { per_tool: { search_web: { max_repeats: 2 }, get_weather: { max_repeats: 5 } } };
    expect(track(config, fourTimes).map(({ blocked }) => blocked)).toEqual([false, true, true, true]);
    const weather: Call[] = [1, 2, 3, 4, 5].map((second) => ['get_weather', {}, second]);
    expect(track(config, weather).map(({ blocked }) => blocked)).toEqual([false, false, false, false, true]);
  });

  test.each([
    [{ similarity_threshold: 0.99 }, [1, 1]],
    [{ similarity_threshold: 0.5 }, [1, 2]],
    [{ similarity_threshold: 0.99, similarity: { threshold: 0.5 } }, [1, 2]],
    [{ similarity: { ignore_case: true, threshold: 1 } }, [1, 1]],
    [{ similarity: { algorithm: 'jaccard', threshold: 0.6 } } as const, [1, 2]],
  ])('%j determines which calls are similar', (config, expected) => {
    const calls: Call[] = [
      ['a', { q: 'population of France 2022' }, 0],
      ['a', { q: 'population of France 2023' }, 1],
    ];
    expect(counts(config, calls)).toEqual(expected);
  });

  test('white space and case can be ignored', () => {
    const calls: Call[] = [
      ['a', { q: 'Population  of\nFrance' }, 0],
      ['a', { q: 'population of france' }, 1],
    ];
    const similarity = { threshold: 1, normalize_whitespace: true, ignore_case: true };
    expect(counts({ similarity }, calls)).toEqual([1, 2]);
    expect(counts({ similarity: { threshold: 1 } }, calls)).toEqual([1, 1]);
  });

  test('enabled: false counts nothing', () => {
    expect(counts({ enabled: false }, fourTimes)).toEqual([0, 0, 0, 0]);
    expect(counts({ preset: 'similar', enabled: false }, fourTimes)).toEqual([0, 0, 0, 0]);
  });

  test('preset proxy applies its threshold and wording', () => {
    const tracked = track({ preset: 'proxy' }, fourTimes);
    expect(tracked.map(({ blocked }) => blocked)).toEqual([false, false, false, true]);
    expect(tracked[3]?.reason).toContain("'search_web' invoked with identical params 4 times within 120s");
  });

  test('an invalid setting is named in the error', () => {
    expect(() => createToolCallTracker({ max_repeats: 1 })).toThrow('max_repeats');
  });
});
