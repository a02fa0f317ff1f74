import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextRule } from '../../src/text/text-index.ts';
import { type Action, actualReports, expectedReports, lines } from './repeat-oracle.ts';

const stream: TextRule = { window: 50, threshold: 10, maxDistance: 250 };

function agree(actions: readonly Action[], options: TextRule): number {
  const expected = lines(expectedReports(actions, options));
  const actual = lines(actualReports(actions, options));
  // Long lists are compared as one text first: a difference is then shown where it begins.
  if (actual.join('\n') !== expected.join('\n')) {
    const at = Math.max(
      2,
      actual.findIndex((line, i) => line !== expected[i]),
    );
    expect(actual.slice(at - 2, at + 5), `report ${String(at)}`).toEqual(expected.slice(at - 2, at + 5));
    expect(actual).toHaveLength(expected.length);
  }
  return expected.length;
}

const anyOptions = fc.record({
  window: fc.oneof(fc.integer({ min: 8, max: 20 }), fc.integer({ min: 8, max: 64 })),
  threshold: fc.integer({ min: 2, max: 12 }),
  maxDistance: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 250 })),
});

/** Texts of few letters, among them one that only differs in its upper byte. */
const letters = ['a', 'b', '\u0161', '\ud83d'];

/** Literal letters and copies of what came before: text that repeats itself at all distances and breaks off anywhere. */
const copiedText = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }) },
      {
        weight: 3,
        arbitrary: fc.record({
          back: fc.integer({ min: 1, max: 300 }),
          size: fc.integer({ min: 1, max: 400 }),
        }),
      },
    ),
    { maxLength: 14 },
  )
  .map((parts) => {
    let text = '';
    for (const part of parts) {
      if (Array.isArray(part)) text += part.map((letter) => letters[letter]).join('');
      else for (let i = 0; i < part.size; i += 1) text += text.charAt(text.length - part.back) || 'a';
    }
    return text;
  });

const periodicText = fc
  .record({
    block: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 120 }),
    size: fc.integer({ min: 0, max: 2500 }),
    noise: fc.array(fc.integer({ min: 0, max: 2500 }), { maxLength: 8 }),
  })
  .map(({ block, size, noise }) => {
    const text = Array.from({ length: size }, (_, i) => letters[block[i % block.length] ?? 0]);
    for (const place of noise) if (place < size) text[place] = 'x';
    return text.join('');
  });

const randomText = fc
  .array(fc.integer({ min: 0, max: 1 }), { maxLength: 1500, size: 'max' })
  .map((text) => text.map((letter) => letters[letter]).join(''));

const anyText = fc.oneof(copiedText, periodicText, randomText);

/** A text in pieces, with restarts and reloads between some of them. */
const anyActions = fc
  .record({
    texts: fc.array(anyText, { minLength: 1, maxLength: 3 }),
    cuts: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 12 }),
    between: fc.array(fc.constantFrom(undefined, undefined, undefined, 'reload', 'restart'), {
      minLength: 1,
      maxLength: 12,
    }),
  })
  .map(({ texts, cuts, between }) => {
    const text = texts.join('');
    const actions: Action[] = [];
    for (let i = 0, n = 0; i < text.length; n += 1) {
      const size = cuts[n % cuts.length] ?? 1;
      actions.push({ append: text.slice(i, i + size) });
      i += size;
      const then = between[n % between.length];
      if (then !== undefined) actions.push(then);
    }
    return actions;
  });

describe('RepeatIndex agrees with the definition', () => {
  test('for any texts, pieces, restarts, reloads and options', () => {
    let reports = 0;
    fc.assert(
      fc.property(anyActions, anyOptions, (actions, options) => {
        reports += agree(actions, options);
      }),
      { seed: 1, numRuns: 1500 },
    );
    expect(reports).toBeGreaterThan(50_000);
  });

  test('for texts without restarts', () => {
    let reports = 0;
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 3 }), anyOptions, (texts, options) => {
        reports += agree([{ append: texts.join('') }], options);
      }),
      { seed: 2, numRuns: 1500 },
    );
    expect(reports).toBeGreaterThan(50_000);
  });

  test('with the settings of preset stream', () => {
    let reports = 0;
    fc.assert(
      fc.property(fc.array(periodicText, { minLength: 1, maxLength: 3 }), (texts) => {
        reports += agree([{ append: texts.join('') }], stream);
      }),
      { seed: 3, numRuns: 300 },
    );
    expect(reports).toBeGreaterThan(10_000);
  });
});

/** Text without any repetition: numbers in words of five letters. */
function fresh(size: number, from = 0): string {
  let text = '';
  for (let n = from; text.length < size; n += 1) text += n.toString(26).padStart(5, '.');
  return text.slice(0, size);
}

describe('RepeatIndex handles every period', () => {
  test.each(Array.from({ length: 26 }, (_, i) => i * 10 + 1))('ten periods from %i', (first) => {
    for (let period = first; period < first + 10; period += 1) {
      const text = fresh(100) + fresh(period, 1000).repeat(Math.ceil(2600 / period)) + fresh(400, 50_000);
      const reports = agree([{ append: text }], stream);
      expect(reports > 0).toBe(period <= 250);
    }
  });
});

describe('RepeatIndex while its memory grows', () => {
  const sizes = [256, 512, 1024, 2048, 2300, 2301, 2304, 2312, 4600, 4608];
  test.each(sizes)('handles a loop that starts or ends around unit %i', (size) => {
    for (let shift = -3; shift <= 3; shift += 1) {
      const loop = fresh(37, 90_000);
      const before = fresh(size + shift);
      agree([{ append: before + loop.repeat(15) + fresh(300, 70_000) }], stream);
      agree([{ append: loop.repeat(200).slice(0, size + shift) + before + loop.repeat(20) }], stream);
      agree([{ append: loop.repeat(15) }, 'restart', { append: before + loop.repeat(15) }], stream);
    }
  });

  test.each([
    { window: 8, threshold: 2, maxDistance: 1 },
    { window: 8, threshold: 64, maxDistance: 1000 },
    { window: 256, threshold: 2, maxDistance: 1 },
    { window: 256, threshold: 3, maxDistance: 1000 },
    { window: 255, threshold: 64, maxDistance: 1000 },
    { window: 31, threshold: 10, maxDistance: 33 },
  ])('handles the limits of the settings: $window units, $threshold times, $maxDistance apart', (limits) => {
    const options: TextRule = { ...limits };
    for (const period of [1, 2, 7, 8, 9, 255, 256, 257, 1000, 1001]) {
      const size = Math.min(70_000, (limits.threshold + 2) * period + limits.window + 300);
      const loop = fresh(period, 11).repeat(Math.ceil(size / period));
      agree([{ append: fresh(300) + loop + fresh(1200, 60_000) + loop.slice(0, 600) }], options);
    }
  });
});

test('RepeatIndex: handles a text of more than 65,536 units', () => {
  const loop = fresh(41, 200_000);
  const text = fresh(66_000) + loop.repeat(20) + fresh(66_000, 20_000) + loop.repeat(20);
  expect(agree([{ append: text }], stream)).toBeGreaterThan(800);
  expect(agree([{ append: loop.repeat(3300) }], stream)).toBeGreaterThan(100_000);
});

test('RepeatIndex: keeps nothing across many restarts', () => {
  const actions: Action[] = [];
  for (let n = 0; n < 3000; n += 1) actions.push({ append: fresh(60 + (n % 7)) }, 'restart');
  expect(agree(actions, stream)).toBe(0);
});
