import { createSessionAnalyzer } from '@loopwatch/detectors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costPerMinute, costSentence } from '../src/incident/cost.ts';
import { callsLine, pairs, stepsOf, totalOf } from '../src/incident/evidence/calls-line.ts';
import { diff, prettyJson } from '../src/incident/evidence/diff.ts';
import { highlight, repetitionsOf } from '../src/incident/evidence/repetitions.ts';
import {
  formatAgo,
  formatCompact,
  formatDuration,
  formatLag,
  formatOffset,
  formatReason,
  formatStep,
} from '../src/lib/format.ts';
import { ratesOf } from '../src/overview/rate.ts';
import { faviconFor } from '../src/page/favicon.ts';
import { writeSet } from '../src/settings/address.ts';
import { jsonExamples, labelOf } from '../src/settings/value.ts';
import { readMoved, toConfig } from '../src/tuning/config.ts';
import { ringLabel, ringShape, ringText } from '../src/ui/charts/ring-arcs.ts';
import { incident, NOW, row, settingKey } from './rows.ts';

describe('the ring', () => {
  it.each([
    [{ count: 23, threshold: 5, period: 1 }, 'seen 23 times, threshold 5'],
    [{ count: 1, threshold: 5, period: 1 }, 'seen 1 time, threshold 5'],
    [{ count: 9, threshold: 3, period: 2 }, 'cycle of 2 seen 9 times, threshold 3'],
  ])('of %j has the text alternative "%s"', (data, text) => {
    expect(ringText(data, false)).toBe(text);
  });

  it('has a dot for each step of the cycle, and never a closed arc', () => {
    expect(ringShape({ count: 9, threshold: 3, period: 3 }, 16, 12).dots).toHaveLength(3);
    expect(ringShape({ count: 900, threshold: 0, period: 99 }, 16, 12).arc).not.toContain('NaN');
    const counts = [999, 1_000, 12_345, 999_999, 3_456_789, 2e9];
    expect(counts.map((count) => ringLabel(count, false))).toEqual(['999', '1k', '12k', '999k', '3M', '2B']);
    expect([139, 111_111_102].map((count) => ringLabel(count, true))).toEqual(['139%', '111M%']);
    expect(ringText({ count: 139, threshold: 100, period: 1 }, true)).toBe('139% used');
  });

  it('shows the number of open incidents in the favicon', () => {
    expect(faviconFor(0)).toBe('/favicon.svg');
    expect(decodeURIComponent(faviconFor(7))).toContain('>7</text>');
    expect(decodeURIComponent(faviconFor(700))).toContain('>99+</text>');
  });
});

describe('formatting', () => {
  it.each([
    [12, '12 ms'],
    [8_250, '8.2 s'],
    [59_900, '59 s'],
    [134_000, '2m 14s'],
    [3_900_000, '1h 05m'],
    [273_600_000, '3d 4h'],
  ])('formatDuration: %i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [0, 'just now'],
    [12_000, '12 s ago'],
    [240_000, '4 min ago'],
    [10_800_000, '3 h ago'],
    [432_000_000, '5 d ago'],
  ])('formatAgo: %i ms is %s', (ms, text) => {
    expect(formatAgo(ms)).toBe(text);
  });

  it.each([
    [30_000, '30 s'],
    [600_000, '10 min'],
    [10_800_000, '3 h'],
    [604_800_000, '7 d'],
    [90_000, '90 s'],
    [1_500, '1.5 s'],
    [0, '0 ms'],
  ])('formatStep: %i ms is %s', (ms, text) => {
    expect(formatStep(ms)).toBe(text);
  });

  it.each([
    [900, '1 s'],
    [12_000, '12 s'],
    [95_000, '2 min'],
    [300_000, '5 min'],
    [3_700_000, '2 h'],
  ])('formatLag: %i ms is at most %s', (ms, text) => {
    expect(formatLag(ms)).toBe(text);
  });

  it.each([
    [7_199_000, '2 h'],
    [3_599_000, '1 h'],
    [1_805_000, '30 min'],
    [3 * 86_400_000 - 20_000, '3 d'],
  ])('formatOffset: a clock that is %i ms wrong is off by %s', (ms, text) => {
    expect(formatOffset(ms)).toBe(text);
  });

  it('formatCompact: shortens large numbers', () => {
    expect([950, 41_200, 1_900_000].map(formatCompact)).toEqual(['950', '41.2k', '1.9M']);
  });

  it('costPerMinute: adds up the pace of loops with a price', () => {
    const loop = (usd: number | null, ms: number) => row({ cost: { ...row().cost, usd, ms } });
    expect(costPerMinute([loop(0.5, 30_000), loop(0.3, 180_000), loop(null, 1_000)])).toBeCloseTo(1.1);
    expect(costPerMinute([loop(null, 1_000)])).toBeUndefined();
    expect(costPerMinute([loop(0.5, 0)])).toBeUndefined();
    expect(costPerMinute([])).toBeUndefined();
  });

  it('costSentence: contains the known figures', () => {
    expect(costSentence(row())).toBe('5 calls and 5 model requests in 8.2 s so far.');
    const cost = { calls: 0, turns: 0, characters: 0, tokens: null, ms: 500 };
    expect(costSentence(row({ cost, state: 'resolved' }))).toBe('Lasted 500 ms.');
    const batches = { calls: 15, turns: 5, characters: 0, tokens: null, ms: 500 };
    const paid = { calls: 5, turns: 5, characters: 0, tokens: 1200, cachedTokens: 900, usd: 0.004, ms: 500 };
    expect(costSentence(row({ cost: paid }))).toMatch(/^\$0\.004, 1,200 tokens, 5 calls/);
    expect(costSentence(row({ cost: { ...paid, usd: null }, model: 'gpt-9' }))).toMatch(
      / No price for gpt-9\.$/,
    );
    expect(costSentence(row({ cost: batches, count: 5 }))).toMatch(
      /^15 calls in 5 steps and 5 model requests in/,
    );
  });
});

describe('loops per 100 sessions, step by step', () => {
  const step = (at: number, loops: number, sessions: number) => ({ at, loops, sessions });
  const full = [step(0, 1, 10), step(60, 0, 0), step(120, 3, 10)];

  it.each([
    ['all steps are over', full, 180, [10, null, 30]],
    ['the last step goes on', [...full, step(180, 0, 4)], 200, [10, null, 30, null]],
    ['only the last step has sessions', [step(120, 0, 0), step(180, 1, 4)], 200, [null, 25]],
    ['there are none', [], 200, []],
  ])('%s', (_, steps, to, rates) => {
    expect(ratesOf({ steps, stepMs: 60 }, to)).toEqual(rates);
  });
});

describe('diff of two texts', () => {
  const words = fc.array(fc.constantFrom('path', '"a"', ':', ' ', '1', '{', 'x'), { maxLength: 30 });

  it('preserves both texts', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const { before, after } = diff(a.join(''), b.join(''));
        expect(before.map(({ text }) => text).join('')).toBe(a.join(''));
        expect(after.map(({ text }) => text).join('')).toBe(b.join(''));
        const same = (pieces: typeof before) =>
          pieces.flatMap((piece) => (piece.same ? piece.text : [])).join('');
        expect(same(before)).toBe(same(after));
      }),
    );
  });

  it('marks only what differs', () => {
    const { before, after } = diff('{ "limit": 5, "q": "a" }', '{ "limit": 10, "q": "a" }');
    expect(before.filter(({ same }) => !same)).toEqual([{ text: '5', same: false }]);
    expect(after.filter(({ same }) => !same)).toEqual([{ text: '10', same: false }]);
  });

  it('is empty for equal texts, however long', () => {
    const long = 'word '.repeat(20_000);
    expect(diff(long, long).before).toEqual([{ text: long, same: true }]);
  });

  it('is preceded by pretty-printing, which leaves truncated JSON unchanged', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyJson('{"a":1,"b…')).toBe('{"a":1,"b…');
  });
});

describe('evidence', () => {
  it('of text has repetitions in order, each at the end of its window', () => {
    const window = { length: 3, text: 'xyz' };
    expect(repetitionsOf({ repeated: 'x', window, positions: [3, 1] }).ends).toEqual([4, 6]);
    expect(repetitionsOf({})).toEqual({ repeated: '', ends: [], excerpt: undefined });
  });

  it('marks each repetition at the end of its window', () => {
    const text = 'Well. again again again';
    const evidence = repetitionsOf({
      repeated: 'again ',
      window: { length: 6, text: '' },
      positions: [106, 112],
      excerpt: { from: 100, text },
    });
    const spans = highlight(evidence);
    expect(spans.map((span) => [span.text, span.repetition])).toEqual([
      ['Well. ', undefined],
      ['again ', 0],
      ['again ', 1],
      ['again', undefined],
    ]);
  });

  it('marks equal text before the first known position', () => {
    const evidence = repetitionsOf({
      repeated: 'again ',
      positions: [112, 118],
      window: { length: 6, text: '' },
      excerpt: { from: 100, text: 'again again again again ' },
    });
    expect(highlight(evidence).map((span) => span.repetition)).toEqual([0, 1, 2, 3]);
  });

  it('marks whole periods even if the window ends within one', () => {
    const evidence = repetitionsOf({
      repeated: 'again\n',
      window: { length: 3, text: '' },
      positions: [6, 12],
      excerpt: { from: 0, text: 'again\nagain\nagain\nag' },
    });
    expect(highlight(evidence).map((span) => [span.text, span.repetition])).toEqual([
      ['again\n', 0],
      ['again\n', 1],
      ['again\nag', undefined],
    ]);
  });

  it('loses no text, whatever the positions', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60 }),
        fc.array(fc.integer({ min: -20, max: 90 })),
        (text, positions) => {
          const evidence = repetitionsOf({ repeated: 'abc', positions, excerpt: { from: 5, text } });
          expect(
            highlight(evidence)
              .map((span) => span.text)
              .join(''),
          ).toBe(text);
        },
      ),
    );
  });

  it('groups the calls of a turn into a step, and compares matching calls', () => {
    const batch = (step: number, ...names: string[]) =>
      names.map((name, n) => ({
        name: 'price',
        arguments: `"${name}"`,
        step,
        member: n + 1,
        eventIndex: 9 * step + n,
        eventId: 'e',
        time: NOW,
      }));
    const calls = [...batch(1, 'a', 'b', 'c'), ...batch(4, 'a', 'b', 'c'), ...batch(5, 'c', 'a', 'b')];
    const steps = stepsOf(calls, 5);
    expect(steps.map(({ ordinal, calls: made }) => [ordinal, made.length])).toEqual([
      [1, 3],
      [4, 3],
      [5, 3],
    ]);
    expect(totalOf(steps, 5)).toBe(5);
    const compared = pairs(steps[0]!, steps[2]!);
    expect(compared.map(([before, after]) => [before.arguments, after.arguments])).toEqual([
      ['"a"', '"a"'],
      ['"b"', '"b"'],
      ['"c"', '"c"'],
    ]);
    const { dots } = callsLine(steps, incident({ count: 5 }), 34);
    expect(dots.map(({ step }) => step?.calls.length)).toEqual([3, undefined, undefined, 3, 3]);
  });

  it('places all calls on a line, and omits the middle of very many', () => {
    const call = { eventIndex: 3, eventId: 'e', time: NOW, name: 'ls', arguments: '{}' };
    const calls = Array.from({ length: 8 }, () => call);
    const short = callsLine(stepsOf(calls, 20), incident({ count: 20 }), 34);
    expect(short.dots).toHaveLength(20);
    expect(short.dots.filter(({ step }) => step !== undefined).map(({ ordinal }) => ordinal)).toEqual([
      1, 14, 15, 16, 17, 18, 19, 20,
    ]);
    expect(short.dots.find(({ isDetected }) => isDetected)?.ordinal).toBe(5);
    const long = callsLine(stepsOf(calls, 900), incident({ count: 900 }), 34);
    expect(long.dots.length + long.skipped).toBe(900);
    expect(long.dots.at(-1)?.ordinal).toBe(900);
  });
});

it.each([
  ['ls was called 5 times; the prompt or session ended', 'ls was called 5 times'],
  ['A text was repeated 9 times; the turn was retried', 'A text was repeated 9 times'],
  ['ls; pwd was called 5 times', 'ls; pwd was called 5 times'],
])('formatReason: shortens "%s" to "%s"', (reason, shown) => {
  expect(formatReason(reason)).toBe(shown);
});

it('readMoved: reads changed thresholds from the URL, without invalid ones', () => {
  const moved = { 'tool_call_loop.max_repeats': 7 };
  expect(writeSet(moved)).toEqual(['tool_call_loop.max_repeats:7']);
  expect(readMoved(writeSet(moved), [settingKey()])).toEqual(moved);
  expect(readMoved(['tool_call_loop.max_repeats:1', 'unknown:5', ''], [settingKey()])).toEqual({});
});

it.each([
  ['max_repeats', 'Max repeats'],
  ['ttl_seconds', 'TTL (seconds)'],
  ['usd', 'US dollars'],
  ['per', 'Counted per'],
  ['min_chars', 'Min (characters)'],
])('labelOf: labels %s as "%s"', (path, label) => {
  expect(labelOf(path)).toBe(label);
});

it('jsonExamples: are valid settings', () => {
  for (const [path, example] of Object.entries(jsonExamples)) {
    expect(() => createSessionAnalyzer(toConfig({ [path]: example })), path).not.toThrow();
  }
});
