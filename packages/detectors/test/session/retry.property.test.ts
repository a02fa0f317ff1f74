import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { analyzer, call, configs, loopyText, run, runReloading, text } from '../sessions.ts';

const retry: AgentEvent = { type: 'retry' };
const turnStarted: AgentEvent = { type: 'turn_started' };
const same = (): AgentEvent => call('read', { path: 'a' });
const other = (): AgentEvent => call('read', { path: 'b' });
const times = (n: number, event: () => AgentEvent): AgentEvent[] => Array.from({ length: n }, event);
const told = (verdicts: readonly PureVerdict[]) =>
  verdicts.map(({ phase, eventIndex, count, outcome }) => [phase, eventIndex, count, outcome]);

describe('a retried turn', () => {
  test.each<{ name: string; events: AgentEvent[]; expected: unknown[] }>([
    {
      name: 'counts once, whether or not its beginning is reported again',
      events: [turnStarted, same(), ...[1, 2, 3].flatMap(() => [retry, turnStarted, same(), retry, same()])],
      expected: [],
    },
    {
      name: 'discards neither earlier turns nor event indexes',
      events: [turnStarted, ...times(4, same), turnStarted, same(), retry, same()],
      expected: [
        ['opened', 6, 5, undefined],
        ['resolved', 7, 5, 'recovered'],
        ['opened', 8, 5, undefined],
      ],
    },
    {
      name: 'leaves an earlier incident open',
      events: [turnStarted, ...times(5, same), turnStarted, same(), retry, same(), other()],
      expected: [
        ['opened', 5, 5, undefined],
        ['resolved', 10, 6, 'recovered'],
      ],
    },
    {
      name: 'does not repeat an escalation',
      events: [turnStarted, ...times(5, same), turnStarted, ...times(5, same), retry, ...times(6, same)],
      expected: [
        ['opened', 5, 5, undefined],
        ['escalated', 11, 10, undefined],
      ],
    },
    {
      name: 'does not reopen an incident that it has resolved',
      events: [turnStarted, ...times(5, same), turnStarted, other(), retry, same(), other()],
      expected: [
        ['opened', 5, 5, undefined],
        ['resolved', 7, 5, 'recovered'],
      ],
    },
    {
      name: 'opens a new incident if the loop continues instead of the resolving call',
      events: [turnStarted, ...times(5, same), turnStarted, other(), retry, ...times(5, same)],
      expected: [
        ['opened', 5, 5, undefined],
        ['resolved', 7, 5, 'recovered'],
        ['opened', 13, 10, undefined],
      ],
    },
    {
      name: 'starts after the last result if turns are not reported',
      events: [...times(3, same), { type: 'tool_result' }, same(), retry, same(), retry, same(), same()],
      expected: [['opened', 9, 5, undefined]],
    },
    {
      name: 'starts at the prompt if nothing else is reported',
      events: [{ type: 'prompt_started' }, ...times(4, same), retry, ...times(4, same)],
      expected: [],
    },
    {
      name: 'changes nothing if it was empty so far',
      events: [turnStarted, ...times(4, same), turnStarted, retry, turnStarted, same()],
      expected: [['opened', 8, 5, undefined]],
    },
  ])('$name', ({ events, expected }) => {
    expect(told(run(events, { preset: 'stream' }))).toEqual(expected);
  });

  test('counts once in the turns and calls of a cost', () => {
    const events = [turnStarted, same(), turnStarted, same(), retry, turnStarted, same(), ...times(3, same)];
    expect(run(events, { preset: 'stream' })[0]?.cost).toMatchObject({ calls: 5, turns: 2 });
  });

  test('keeps the positions of occurrences in the whole text', () => {
    const block = 'all work and no play makes a dull boy, again and ag; ';
    const half = text(block.repeat(5));
    const [verdict] = run([half, turnStarted, text('and then'), retry, half], { preset: 'stream' });
    const gap = 'and then'.length;
    const starts = Array.from({ length: 10 }, (_, n) => n * block.length + (n > 4 ? gap : 0));
    expect(verdict?.evidence).toMatchObject({ at: 9 * block.length + gap + 49, positions: starts });
  });
});

const turnBody: fc.Arbitrary<AgentEvent[]> = fc
  .array(
    fc.oneof(
      loopyText.map((part) => [text(part)]),
      loopyText.map((part): AgentEvent[] => [{ type: 'thought', text: part }]),
      fc
        .record({ value: fc.integer({ min: 0, max: 1 }), times: fc.integer({ min: 1, max: 7 }) })
        .map(({ value, times: n }) => times(n, () => call('read', { value }))),
      fc.constant<AgentEvent[]>([{ type: 'tool_result', result: 1 }]),
      fc.constant<AgentEvent[]>([{ type: 'turn_finished', usage: { outputTokens: 5 } }]),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.flat());

/** Turns, and of each how many of its events are streamed first and then fail, once for every entry. */
const turns = fc.array(
  fc.record({
    body: turnBody,
    prompt: fc.boolean(),
    broken: fc.array(fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), again: fc.boolean() }), {
      maxLength: 2,
    }),
  }),
  { minLength: 1, maxLength: 6 },
);

const all: readonly DetectionInput[] = [...configs, { preset: 'balanced' }];

describe.each(all.map((config, i) => ({ config, i })))('configuration $i', ({ config, i }) => {
  test('aborted turns do not change which incidents open, and each incident ends once', () => {
    let opened = 0;
    let retries = 0;
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 9 }), (given, every) => {
        const { events, kept } = streamed(given);
        const plain = kept.map((n) => events[n] as AgentEvent);
        const expected = openings(run(plain, config), (index) => index);
        const verdicts = run(events, config);
        expect(openings(verdicts, (index) => kept.indexOf(index))).toEqual(expected);
        expect(runReloading(events, (n) => n % every === 0, config)).toEqual(verdicts);
        expectSoundIncidents(verdicts);
        opened += expected.length;
        retries += events.length - kept.length;
      }),
      { seed: 60 + i, numRuns: 200 },
    );
    expect(opened).toBeGreaterThan(50);
    expect(retries).toBeGreaterThan(100);
  });
});

/** The turns as they are streamed, and the indices of the events that stay. */
function streamed(given: typeof turns extends fc.Arbitrary<infer T> ? T : never) {
  const events: AgentEvent[] = [];
  const kept: number[] = [];
  for (const { body, prompt, broken } of given) {
    for (const event of prompt ? [{ type: 'prompt_started' }, turnStarted] : [turnStarted])
      kept.push(events.push(event) - 1);
    for (const { share, again } of broken) {
      events.push(...body.slice(0, Math.ceil(share * body.length)), retry, ...(again ? [turnStarted] : []));
    }
    for (const event of body) kept.push(events.push(event) - 1);
  }
  return { events, kept };
}

/** The opened verdicts at events that stay. */
function openings(verdicts: readonly PureVerdict[], place: (eventIndex: number) => number) {
  return verdicts
    .filter(({ phase, eventIndex }) => phase === 'opened' && place(eventIndex) !== -1)
    .map(({ detector, eventIndex, action, count, threshold, cost }) => {
      return {
        detector,
        place: place(eventIndex),
        action,
        count,
        threshold,
        calls: cost.calls,
        turns: cost.turns,
      };
    });
}

function expectSoundIncidents(verdicts: readonly PureVerdict[]): void {
  const phases = new Map<string, string>();
  for (const { incidentId, phase } of verdicts)
    phases.set(incidentId, `${phases.get(incidentId) ?? ''}${phase} `);
  for (const life of phases.values()) expect(life).toMatch(/^opened (escalated )*(resolved )?$/);
}

test('retry: a setting changed by the turn stays changed', () => {
  const session = analyzer({ preset: 'stream' });
  const events: AgentEvent[] = [
    turnStarted,
    same(),
    { type: 'control', set: { 'tool_call_loop.max_repeats': 2 } },
    retry,
    same(),
    same(),
  ];
  expect(events.flatMap((event) => session.push(event).verdicts)).toMatchObject([
    { phase: 'opened', count: 2 },
  ]);
});
