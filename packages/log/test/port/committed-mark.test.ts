import { expect, it } from 'vitest';
import { fromMark, toMark } from '../../src/port/committed-mark.ts';

const step = { position: 50, resumeFrom: 40, rebuildFrom: 10, mark: { format: 9, since: 20 } };

it('a mark: other versions resume where records alone rebuild everything, this one where it saved', () => {
  const { resumeFrom, own } = toMark(step);
  expect(resumeFrom).toBe(10);
  expect(fromMark(50, resumeFrom, JSON.parse(JSON.stringify(own)))).toEqual(step);
});

it.each<[string, number, unknown]>([
  ['is beside the position of another version', 51, toMark(step).own],
  ['is missing', 50, undefined],
  ['is of a later version', 50, { position: 50, resumeFrom: { at: 40 } }],
])('a mark that %s does not count', (_, position, own) => {
  expect(fromMark(position, 10, own)).toEqual({ position, resumeFrom: 10 });
});

it('a position without saved state has no mark', () => {
  expect(toMark({ position: 50, resumeFrom: 40 })).toEqual({ resumeFrom: 40 });
});
