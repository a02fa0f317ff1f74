import { describe, expect, it } from 'vitest';
import { cleanHistory } from '../../../src/detectors/semantic/clean-history.ts';

/** `c1` a call with id 1, `r1` its result, `c` and `r` without an id, `t` text, `th` reasoning. */
function read(story: string) {
  return story
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const callId = word.slice(1) || null;
      if (word === 't') return { word, kind: 'answer', callId: null } as const;
      if (word === 'th') return { word, kind: 'reasoning', callId: null } as const;
      return { word, kind: word.startsWith('c') ? 'call' : 'result', callId } as const;
    });
}

describe('cleanHistory', () => {
  it.each([
    ['an empty history', '', ''],
    ['a complete history', 't c1 r1 t c2 r2', 't c1 r1 t c2 r2'],
    ['a call at the end without its result', 't c1 r1 c2', 't c1 r1'],
    ['several calls at the end', 't c1 c2 c3', 't'],
    ['calls only', 'c1 c2', ''],
    ['one of two calls at the end', 't c1 c2 r1', 't c1 r1'],
    ['a call without an id', 't c', 't'],
    ['a call with a repeated id', 'c1 r1 t c1', 'c1 r1 t'],
    ['a call before text, which is kept', 'c1 t', 'c1 t'],
    ['a call before reasoning, which is kept', 'c1 th c2', 'c1 th'],
    ['a result at the beginning without its call', 'r0 t c1 r1', 't c1 r1'],
    ['several results at the beginning', 'r8 r9 c1 r1', 'c1 r1'],
    ['results only', 'r1 r2', ''],
    ['a result after a complete pair at the beginning', 'c1 r1 r0 t', 'c1 r1 t'],
    ['a result after text, which is kept', 't r0', 't r0'],
    ['results in another order', 'c1 c2 r2 r1', 'c1 c2 r2 r1'],
    ['calls and results without ids, in order', 'c c r r', 'c c r r'],
    ['one result too many, without ids', 'c r r t', 'c r t'],
    ['one result too few, without ids', 't c c r', 't c r'],
    ['a result before its call', 'r1 c1', ''],
    ['both ends', 'r0 c1 r1 t c2 r2 c3', 'c1 r1 t c2 r2'],
  ])('%s: %s -> %s', (_, story, cleaned) => {
    expect(
      cleanHistory(read(story))
        .map(({ word }) => word)
        .join(' '),
    ).toBe(cleaned);
  });
});
