import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';

const message = (agent: string | undefined, text: string): AgentEvent[] => [
  { type: 'turn_started', ...(agent !== undefined && { agent }) },
  { type: 'content', text, ...(agent !== undefined && { agent }) },
  { type: 'turn_finished', ...(agent !== undefined && { agent }) },
];
/** A pseudo-random order, so that nothing is periodic. */
const drawn = (texts: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, n) => texts[(n * n * 7 + n * 3 + (n >> 2)) % texts.length] ?? '');
const between = (agents: readonly (string | undefined)[], texts: readonly string[]): AgentEvent[] => [
  { type: 'prompt_started', text: 'Agree on a date.' },
  ...texts.flatMap((text, n) => message(agents[n % agents.length], text)),
];

const thanks = [
  'Thank you!',
  'You are welcome.',
  'Thanks a lot, see you soon.',
  'See you soon!',
  'Bye!',
  'Good bye, and thank you.',
];
const german = ['Danke dir!', 'Gern geschehen.', 'Bis bald!', 'Danke, bis bald!', 'Tschüss!'];
const handing = [
  'Over to you, writer.',
  'Back to you, critic.',
  'I hand this to the critic.',
  'I hand this back to the writer.',
  'Your turn, critic.',
  'Your turn now, writer.',
];
const named = [
  'Thanks, Ann!',
  'Thanks, Ben!',
  'Any time, Ben.',
  'Any time, Ann.',
  'Take care, Ann!',
  'Take care, Ben!',
];
const ranks = 'two three four five six seven eight nine ten jack queen king ace'.split(' ');
const suits = 'hearts spades clubs diamonds'.split(' ');
const game = Array.from({ length: 36 }, (_, n) =>
  n % 2 === 0 ? `The ${ranks[n % 13]} of ${suits[n % 4]}.` : 'Your turn.',
);

describe('set phrases', () => {
  it.each([
    ['two agents thank each other', between(['Ann', 'Ben'], drawn(thanks, 36))],
    ['in another language', between(['planner', 'worker'], drawn(german, 36))],
    ['agents hand over to each other', between(['writer', 'critic'], drawn(handing, 36))],
    ['three agents use names', between(['Ann', 'Ben', 'Cem'], drawn(named, 36))],
  ])('are a loop within 30 messages: %s', (_, events) => {
    const lines = said(events.slice(0, 1 + 3 * 30));
    expect(lines[0]).toMatch(/^stagnation\/same-message opened chance/);
  });

  it('are a loop of one agent, later', () => {
    const alone = between([undefined], drawn(german, 40));
    expect(said(alone.slice(0, 1 + 3 * 19))).toEqual([]);
    expect(said(alone)[0]).toMatch(/^stagnation\/same-message opened chance 20/);
  });

  it.each([
    [
      'one agent whose calls are not recorded',
      between(
        [undefined],
        Array.from({ length: 40 }, (_, n) =>
          n % 2 === 0 ? 'Now I run the tests.' : `File ${n * 7919} is done.`,
        ),
      ),
    ],
    ['two agents that play cards', between(['Ann', 'Ben'], game)],
    ['a few polite words', between(['Ann', 'Ben'], drawn(thanks, 8))],
    [
      'a person who answers',
      between(['Ann', 'Ben'], []).concat(
        drawn(thanks, 40).flatMap((text): AgentEvent[] => [
          { type: 'prompt_started', text: 'Thanks!' },
          ...message('Ann', text),
        ]),
      ),
    ],
    ['agents that a person talks to as one of them', between(['assistant', 'user'], drawn(thanks, 36))],
    [
      'agents that work in between',
      between(['Ann', 'Ben'], []).concat(
        drawn(thanks, 36).flatMap((text, n): AgentEvent[] => [
          ...message(n % 2 === 0 ? 'Ann' : 'Ben', text),
          { type: 'tool_call_request', name: 'write_file', args: { path: `a${n}.ts` } },
          { type: 'tool_result', result: `wrote a${n}.ts` },
        ]),
      ),
    ],
  ])('are no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });
});
