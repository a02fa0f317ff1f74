import { expect, it } from 'vitest';
import { ReplayWindow } from '../../src/sources/replay-window.ts';

const mib = 1024 * 1024;

it.each([
  ['nothing was read yet', [], 0],
  ['little was read', [[40, 10, 100]], 40],
  [
    'many records were read',
    [
      [0, 3_000, 1],
      [3_000, 3_000, 1],
      [6_000, 3_000, 1],
    ],
    3_000,
  ],
  [
    'large records were read',
    [
      [0, 1, 10 * mib],
      [1, 1, 10 * mib],
      [2, 1, 10 * mib],
    ],
    1,
  ],
  [
    'one batch is enough',
    [
      [0, 10, 1],
      [10, 6_000, 1],
    ],
    10,
  ],
])('goes back as far as matters where %s', (_, batches, begin) => {
  const window = new ReplayWindow();
  for (const [from = 0, records = 0, bytes = 0] of batches) window.note(from, records, bytes);
  expect(window.begin(0)).toBe(begin);
});
