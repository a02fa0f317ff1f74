import type { AgentEvent } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { analyzer, call, run, runReloading } from '../sessions.ts';

const balanced = { preset: 'balanced' } as const;

/** What a tool may answer: few answers, so that they come again. */
const answer = fc.constantFrom<unknown>(
  'page 2: red mug, green mug, blue mug',
  'page 1: white mug, black mug, no mug',
  'ok',
  "Error: no such file: 'a'",
  'HTTP 503 Service Unavailable',
  { rows: 3, took_ms: 12 },
);

interface MadeCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly answer: unknown;
}

const madeCall: fc.Arbitrary<MadeCall> = fc.record({
  name: fc.constantFrom('read', 'edit', 'job_status', '__proto__'),
  args: fc.record({ path: fc.constantFrom('a', 'b'), deep: fc.constant({ x: 1, y: [2, { z: 3, w: 4 }] }) }),
  answer,
});

/** A turn: calls side by side, and how many of their results are reported. */
const turn = fc.record({
  calls: fc.array(madeCall, { minLength: 1, maxLength: 3 }),
  reported: fc.integer({ min: 0, max: 8 }),
});

/** Sessions in which steps come again: blocks of turns, each several times. */
const session: fc.Arbitrary<AgentEvent[]> = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .record({
            turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
            times: fc.integer({ min: 1, max: 9 }),
          })
          .map(({ turns, times }) => Array.from({ length: times }, () => turns.flatMap(eventsOf)).flat()),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<AgentEvent[]>(
          [{ type: 'prompt_started', text: 'and now?' }],
          [{ type: 'control', set: { 'tool_cycle.min_repeats': 2 } }],
          [{ type: 'control', set: { 'stagnation.enabled': false } }],
          [{ type: 'retry' }],
          [{ type: 'session_ended' }],
        ),
      },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.flat().map((event, i) => numbered(event, i)));

function eventsOf({
  calls,
  reported,
}: {
  readonly calls: readonly MadeCall[];
  readonly reported: number;
}): AgentEvent[] {
  return [
    { type: 'turn_started' },
    ...calls.map(({ name, args }, i): AgentEvent => ({ ...call(name, args), callId: `call ${String(i)}` })),
    ...calls
      .slice(0, reported)
      .map(
        (made, i): AgentEvent => ({ type: 'tool_result', callId: `call ${String(i)}`, result: made.answer }),
      ),
    { type: 'turn_finished' },
  ];
}

function numbered(event: AgentEvent, i: number): AgentEvent {
  return { ...event, id: `e${String(i)}`, time: 1_760_000_000_000 + i * 900 };
}

/** The value with the keys of all objects the other way round. */
function turnedRound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedRound);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, turnedRound(inner)] as const)
      .toReversed(),
  );
}

/** Runs the property on many sessions, and makes sure that many of them loop. */
function always(
  seed: number,
  holds: (events: AgentEvent[], verdicts: PureVerdict[]) => void,
  numRuns = 75,
): void {
  const seen = new Set<string>();
  fc.assert(
    fc.property(session, (events) => {
      const verdicts = run(events, balanced);
      for (const { detector } of verdicts) seen.add(detector);
      holds(events, verdicts);
    }),
    { seed, numRuns },
  );
  expect([...seen].toSorted()).toEqual(['outage', 'stagnation', 'tool-cycle', 'tool-repeat']);
}

describe('preset balanced', () => {
  test('gives the same verdicts if its state is restored from JSON before any event', () => {
    const check = (events: AgentEvent[], verdicts: PureVerdict[]): void => {
      const every = (events.length % 5) + 1;
      expect(runReloading(events, (n) => n % every === 0, balanced)).toEqual(verdicts);
    };
    always(1, check, 40);
  });

  test('does not depend on tool names', () => {
    always(2, (events, verdicts) => {
      const renamed = events.map((event) =>
        'callId' in event ? { ...event, callId: `${String(event['callId'])}!` } : event,
      );
      expect(run(renamed, balanced)).toEqual(verdicts);
    });
  });

  test('does not depend on the order of keys', () => {
    always(3, (events, verdicts) => {
      const turned = events.map((event) => ({
        ...event,
        ...('args' in event && { args: turnedRound(event['args']) }),
        ...('result' in event && { result: turnedRound(event['result']) }),
      }));
      expect(run(turned as AgentEvent[], balanced)).toEqual(verdicts);
    });
  });

  test('does not depend on other sessions', () => {
    fc.assert(
      fc.property(session, session, (one, two) => {
        const [a, b] = [analyzer(balanced), analyzer(balanced)];
        const found: [PureVerdict[], PureVerdict[]] = [[], []];
        for (let i = 0; i < Math.max(one.length, two.length); i += 1) {
          for (const event of one.slice(i, i + 1)) found[0].push(...a.push(event).verdicts);
          for (const event of two.slice(i, i + 1)) found[1].push(...b.push(event).verdicts);
        }
        expect(found).toEqual([run(one, balanced), run(two, balanced)]);
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  test('opens, escalates and resolves each incident in order, and never twice', () => {
    always(5, (events, verdicts) => {
      const open = new Map<string, number>();
      for (const { incidentId, phase, count, id } of verdicts) {
        if (phase === 'opened') expect(open.has(incidentId)).toBe(false);
        else expect(open.has(incidentId), id).toBe(true);
        if (phase === 'resolved') open.delete(incidentId);
        else open.set(incidentId, count);
      }
      expect(new Set(verdicts.map(({ id }) => id)).size).toBe(verdicts.length);
      if (events.at(-1)?.type === 'session_ended') expect(open.size).toBe(0);
    });
  });

  test('is silent on new calls with new results', () => {
    const unique = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 80 });
    const tool = fc.constantFrom('read', 'edit', 'search', 'job_status');
    fc.assert(
      fc.property(unique, fc.array(tool, { minLength: 1 }), (values, tools) => {
        const events = values.flatMap((value, i): AgentEvent[] => [
          { type: 'turn_started' },
          call(tools[i % tools.length] ?? 'read', { value }),
          { type: 'tool_result', result: `${String(i)} things are known of ${value}`, isError: false },
        ]);
        expect(run(events, balanced)).toEqual([]);
      }),
      { seed: 6, numRuns: 200 },
    );
  });

  test('accepts any arguments and results in bounded memory', () => {
    const value = fc.oneof(
      fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true, maxDepth: 3 }),
      fc.constantFrom<unknown>(
        'x'.repeat(300_000),
        '\ud800',
        '{"a":',
        '\u001b['.repeat(20_000),
        Symbol('s'),
        1n,
      ),
      fc.string({ unit: 'binary', maxLength: 200 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value, fc.integer({ min: 1, max: 5 })), { maxLength: 8 }),
        (steps) => {
          const watched = analyzer(balanced);
          for (const [args, result, times] of steps) {
            for (let i = 0; i < times; i += 1) {
              watched.push({ type: 'tool_call_request', name: 'read', args });
              for (const verdict of watched.push({ type: 'tool_result', result }).verdicts) {
                expect(JSON.stringify(verdict.evidence).length).toBeLessThanOrEqual(32 * 1024);
              }
            }
          }
          expect(JSON.stringify(watched.snapshot()).length).toBeLessThan(400_000);
        },
      ),
      { seed: 7, numRuns: 120 },
    );
  });

  test('keeps a long session in bounded memory', () => {
    const watched = analyzer(balanced);
    const sizes: number[] = [];
    for (let i = 0; i < 3000; i += 1) {
      watched.push({ type: 'turn_started' });
      watched.push({
        ...call('read', { path: `${'p'.repeat(i % 900)}${String(i)}` }),
        callId: `c${String(i)}`,
      });
      watched.push({
        type: 'tool_result',
        callId: `c${String(i)}`,
        result: `${String(i)} ${'r'.repeat(i % 2000)}`,
      });
      if (i % 1000 === 999) sizes.push(JSON.stringify(watched.snapshot()).length);
    }
    expect(Math.max(...sizes)).toBeLessThan(400_000);
  });
});
