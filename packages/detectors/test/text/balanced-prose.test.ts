import type { PresetName } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { shown } from '../evidence.ts';
import { run, runReloading, text } from '../sessions.ts';
import { degenerateProse, refrain, soundProse } from './made-prose.ts';

const seeds = Array.from({ length: 20 }, (_, n) => n + 1);
const opened = (whole: string, preset: PresetName = 'balanced'): PureVerdict | undefined =>
  run([text(whole)], { preset }).find(({ phase }) => phase === 'opened');
const tenSentences = degenerateProse.find(({ name }) => name === 'ten sentences in any order');
const at = (verdict: PureVerdict | undefined): number => Number(shown(verdict, 'at'));

describe('prose without a fixed period', () => {
  test.each(degenerateProse)('$name: is detected within 6,000 units', ({ make }) => {
    expect(seeds.filter((seed) => opened(make(seed, 6000)) === undefined)).toEqual([]);
  });

  test.each(soundProse)('$name: is no loop', ({ make }) => {
    expect(seeds.filter((seed) => opened(make(seed, 6000)) !== undefined)).toEqual([]);
  });

  test.each(degenerateProse)('$name: is detected the same however it is split', ({ make }) => {
    const whole = make(1, 6000);
    const seen = (verdicts: readonly PureVerdict[]) =>
      verdicts.map(({ phase, count, reason, evidence }) => ({ phase, count, reason, evidence }));
    const expected = seen(run([text(whole)], { preset: 'balanced' }));
    for (const size of [1, 7, 300]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
        text(whole.slice(n * size, (n + 1) * size)),
      );
      expect(seen(run(pieces, { preset: 'balanced' }))).toEqual(expected);
      const reloaded = runReloading(pieces, (n) => n % Math.ceil(100 / size) === 0, { preset: 'balanced' });
      expect(seen(reloaded)).toEqual(expected);
    }
  });

  test('a sentence with an irregular number is detected within 800 units, unless it is a list of records', () => {
    const number = (n: number): string => String((n * n * 7919 + 13) % 10_007);
    const make = (line: (n: number) => string): string =>
      Array.from({ length: 60 }, (_, n) => line(n)).join('');
    const verdict = opened(make((n) => `There are ${number(n)} prime numbers in the list. `));
    expect(shown(verdict, 'rule')).toBe('counter');
    expect(at(verdict)).toBeLessThan(800);
    expect(opened(make((n) => `Fetched ${number(n)} pages in ${number(n + 7)} ms\n`))).toBeUndefined();
  });

  test('is reported with its most frequent sentence and an excerpt of the text up to there', () => {
    const whole = tenSentences?.make(2, 6000) ?? '';
    const verdict = opened(whole);
    const { rule, repeated, excerpt } = verdict?.evidence as {
      rule: string;
      repeated: string;
      excerpt: { from: number; text: string };
    };
    expect(rule).toBe('novelty');
    expect(verdict?.reason).toContain(`“${repeated.slice(0, 50)}`);
    expect(verdict?.reason).toMatch(
      /” appears \d+ times in the answer, about every \d+ characters, and other passages repeat too$/,
    );
    expect(repeated).toMatch(/^[A-Z][^.]+\.$/);
    expect(whole.split(repeated).length - 1).toBeGreaterThan(5);
    expect(whole.slice(excerpt.from, at(verdict) + 1)).toBe(excerpt.text);
    expect(verdict?.guidance).toContain(repeated);
  });

  test('is resolved by other text, and can open again', () => {
    const loop = tenSentences?.make(3, 5000) ?? '';
    const other = soundProse[0]?.make(4, 4000) ?? '';
    const phases = run([text(`${loop}\n\n${other}`)], { preset: 'balanced' }).map(({ phase }) => phase);
    expect(phases.filter((phase) => phase !== 'escalated')).toEqual(['opened', 'resolved']);
    const twice = run([text(`${loop}\n\n${other}\n\n${loop}`)], { preset: 'balanced' });
    expect(twice.map(({ phase }) => phase).filter((phase) => phase !== 'escalated')).toEqual([
      'opened',
      'resolved',
      'opened',
    ]);
  });

  test.each([
    ['in a list', (sentence: string) => `- ${sentence}\n`],
    ['in a table', (sentence: string) => `| ${sentence} |\n`],
    ['in lines without a full stop', (sentence: string) => `${sentence.replace('.', '')}\n`],
    ['as values', (sentence: string) => `{"id": "${String(sentence.length * 7)}", "text": "${sentence}"}\n`],
  ])('is no loop %s', (_, line) => {
    const sentences = (tenSentences?.make(5, 4000) ?? '').split(/(?<=\.)\s+/);
    expect(opened(sentences.map(line).join(''))).toBeUndefined();
  });
});

describe('prose that preset stream detects', () => {
  test('is detected by balanced too, at the median no later', () => {
    const whole = Array.from({ length: 400 }, (_, seed) => refrain(seed));
    const both = whole
      .map((prose) => ({ stream: opened(prose, 'stream'), balanced: opened(prose) }))
      .filter(({ stream }) => stream !== undefined);
    expect(both.length).toBeGreaterThan(300);
    expect(both.filter(({ balanced }) => balanced === undefined)).toEqual([]);
    const ratios = both.map(({ stream, balanced }) => at(balanced) / at(stream)).toSorted((a, b) => a - b);
    expect(ratios[Math.floor(ratios.length / 2)]).toBeLessThanOrEqual(1.01);
    expect(ratios.at(-1)).toBeLessThan(2);
  });

  test.each(degenerateProse)('$name: is detected by balanced too', ({ make }) => {
    for (const seed of seeds) {
      const whole = make(seed, 4000);
      if (opened(whole, 'stream') !== undefined) expect(opened(whole), String(seed)).toBeDefined();
    }
  });
});
