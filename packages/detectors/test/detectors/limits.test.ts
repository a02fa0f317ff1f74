import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { shown } from '../evidence.ts';
import { analyzer, call, run } from '../sessions.ts';

const turn = (n: number): AgentEvent[] => [
  { type: 'turn_started' },
  call(`tool-${String(n)}`, { n }),
  { type: 'tool_result', result: n },
];
const turns = (n: number): AgentEvent[] => Array.from({ length: n }, (_, i) => turn(i)).flat();

describe('the evidence', () => {
  test('of the tool call limit contains the fields to add to the last result', () => {
    const [verdict] = run(turns(3), { tool_call_limit: { max_turns: 3 } });
    expect(verdict).toMatchObject({ kind: 'limit', eventId: '#8', cost: { calls: 3, turns: 3 } });
    expect(verdict?.evidence).toEqual({
      lastAction: 'block',
      limit_reached: true,
      limit_message: 'Tool call limit reached (3). Stopping tool loop.',
    });
  });

  test('of the tool call limit names the limit, however far it is exceeded', () => {
    const verdicts = run(turns(6), { tool_call_limit: { max_turns: 3 } });
    expect(
      verdicts.map((verdict) => [verdict.phase, verdict.count, shown(verdict, 'limit_message')]),
    ).toEqual([
      ['opened', 3, 'Tool call limit reached (3). Stopping tool loop.'],
      ['escalated', 6, 'Tool call limit reached (3). Stopping tool loop.'],
    ]);
  });

  test('of the model request limit lists only tools of its own prompt', () => {
    const events = [...turns(4), { type: 'prompt_started' }, ...turns(3)];
    const found = run(events, { turn_requests: { max_turn_requests: 2 } });
    expect(
      found.filter(({ phase }) => phase === 'opened').map((verdict) => shown(verdict, 'last_tool_calls')),
    ).toEqual([
      ['tool-0', 'tool-1'],
      ['tool-0', 'tool-1'],
    ]);
  });

  test('of the model request limit contains the number of requests and the tools called last', () => {
    const [verdict] = run(turns(11), { turn_requests: { enabled: true } });
    expect(verdict).toMatchObject({ kind: 'limit', eventId: '#30', count: 11, threshold: 10 });
    expect(verdict?.reason).toBe('11 model requests in this prompt (limit 10)');
    expect(verdict?.evidence).toEqual({
      lastAction: 'block',
      turn_requests: 10,
      max_allowed: 10,
      last_tool_calls: [2, 3, 4, 5, 6, 7, 8, 9].map((n) => `tool-${String(n)}`),
    });
  });
});

test('model requests are counted at the event that starts them, and only if there is a limit', () => {
  const limited = analyzer({ turn_requests: { max_turn_requests: 2 } });
  const told = [...turns(3), { type: 'retry' }, { type: 'turn_started' }].map((event) => {
    return limited.push(event).turnRequest?.number ?? null;
  });
  expect(told).toEqual([1, null, null, 2, null, null, 3, null, null, null, null]);
  const free = analyzer();
  expect(free.push({ type: 'turn_started' }).turnRequest).toBeNull();
});
