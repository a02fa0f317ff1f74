import { expect, it } from 'vitest';
import { behindIn } from './views.ts';

it.each([
  ['Live, last event 2 s ago', 0],
  ['42 s behind', 42_000],
  ['As of 14:02: 1 h 5 min behind. Later events are not shown yet.', 3_900_000],
  ['Stale since 14:02', Number.POSITIVE_INFINITY],
  ['120 changes skipped to keep up; all are stored.', Number.POSITIVE_INFINITY],
])('a page with the words %j says that it is %d ms behind', (text, ms) => {
  expect(behindIn(text)).toBe(ms);
});
