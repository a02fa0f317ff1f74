import type { PresetName } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { shown } from '../evidence.ts';
import { call, run, runReloading, text } from '../sessions.ts';
import { degenerateTexts } from './degenerate-texts.ts';
import { lookAlikes } from './look-alikes.ts';

const opened = (whole: string, type: 'content' | 'thought' = 'content'): PureVerdict | undefined =>
  run([{ type, text: whole }], { preset: 'balanced' }).find(({ phase }) => phase === 'opened');

describe('degenerate text is detected:', () => {
  test.each(degenerateTexts)('$name', ({ text: whole, rule }) => {
    const verdict = opened(whole);
    expect(verdict?.detector).toBe('content-repeat');
    if (rule !== undefined) expect(shown(verdict, 'rule')).toBe(rule);
    expect(opened(whole, 'thought')?.detector).toBe('thought-repeat');
  });

  test.each(degenerateTexts)('$name: the evidence has the right positions', ({ text: whole }) => {
    const { evidence } = opened(whole) ?? { evidence: {} };
    const { at, excerpt, positions } = evidence as {
      at: number;
      excerpt: { from: number; text: string };
      positions: readonly number[];
    };
    // What is longer than 2,000 units is cut.
    expect(whole.slice(excerpt.from, at + 1).startsWith(excerpt.text.replace(/…$/, ''))).toBe(true);
    expect(excerpt.text.length).toBeGreaterThan(100);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(positions.length).toBeGreaterThan(1);
    expect(positions.every((position) => position <= at)).toBe(true);
  });
});

describe('a repetition from the first unit', () => {
  test.each(['G', '!', '0', '1,', '😂', 'na', 'ok ', '</b>', '142857', 'Yes, no '])(
    'of %j is detected within twice the units that equal windows need',
    (unit) => {
      const whole = unit.repeat(200);
      const at = (preset: PresetName): number => {
        const found = run([text(whole)], { preset }).find(({ phase }) => phase === 'opened');
        return Number(shown(found, 'at')) + 1;
      };
      expect(at('balanced')).toBeLessThanOrEqual(2 * at('stream'));
    },
  );
});

describe('a passage too long to be in memory twice', () => {
  test('is reported with its distance', () => {
    const passage = lookAlikes.find(({ name }) => name === 'a FASTA sequence')?.text.slice(0, 2200) ?? '';
    const verdict = opened(`${passage}\n`.repeat(6));
    expect(verdict?.evidence).toMatchObject({ rule: 'block', distance: 2201 });
  });
});

describe.each(degenerateTexts)('$name: gives the same verdicts', ({ text: whole }) => {
  const places = (verdicts: readonly PureVerdict[]) =>
    verdicts.map(({ phase, count, reason, evidence }) => ({ phase, count, reason, evidence }));
  const expected = places(run([text(whole)], { preset: 'balanced' }));

  test.each([1, 3, 48, 1000])('in pieces of %i', (size) => {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
      text(whole.slice(n * size, (n + 1) * size)),
    );
    expect(places(run(pieces, { preset: 'balanced' }))).toEqual(expected);
    if (size >= 48)
      expect(places(runReloading(pieces, () => true, { preset: 'balanced' }))).toEqual(expected);
  });
});

describe('legitimate repetition is no loop:', () => {
  test.each(lookAlikes)('$name', ({ text: whole }) => {
    expect(opened(whole)).toBeUndefined();
    expect(opened(whole, 'thought')).toBeUndefined();
  });

  test('all of these texts one after the other', () => {
    expect(opened(lookAlikes.map((part) => part.text).join('\n\nAnd then something else again.\n\n'))).toBe(
      undefined,
    );
  });
});

describe('a looping list', () => {
  const list = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, n) => `${String(from + n)}. A garden that is no garden.\n`).join(
      '',
    );

  test('is described in its reason, and blocked when it continues', () => {
    const verdicts = run([text(list(1, 50)), text(list(50, 60))], { preset: 'balanced' });
    expect(verdicts.map(({ phase, action }) => [phase, action])).toEqual([
      ['opened', 'chance'],
      ['escalated', 'block'],
      ['escalated', 'block'],
    ]);
    expect(verdicts[0]?.reason).toMatch(
      /^“\d+\. A garden that is no garden\.” appears \d\d times in the answer, about every 32 characters, with only its numbers changing$/,
    );
  });

  test('is resolved by other text', () => {
    const other = lookAlikes.find(({ name }) => name === 'legal text')?.text ?? '';
    const verdicts = run([text(list(1, 50)), text(other)], { preset: 'balanced' });
    expect(verdicts.at(-1)).toMatchObject({ phase: 'resolved', outcome: 'recovered' });
  });

  test('does not continue across a tool call', () => {
    const half = list(1, 25);
    const after = list(25, 49);
    const loops = (events: Parameters<typeof run>[0]): boolean =>
      run(events, { preset: 'balanced' }).length > 0;
    expect(loops([text(half), text(after)])).toBe(true);
    expect(loops([text(half), call('read'), text(after)])).toBe(false);
  });
});
