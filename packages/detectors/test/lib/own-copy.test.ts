import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ownCopy } from '../../src/lib/own-copy.ts';

it('ownCopy: copies part of a text', () => {
  expect(ownCopy('abcdef', 1, 4)).toBe('bcd');
  expect(ownCopy('ab', 0, 10)).toBe('ab');
  expect(ownCopy('a\ud83d\ude00', 0, 2)).toBe('a\ud83d');
});

it('ownCopy: does not retain the original text', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const copies = Array.from({ length: 100 }, (_, i) =>
    ownCopy(JSON.parse(`"${String(i)}${'x'.repeat(200_000)}"`) as string, 0, 400),
  );
  expect(heap() - before).toBeLessThan(2_000_000);
  expect(copies).toHaveLength(100);
});
