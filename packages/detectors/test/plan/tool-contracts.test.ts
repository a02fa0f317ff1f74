import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call } from '../sessions.ts';
import { type ShortStep, said, times, turns } from '../steps.ts';

describe('tool contracts', () => {
  const search = (n: number): ShortStep => [
    'find',
    'nobody of that name lives here',
    { q: 'ada', nonce: `n${n}` },
  ];
  const many = turns(...[1, 2, 3].map(search));

  it.each<{ what: string; per_tool: DetectionInput['per_tool']; found: boolean }>([
    { what: 'find nothing if absent', per_tool: {}, found: false },
    { what: 'ignore volatile fields', per_tool: { find: { volatile: ['nonce'] } }, found: true },
    { what: 'compare only identity fields', per_tool: { find: { identity: ['q'] } }, found: true },
    { what: 'do not apply to another tool', per_tool: { search: { identity: ['q'] } }, found: false },
    {
      what: 'raise the threshold of a poller',
      per_tool: { find: { identity: ['q'], poller: true } },
      found: false,
    },
  ])('$what', ({ per_tool, found }) => {
    expect(said(many, { per_tool })).toEqual(found ? ['tool-repeat opened chance 3'] : []);
  });

  it('apply to arguments given as JSON text', () => {
    const events = [1, 2, 3].flatMap((n): AgentEvent[] => [
      call('find', `{"nonce":${String(n)},"q":"ada"}`),
      { type: 'tool_result', result: 'nobody of that name lives here' },
    ]);
    expect(said(events, { per_tool: { find: { volatile: ['nonce'] } } })).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });

  it('can declare that a tool with a polling name is no poller', () => {
    const events = turns(...times(3, ['git_status', 'modified: a.ts, b.ts, c.ts']));
    expect(said(events)).toEqual([]);
    expect(said(events, { per_tool: { git_status: { poller: false } } })).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });
});
