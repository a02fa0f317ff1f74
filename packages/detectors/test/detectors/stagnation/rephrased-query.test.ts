import { describe, expect, it } from 'vitest';
import { toolIdentity } from '../../../src/calls/tool-identity.ts';
import { isRephrased, turnsPages } from '../../../src/detectors/stagnation/rephrased-query.ts';
import { canonicalArguments } from '../../../src/lib/canonical-json.ts';

const identity = (args: unknown) => toolIdentity('search', canonicalArguments(args));
const reworded = (a: string, b: string): boolean =>
  isRephrased(identity({ q: a, limit: 5 }), identity({ q: b, limit: 5 }), 0.25);

describe('rephrased queries', () => {
  it.each([
    ['when was the last horse tram line closed', 'in which year was the last horse tram line closed'],
    ['last horse tram line closing date', 'horse tram line last closed when'],
    ['famous songs by Arun Date', 'famous songs by Arun Date in India'],
    ['the horse-drawn tram line', 'the horse-drawn tram lines'],
    ['population of Oslo in 2021', 'Oslo population 2021'],
    ['tram line in the city', 'tram line in this city'],
    ['“Last tram”, closed?', 'last tram closed'],
  ])('match: %s / %s', (a, b) => {
    expect(reworded(a, b)).toBe(true);
    expect(reworded(b, a)).toBe(true);
  });

  it.each([
    ['another place', 'trains from Oslo to Bergen on a Sunday', 'trains from Oslo to Narvik on a Sunday'],
    ['another person', 'birthday of Ada Lovelace in full', 'birthday of Grace Hopper in full'],
    ['another word at the end', 'compute the total price', 'compute the gross value'],
    ['another year', 'population of Oslo in 2021', 'population of Oslo in 2022'],
    ['another path', 'read the file src/a.ts', 'read the file src/b.ts'],
    ['little in common', 'when did it close', 'how tall is the tower of the old town when you see it'],
    ['names instead of phrases', 'Ada Lovelace', 'Ada Byron'],
  ])('do not match: %s', (_, a, b) => {
    expect(reworded(a, b)).toBe(false);
    expect(reworded(b, a)).toBe(false);
  });

  it('must have all other arguments in common', () => {
    const at = (limit: number, q: string) => identity({ q, limit });
    const [a, b] = ['last horse tram line closed', 'the last horse tram line closed'];
    expect(isRephrased(at(5, a), at(5, b), 0.25)).toBe(true);
    expect(isRephrased(at(5, a), at(10, b), 0.25)).toBe(false);
    expect(isRephrased(at(5, a), identity({ q: b }), 0.25)).toBe(false);
  });

  it('may add any words to the same task, but no names or numbers', () => {
    const task = 'Find the current price of the pump';
    const asked = (context: string) => identity({ task, context, coworker: 'researcher' });
    expect(isRephrased(asked('We need it.'), asked('The customer is waiting for us.'), 0.25)).toBe(true);
    expect(isRephrased(asked('It is for the offer'), asked('Please be exact now'), 0.25)).toBe(true);
    expect(isRephrased(asked('It is for A-12'), asked('It is for A-13'), 0.25)).toBe(false);
    const short = (context: string) => identity({ task: 'Translate the text', context });
    expect(isRephrased(short('It is for the offer'), short('Please be exact now'), 0.25)).toBe(false);
  });

  it('must have the required share of words in common', () => {
    const [a, b] = [
      identity({ q: 'last horse tram line closing date' }),
      identity({ q: 'horse tram closed when' }),
    ];
    expect(isRephrased(a, b, 0.2)).toBe(true);
    expect(isRephrased(a, b, 0.5)).toBe(false);
  });
});

const read = (args: unknown) => toolIdentity('read', canonicalArguments(args));

it.each([
  ['a page', { page: 1 }, { page: 2 }],
  ['an offset in one file', { path: 'a.ts', offset: 0 }, { path: 'a.ts', offset: 200 }],
  [
    'a change of both ends of a range',
    { path: 'a.ts', start_line: 1, end_line: 50 },
    { path: 'a.ts', start_line: 51, end_line: 99 },
  ],
  ['a range', { path: 'a.ts', view_range: [1, 50] }, { path: 'a.ts', view_range: [51, 100] }],
  ['a page number as text', { q: 'tram', pageNumber: '1' }, { q: 'tram', pageNumber: '2' }],
  ['a size of pages', { q: 'tram', limit: 10 }, { q: 'tram', limit: 50 }],
])('paging: %s counts as another page', (_, a, b) => {
  expect(turnsPages(read(a), read(b))).toBe(true);
  expect(turnsPages(read(b), read(a))).toBe(true);
});

it.each([
  ['the same page', { page: 1 }, { page: 1 }],
  ['another file', { path: 'a.ts', offset: 0 }, { path: 'b.ts', offset: 200 }],
  ['another item', { id: 1 }, { id: 2 }],
  ['another day', { start: '2026-01-01' }, { start: '2026-01-02' }],
  ['a later time', { since: 1000 }, { since: 1060 }],
  ['a named page', { page: 'home' }, { page: 'about' }],
  ['a change in other arguments', { page: 1 }, { offset: 1 }],
  ['an additional argument', { page: 1 }, { page: 2, limit: 5 }],
  ['text instead of arguments', '1', '2'],
  [
    'a call with arguments too long to store',
    { path: 'x'.repeat(600), page: 1 },
    { path: 'x'.repeat(600), page: 2 },
  ],
])('paging: %s does not count as another page', (_, a, b) =>
  expect(turnsPages(read(a), read(b))).toBe(false),
);
