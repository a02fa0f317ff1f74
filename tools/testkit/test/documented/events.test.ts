import { decodeEvent } from '@loopwatch/contract/check';
import { expect, it } from 'vitest';
import { blocksCheckedBy } from '../../src/documented/index.ts';

it.each(blocksCheckedBy(import.meta.url))('$page, $title: every line is a valid event', ({ text }) => {
  const lines = text.trim().split('\n');
  const decoded = lines.map((line) =>
    decodeEvent({ text: line, key: line.includes('sessionId') ? null : 's-1' }),
  );
  expect(decoded.filter(({ ok }) => !ok)).toEqual([]);
});
