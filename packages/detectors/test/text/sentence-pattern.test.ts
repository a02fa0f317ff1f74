import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { shown } from '../evidence.ts';
import { run, runReloading, text } from '../sessions.ts';

const words = Array.from(
  { length: 60 },
  (_, n) => `${'bdfgklmnprst'.charAt(n % 12)}${'aeiou'.charAt(n % 5)}ra`,
);
const all = (sentence: (word: string, n: number) => string, count = 30): string =>
  words.slice(0, count).map(sentence).join('');
const said = (whole: string): PureVerdict[] => run([text(whole)], { preset: 'balanced' });
const rules = (whole: string): unknown[] =>
  said(whole).flatMap((verdict) => (verdict.phase === 'opened' ? [shown(verdict, 'rule')] : []));
/** 40 units and the word. */
const long = (word: string): string => `We went to see the ${word} in the old town again. `;

describe('sentences with the same pattern', () => {
  test('are a loop at the end of the sixteenth', () => {
    expect(rules(all(long, 15))).toEqual([]);
    const [opened] = said(all(long, 16));
    expect(opened).toMatchObject({ phase: 'opened', count: 16, evidence: { rule: 'pattern' } });
    expect(shown(opened, 'at')).toBe(all(long, 16).length - 1);
    expect(opened?.reason).toMatch(
      /^Variants of “We went to see the \S+ in the old town again\.” appear \d+ times in the answer with a few words changed$/,
    );
  });

  test('are a loop after 600 units if they are short', () => {
    const short = (word: string): string => `I have a ${word}. `;
    const at = Number(shown(said(all(short, 60))[0], 'at'));
    expect(at).toBeGreaterThanOrEqual(600);
    expect(at).toBeLessThan(640);
  });

  test('are reported with the positions where they start and end', () => {
    const [opened] = said(`${'A good question. '.repeat(2)}${all(long, 16)}`);
    const { at, positions } = opened?.evidence as { at: number; positions: number[] };
    expect(at - (positions.at(-2) ?? 0) - 31).toBe(long(words[15] ?? '').length);
  });

  test.each<[string, string]>([
    ['with two changing words in turn', all((w, n) => (n % 2 ? long(w) : long(`${w} and`)))],
    ['with blank lines in between', all((w) => `${long(w).trim()}\n\n`)],
    ['with Windows line breaks', all((w) => `${long(w).trim()}\r\n`)],
    ['with quotes', all((w) => `“We went to see the ${w} in town.” `)],
    ['that start with the changing word', all((w) => `${w} is one of the best things in town. `)],
    [
      'with four alternating patterns',
      all(
        (w, n) =>
          `${['One', 'Two', 'Six', 'Ten'][n % 4] ?? ''} of us ${'so '.repeat(n % 4 === 3 ? 0 : n % 4)}went to the ${w}. `,
        60,
      ).repeat(2),
    ],
  ])('are a loop %s', (_, whole) => {
    expect(rules(whole)).toEqual(['pattern']);
  });

  test.each<[string, string]>([
    ['with two changing positions', all((w, n) => `The ${w} of the house is a ${words[59 - n] ?? ''} now. `)],
    ['with numbers', all((w, n) => `The ${w} in room ${String((n * 37) % 101)} was old. `)],
    ['with paths', all((w) => `We went to see /srv/${w}.txt in the old town. `)],
    ['in a list', all((w) => `- ${long(w)}\n`)],
    ['in a fence', `\`\`\`\n${all((w) => `${long(w)}\n`)}\`\`\`\n`],
    ['as lines without a full stop', all((w) => `We went to see the ${w} in town\n`)],
    ['with little in common', all((w) => `He saw ${w}. `, 60)],
    [
      'with others in between',
      all((w, n) => (n % 10 === 9 ? `${long(w)}And so on they went. ` : long(w)), 60),
    ],
    ['that are very long', all((w) => `We went ${'on and on and '.repeat(16)}on to the ${w}. `)],
  ])('are no loop %s', (_, whole) => {
    expect(rules(whole)).not.toContain('pattern');
  });

  test('are resolved by other text, in one incident', () => {
    const other = Array.from(
      { length: 150 },
      (_, n) => `${String.fromCharCode(97 + (n % 26))}${String(n * n)} `,
    ).join('');
    const verdicts = said(`${all(long, 24)}${other}`);
    expect(verdicts.map(({ phase, count, outcome }) => [phase, count, outcome])).toEqual([
      ['opened', 16, undefined],
      ['escalated', 17, undefined],
      ['escalated', 20, undefined],
      ['resolved', 24, 'recovered'],
    ]);
  });

  test('stay one incident when they become identical', () => {
    expect(rules(`${all(long, 20)}${long('river').repeat(40)}`)).toEqual(['pattern']);
  });

  test.each([1, 2, 7, 129, 300])('give the same verdicts in pieces of %i', (size) => {
    const whole = `Well. ${all(long, 22)}${all((w) => `Oh, the ${w}! `)}`;
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
      text(whole.slice(n * size, (n + 1) * size)),
    );
    const places = (verdicts: readonly PureVerdict[]) =>
      verdicts.map((verdict) => [verdict.phase, verdict.count, shown(verdict, 'at')]);
    expect(places(run(pieces, { preset: 'balanced' }))).toEqual(places(said(whole)));
    expect(runReloading(pieces, (n) => n % 5 === 0, { preset: 'balanced' })).toEqual(
      run(pieces, { preset: 'balanced' }),
    );
  });
});
