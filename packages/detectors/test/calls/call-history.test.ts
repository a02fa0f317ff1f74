import type { AgentEvent, KnownEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { CallHistory } from '../../src/calls/call-history.ts';
import type { Mark } from '../../src/calls/mark.ts';
import { denialText } from '../../src/results/result-kind.ts';
import { call } from '../sessions.ts';

const options = { cycle: null, stagnation: null, outage: null, tools: {}, agents: agentKnowledge({}) };
const mark: Mark = JSON.parse('{"eventIndex":0,"eventId":"e","time":0}') as Mark;
const turn: AgentEvent = { type: 'turn_started' };
const end: AgentEvent = { type: 'turn_finished' };
const named = (callId: string, name: string): AgentEvent => ({ ...call(name), callId });
const result = (value: unknown, callId?: string): AgentEvent => ({
  type: 'tool_result',
  result: value,
  ...(callId !== undefined && { callId }),
});

const denied = (callId?: string): AgentEvent => ({ ...result(denialText('no'), callId), denied: true });

function history(events: readonly AgentEvent[]): CallHistory {
  const calls = new CallHistory(options);
  for (const event of events) calls.push({ event: event as KnownEvent, time: mark.time, mark: () => mark });
  return calls;
}

/** `read=1 grep=?`: the calls of each step, `?` where the result is not known. */
function steps(...events: readonly AgentEvent[]): string[] {
  return history(events).rounds.map(({ calls }) =>
    calls.map(({ identity, result }) => `${identity.name}=${result?.shown ?? '?'}`).join(' '),
  );
}

const cancelled = 'Sibling tool call errored';

describe('a step whose calls were not all run', () => {
  const batch = (...results: readonly [unknown, boolean?][]): AgentEvent[] => [
    turn,
    ...results.map((_, i) => named(String(i), `tool${String(i)}`)),
    ...results.map(
      ([value, isError], i): AgentEvent => ({
        type: 'tool_result',
        callId: String(i),
        result: value,
        ...(isError !== undefined && { isError }),
      }),
    ),
  ];

  it.each<{ what: string; results: [unknown, boolean?][]; kind: string; known: boolean }>([
    {
      what: 'fails when the calls that ran failed',
      results: [
        ['Error: no', true],
        [cancelled, true],
      ],
      kind: 'error',
      known: true,
    },
    {
      what: 'succeeds when the calls that ran succeeded',
      results: [['fine'], [cancelled, true]],
      kind: 'ok',
      known: true,
    },
    {
      what: 'has no outcome when no call ran',
      results: [
        [cancelled, true],
        [cancelled, true],
      ],
      kind: 'unknown',
      known: false,
    },
  ])('$what', ({ results, kind, known }) => {
    const [round] = history(batch(...results)).rounds;
    expect(round).toMatchObject({ kind });
    expect(round?.outcome !== null).toBe(known);
  });
});

describe('steps', () => {
  it.each<{ what: string; events: AgentEvent[]; expected: string[] }>([
    { what: 'contain a call and its result', events: [turn, call('a'), result('1')], expected: ['a=1'] },
    { what: 'omit a call that is still waiting for its result', events: [turn, call('a')], expected: [] },
    {
      what: 'group parallel calls into one step',
      events: [turn, call('a'), call('b'), result('1'), result('2')],
      expected: ['a=1 b=2'],
    },
    {
      what: 'merge identical calls of a turn',
      events: [turn, call('a'), call('a'), call('a'), result('1')],
      expected: ['a=1'],
    },
    {
      what: 'match out-of-order results to their calls by id',
      events: [turn, named('x', 'a'), named('y', 'b'), result('2', 'y'), result('1', 'x')],
      expected: ['a=1 b=2'],
    },
    {
      what: 'accept the id of any of several identical calls',
      events: [turn, named('x', 'a'), named('y', 'a'), result('1', 'y')],
      expected: ['a=1'],
    },
    {
      what: 'match results without ids in the order of the calls',
      events: [turn, named('x', 'a'), named('y', 'b'), result('1'), result('2')],
      expected: ['a=1 b=2'],
    },
    {
      what: 'accept ids on results only',
      events: [turn, call('a'), call('b'), result('1', 'x'), result('2', 'y')],
      expected: ['a=1 b=2'],
    },
    {
      what: 'omit a look at the plan between two of them, and beside their calls',
      events: [
        ...[turn, call('a'), result('1'), turn, call('TodoWrite'), result('ok')],
        ...[
          turn,
          call('a'),
          call('mcp__plan__update_todos'),
          result('2'),
          result('ok'),
          call('think'),
          result(''),
          call('report_intent'),
          result('Intent logged'),
        ],
        ...[turn, call('update_plan'), result('ok'), turn, call('a'), result('3')],
      ],
      expected: ['a=1', 'a=2', 'a=3'],
    },
    {
      what: 'include a plan that is kept again and again, or fails',
      events: [
        ...[turn, call('a'), result('1'), turn, call('think'), result('x'), turn, call('think'), result('y')],
        ...[turn, call('a'), result('2'), turn, call('think'), result('Error: no')],
      ],
      expected: ['a=1', 'think=y', 'a=2', 'think=Error: no'],
    },
    {
      what: 'include a plan of something else',
      events: [turn, call('a'), result('1'), turn, call('plan_route'), result('2')],
      expected: ['a=1', 'plan_route=2'],
    },
    {
      what: 'tolerate a missing result',
      events: [
        turn,
        call('z'),
        result('0'),
        turn,
        call('a'),
        call('b'),
        result('1'),
        turn,
        call('c'),
        result('3'),
      ],
      expected: ['z=0', 'a=1 b=?', 'c=3'],
    },
    {
      what: 'accept results that arrive with the next request',
      events: [
        turn,
        call('z'),
        result('0'),
        turn,
        call('a'),
        end,
        turn,
        result('1'),
        end,
        turn,
        call('b'),
        result('2'),
      ],
      expected: ['z=0', 'a=1', 'b=2'],
    },
    {
      what: 'never assign a late result to another call',
      events: [
        turn,
        named('z', 'z'),
        result('0', 'z'),
        turn,
        named('x', 'a'),
        turn,
        named('y', 'b'),
        result('1', 'x'),
        result('2', 'y'),
      ],
      expected: ['z=0', 'a=?', 'b=2'],
    },
    {
      what: 'stop waiting for results at a turn without calls',
      events: [turn, call('z'), result('0'), turn, call('a'), end, turn, end],
      expected: ['z=0', 'a=?'],
    },
    {
      what: 'ignore a surplus result',
      events: [turn, call('a'), result('1'), result('2')],
      expected: ['a=1'],
    },
    {
      what: 'ignore a result without a call',
      events: [result('1'), turn, call('a'), result('2')],
      expected: ['a=2'],
    },
    {
      what: 'without turns: group the calls before the first result',
      events: [
        call('z'),
        result('0'),
        call('a'),
        call('b'),
        result('1'),
        result('2'),
        call('c'),
        result('3'),
      ],
      expected: ['z=0', 'a=1 b=2', 'c=3'],
    },
    {
      what: 'without results: complete a turn when it finishes, the first one when the next begins',
      events: [turn, call('a'), end, turn, call('b'), end],
      expected: ['a=?', 'b=?'],
    },
    {
      what: 'without results: complete turns that are never reported as finished',
      events: [turn, call('a'), turn, call('b'), turn],
      expected: ['a=?', 'b=?'],
    },
    {
      what: 'without turns and results: treat every call as a step',
      events: [call('a'), call('b'), call('c')],
      expected: ['a=?', 'b=?', 'c=?'],
    },
    { what: 'without turns and results: omit a single call', events: [call('a')], expected: [] },
    {
      what: 'with results before their calls: treat every call as a step',
      events: ['1', '2', '3', '4'].flatMap((id) => [result(id, id), named(id, 'a')]),
      expected: ['a=?', 'a=?', 'a=?', 'a=?'],
    },
    {
      what: 'with results under other ids: treat every call as a step',
      events: ['1', '2', '3', '4'].flatMap((id) => [named(id, 'a'), result(id, `r${id}`)]),
      expected: ['a=?', 'a=?', 'a=?', 'a=?'],
    },
    {
      what: 'group the calls of a turn even with results in between',
      events: [
        turn,
        named('x', 'a'),
        result('1', 'x'),
        named('y', 'b'),
        result('2', 'y'),
        turn,
        call('c'),
        result('3'),
      ],
      expected: ['a=1 b=2', 'c=3'],
    },
    {
      what: 'complete a turn that ends after its results only once it has ended',
      events: [turn, call('z'), result('0'), end, turn, call('a'), result('1')],
      expected: ['z=0'],
    },
    {
      what: 'split a turn that continues with text after a result',
      events: [turn, call('a'), result('1'), { type: 'content', text: 'Next.' }, call('b'), result('2')],
      expected: ['a=1', 'b=2'],
    },
    {
      what: 'without turns: start a step at a call after a result, even if another result is missing',
      events: [call('z'), result('0'), call('a'), call('b'), result('1'), call('c'), result('3')],
      expected: ['z=0', 'a=1 b=?', 'c=3'],
    },
    {
      what: 'settle at the end of the session',
      events: [call('a'), { type: 'session_ended' }],
      expected: ['a=?'],
    },
    {
      what: 'include the calls that ran beside a refused one',
      events: [
        ...[turn, call('a'), call('b'), result('1'), result('2'), end],
        ...[turn, call('a'), end, denied(), turn, call('b'), end, denied()],
      ],
      expected: ['a=1 b=2', 'a=1 b=2', 'b=2 a=1'],
    },
    {
      what: 'consist of a turn although its calls are refused one by one',
      events: [
        ...[turn, call('a'), call('b'), result('1'), result('2'), end],
        ...[turn, call('a'), denied(), call('b'), denied(), end],
      ],
      expected: ['a=1 b=2', 'a=1 b=2'],
    },
    {
      what: 'without turns: consist of calls that are refused one by one, each once',
      events: [
        ...[call('z'), result('0'), call('a'), call('b'), result('1'), result('2')],
        ...[call('a'), denied(), call('b'), denied(), call('a'), denied(), call('a'), denied(), call('c')],
      ],
      expected: ['z=0', ...Array<string>(4).fill('a=1 b=2')],
    },
    {
      what: 'start at another call after a refused one',
      events: [
        ...[turn, call('a'), call('b'), result('1'), result('2'), end],
        ...[turn, call('a'), denied(), call('c'), result('3'), end],
      ],
      expected: ['a=1 b=2', 'a=1 b=2', 'c=3'],
    },
    {
      what: 'omit a refused call that never ran',
      events: [
        ...[turn, call('a'), result('1'), turn, named('x', 'b'), named('y', 'a'), denied('x'), denied('y')],
        ...[turn, call('b'), denied(), turn],
      ],
      expected: ['a=1', 'a=1'],
    },
    {
      what: 'are forgotten after a prompt',
      events: [turn, call('a'), result('1'), { type: 'prompt_started' }, turn, call('b'), result('2')],
      expected: ['b=2'],
    },
  ])('$what', ({ events, expected }) => {
    expect(steps(...events)).toEqual(expected);
  });

  it('are equal for the same calls and results in any order', () => {
    const events = (...names: string[]): AgentEvent[] => [
      turn,
      ...names.map((name) => named(name, name)),
      ...names.map((name) => result(`${name} result`, name)).toReversed(),
    ];
    const { rounds } = history([...events('a', 'b'), ...events('b', 'a'), ...events('a', 'c')]);
    expect(rounds[0]?.key).toBe(rounds[1]?.key);
    expect(rounds[0]?.outcome).toBe(rounds[1]?.outcome);
    expect(rounds[2]?.key).not.toBe(rounds[0]?.key);
  });

  it.each([
    { results: ['1', '2'], kind: 'ok' },
    { results: ['1', 'Error: no'], kind: 'ok' },
    { results: ['Error: no', 'Error: no'], kind: 'error' },
    { results: ['Error: no', 'HTTP 503 Service Unavailable'], kind: 'error' },
    { results: ['Error: timed out', 'HTTP 503 Service Unavailable'], kind: 'transient' },
    { results: ['1'], kind: 'unknown' },
  ])('with the results $results have kind $kind', ({ results, kind }) => {
    const { rounds } = history([
      turn,
      call('a'),
      call('b'),
      ...results.map((value) => result(value)),
      { type: 'session_ended' },
    ]);
    expect(rounds[0]?.kind).toBe(kind);
  });

  it('are limited in number, as are the calls of a step', () => {
    const many = Array.from({ length: 500 }, (_, n) => n);
    const { rounds } = history(many.flatMap((n) => [turn, call('a', { n }), result(n)]));
    expect(rounds).toHaveLength(64);
    const wide = history([turn, ...many.map((n) => call('a', { n })), turn]);
    expect(wide.rounds[0]?.calls).toHaveLength(32);
  });

  it('take little memory, whatever the calls contain', () => {
    const long = 'x'.repeat(100_000);
    const events = Array.from({ length: 100 }, (_, n): AgentEvent[] => [
      turn,
      ...Array.from({ length: 40 }, (_, k) => ({
        ...call(`tool ${k}`, { n, long }),
        callId: `${n} ${k} ${long}`,
      })),
      ...Array.from({ length: 40 }, (_, k) => result(`${long} ${n}`, `${n} ${k} ${long}`)),
    ])
      .slice(0, 3)
      .flat();
    const state = JSON.stringify(history(events).snapshot());
    expect(state.length / 3).toBeLessThan(32 * 1690);
  });
});

it('a snapshot is unaffected by later growth of the last step', () => {
  const calls = history([turn, named('x', 'a'), result('1', 'x')]);
  const snapshot = calls.snapshot();
  const taken = JSON.stringify(snapshot);
  for (const event of [named('y', 'b'), result('2', 'y')])
    calls.push({ event: event as KnownEvent, time: mark.time, mark: () => mark });
  expect(JSON.stringify(snapshot)).toBe(taken);
  expect(calls.rounds).toHaveLength(1);
});
