import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call, text } from '../../sessions.ts';
import { said } from '../../steps.ts';

const words = 'alder birch cedar elm fir hazel iris jade kelp larch maple oak pine rose sage'.split(' ');
const opened = (of: (i: number) => readonly AgentEvent[], count: number) =>
  said(Array.from({ length: count }, (_, i) => of(i)).flat()).filter((line) => line.includes(' opened '));
const step = (name: string, args: Record<string, unknown>, result?: unknown, remark = ''): AgentEvent[] => [
  { type: 'turn_started' },
  ...(remark === '' ? [] : [text(remark)]),
  call(name, args),
  { type: 'turn_finished' },
  ...(result === undefined ? [] : [{ type: 'tool_result' as const, result }]),
];
const why = (i: number) => `the part on ${words[i % words.length] ?? ''} is for you, number ${String(i * i)}`;
const either = (i: number, one: string, two: string) => (i % 2 === 0 ? one : two);

describe('handoffs in other words each time are a loop', () => {
  it.each<[string, (i: number) => AgentEvent[], number]>([
    [
      'between two agents',
      (i) => step(either(i, 'transfer_to_a', 'transfer_back_to_b'), { reason: why(i) }, 'ok'),
      10,
    ],
    [
      'whose results are unknown',
      (i) => step('switch_agent', { name: either(i, 'x', 'y'), context: why(i) }),
      10,
    ],
    [
      'among three agents',
      (i) => step('handoff', { to: 'abc'.charAt(i % 3), message: why(i) }, `now ${why(i)}`),
      10,
    ],
    [
      'to a person',
      (i) => step('escalate_to_human', { summary: words[i] ?? '' }, 'A colleague will answer.'),
      5,
    ],
    ...['route_to_human', 'requestHumanAgent', 'create_escalation', 'transferir_a_humano'].map(
      (name): [string, (i: number) => AgentEvent[], number] => [
        `by ${name}`,
        (i) => step(name, { summary: words[i] ?? '' }, 'A colleague will answer.'),
        5,
      ],
    ),
  ])('%s', (_, of, count) => {
    expect(opened(of, 12)[0]).toBe(`stagnation/handoffs opened chance ${String(count)}`);
  });
});

const work = Array.from({ length: 40 }, (_, n) => words[n % words.length]).join(' ');

describe('handoffs are none', () => {
  it.each<[string, (i: number) => AgentEvent[]]>([
    [
      'between which an agent writes at length',
      (i) =>
        step(
          either(i, 'transfer_to_a', 'transfer_to_b'),
          { reason: why(i) },
          'ok',
          `${why(i)}: ${work} ${String(i)}`,
        ),
    ],
    [
      'between which agents write at length, with the same words for each',
      (i) => step(either(i, 'transfer_to_a', 'transfer_to_b'), {}, 'ok', `${why(i)}: ${work} ${String(i)}`),
    ],
    [
      'between which a tool works',
      (i) => [
        ...step(either(i, 'transfer_to_a', 'transfer_to_b'), { reason: why(i) }, 'ok'),
        ...step('run_query', { sql: why(i) }, `rows on ${why(i)}`),
      ],
    ],
    [
      'of one ticket after another',
      (i) => step('escalate_ticket', { id: i, reason: 'it is old' }, `escalated ${i}`),
    ],
    ...['list_escalations', 'ask_human', 'request_human_approval', 'notify_oncall'].map(
      (name): [string, (i: number) => AgentEvent[]] => [
        `by ${name}`,
        (i) => step(name, { id: i * 7, question: why(i) }, `answer ${why(i)}`),
      ],
    ),
    [
      'along a chain of agents',
      (i) => step('handoff', { to: words[i], task: why(i) }, `${words[i] ?? ''} has it`),
    ],
  ])('%s', (_, of) => {
    expect(opened(of, 14)).toEqual([]);
  });
});
