import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call } from '../sessions.ts';
import { type ShortStep, said, turns } from '../steps.ts';

const timeouts = (line: (n: number) => string) =>
  turns(
    ...Array.from(
      { length: 5 },
      (_, n) => ['bash', 'Error: command timed out after 120 seconds', { command: line(n) }] as const,
    ),
  );

describe('timeouts in a row', () => {
  it('are an outage', () => {
    expect(said(timeouts((n) => `curl https://api.example/orders/${String(n)}`))[0]).toMatch(
      /^outage opened/,
    );
  });

  it.each([
    ['until', (n: number) => `until curl -sf http://localhost:80${String(n)}0/; do sleep 5; done`],
    ['while', (n: number) => `while ! test -f /srv/done-${String(n)}\ndo sleep 2\ndone`],
  ])('are none if the command itself waits: %s', (_, line) => {
    expect(said(timeouts(line))).toEqual([]);
  });
});

describe('outage', () => {
  it('opens at three temporary failures in a row of any kind, and recovers at a success', () => {
    const down: ShortStep[] = [
      ['fetch', 'HTTP 503 Service Unavailable', { n: 1 }],
      ['search', 'Error: timed out'],
      ['fetch', 'HTTP 429 Too Many Requests', { n: 2 }],
    ];
    expect(said(turns(...down.slice(0, 2)))).toEqual([]);
    expect(said(turns(...down, ...down, ['fetch', 'a page']))).toEqual([
      'outage opened warn 3',
      'outage escalated warn 6',
      'outage resolved recovered 6',
    ]);
    expect(said(turns(...down), { outage: { enabled: false } })).toEqual([]);
    expect(said(turns(...down), { outage: { min_failures: 2 } })).toEqual(['outage opened warn 2']);
  });
});

it('an ended session has no effect on a late call of its last turn', () => {
  const timeout: AgentEvent = { type: 'tool_result', result: 'Error: timed out', isError: true };
  const events: AgentEvent[] = [
    ...[1, 2, 3].flatMap((n): AgentEvent[] => [{ type: 'turn_started' }, call('fetch', { n }), timeout]),
    { type: 'session_ended' },
    call('fetch', { n: 4 }),
    timeout,
  ];
  expect(said(events)).toEqual(['outage opened warn 3', 'outage resolved ended 3']);
});
