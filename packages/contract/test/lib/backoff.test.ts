import { expect, it } from 'vitest';
import { backoff } from '../../src/index.ts';

it('backoff: doubles up to a limit for any number of attempts', () => {
  const pauses = (random: number) =>
    [0, 1, 2, 3, 2_000].map((attempt) => backoff(attempt, 100, 500, () => random));
  expect(pauses(0)).toEqual([100, 200, 400, 500, 500]);
  expect(pauses(1)).toEqual([50, 100, 200, 250, 250]);
});
