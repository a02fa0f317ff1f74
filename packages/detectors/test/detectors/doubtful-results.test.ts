import { describe, expect, it } from 'vitest';
import { type ShortStep, said, turns } from '../steps.ts';

/** An answer in an envelope: with a fresh id each time, or always with the same one. */
type Answer = (index: number, text: string) => string;
const fresh: Answer = (index, text) =>
  `${text} (handle ${(Math.imul(index + 1, 2_654_435_761) >>> 0).toString(16)}e7f0a9)`;
const fixed: Answer = (_, text) => fresh(0, text);

const page = (name: string) => `the page ${name} says nothing about the opening hours of the museum`;
const read = (answer: Answer, index: number, name: string): ShortStep => [
  'read_page',
  answer(index, page(name)),
  { page: name },
];
const steps = (count: number, step: (index: number) => ShortStep) =>
  Array.from({ length: count }, (_, index) => step(index));

const patterns: readonly [name: string, makes: (answer: Answer) => ShortStep[]][] = [
  ['tool-repeat', (answer) => steps(6, (i) => read(answer, i, 'home'))],
  ['tool-cycle', (answer) => steps(10, (i) => read(answer, i, i % 2 === 0 ? 'home' : 'help'))],
  [
    'stagnation/same-failure',
    (answer) =>
      steps(14, (i) =>
        i % 2 === 0
          ? ['get_price', `Error: ${answer(i, 'the account is over its quota until tomorrow')}`, { day: 1 }]
          : ['read_page', page(String(i)), { page: i }],
      ),
  ],
  [
    'stagnation/same-result',
    (answer) =>
      steps(20, (i) => (i % 2 === 0 ? read(answer, i, 'home') : ['read_page', page(String(i)), { page: i }])),
  ],
  [
    'stagnation/nothing-new',
    (answer) => steps(40, (i) => read(answer, i, String(i < 8 ? i : (i * i + (i >> 2)) % 8))),
  ],
];

describe('mode block where results differ in a token that looks random', () => {
  it.each(patterns)('%s gives the model a chance first', (name, makes) => {
    const block = { tool_call_loop: { mode: 'block' } } as const;
    const first = (answer: Answer) =>
      said(turns(...makes(answer)), block)
        .slice(0, 1)
        .map((line) => line.replace(/ \d.*$/u, ''));
    expect({ same: first(fixed), alike: first(fresh) }).toEqual({
      same: [`${name} opened block`],
      alike: [`${name} opened chance`],
    });
  });
});
