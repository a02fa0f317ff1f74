import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';
import { events } from './changing-results.ts';

/** Calls of one tool whose arguments differ. */
function varied(
  name: string,
  result: (i: number) => unknown,
  count: number,
  isError?: boolean,
): AgentEvent[] {
  return Array.from({ length: count }, (_, i) =>
    events(['', name, { target: `src/part-${String.fromCharCode(97 + i)}.ts` }, () => result(i), isError], 1),
  ).flat();
}

describe('a list that is worked off is progress although each answer is', () => {
  it.each<[string, unknown]>([
    ['an empty record', { filenames: [], numFiles: 0, durationMs: 12 }],
    [
      'an empty record in MCP',
      { content: [{ type: 'text', text: '{"total":0,"issues":[],"paging":{"pageIndex":1}}' }] },
    ],
    ['a count of nothing', '0 problems (0 errors, 0 warnings) in the file that was given to the checker'],
    ['a clean report', 'The type checker found no complaints about this file and its direct imports.'],
    ['a free name', 'Registry answered: this name is not taken and may be registered by anybody.'],
  ])('%s', (_, result) => {
    expect(said(varied('search_issues', () => result, 14))).toEqual([]);
  });
});

describe('a failing edit', () => {
  it('makes progress if fewer things are wrong each time, or a total comes nearer to what is due', () => {
    const fewer = (i: number) => `Error: not saved, ${String(40 - 7 * i)} fields are not valid`;
    expect(said(varied('save_form', fewer, 5))).toEqual([]);
    const nearer = (i: number) => `Error: the sum is ${String(100 + 60 * i)}, it must be 500`;
    expect(said(varied('save_form', nearer, 5))).toEqual([]);
  });

  it('makes none if the number changes at random', () => {
    const random = (i: number) =>
      `Error: not saved, see row ${String([31, 4, 77, 12, 50, 8][i] ?? 9)} in the log`;
    expect(said(varied('save_form', random, 6))[0]).toMatch(/^stagnation\/same-error opened chance/);
  });
});
