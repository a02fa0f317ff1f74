import {
  type AgentEvent,
  type DetectionInput,
  detectionSchema,
  type ThresholdOrigin,
} from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import type { Mark } from '../../src/calls/mark.ts';
import type { Finding, Scene } from '../../src/incident/finding.ts';
import { incidentId, toVerdict } from '../../src/incident/verdict.ts';
import { planDetection } from '../../src/plan/make-plan.ts';
import { call, run, text } from '../sessions.ts';

const plan = planDetection(detectionSchema.parse({ preset: 'stream' }));
const mark: Mark = {
  eventIndex: 4,
  eventId: 'e-5',
  time: 5000,
  position: 9,
  turns: 1,
  calls: 4,
  characters: 0,
  tokens: 0,
  usageReports: 0,
  cachedTokens: 0,
  usd: 0,
  unpricedReports: 0,
};
const finding: Finding = {
  detector: 'tool-repeat',
  phase: 'opened',
  action: 'block',
  key: '',
  count: 5,
  threshold: 5,
  thresholdOf: { setting: 'tool_call_loop.max_repeats', value: 5 },
  windowMs: null,
  period: 1,
  tool: null,
  reason: 'as it is',
  evidence: { matching: 'exact', calls: [] },
  since: mark,
};
const origin: ThresholdOrigin = {
  setting: 'tool_call_loop.max_repeats',
  value: 5,
  scope: 'preset',
  adjustments: [],
};
const scene: Scene = {
  sessionId: 's',
  before: mark,
  after: mark,
  promptId: null,
  model: null,
  backend: null,
  agent: null,
  tenant: null,
};

const ids = (found: Partial<Finding>, at: Partial<Mark> = {}, where: Partial<Scene> = {}) => {
  const there = { ...scene, before: { ...mark, ...at }, ...where };
  const opening = incidentId({ ...finding, ...found }, there);
  const { id } = toVerdict({ ...finding, ...found }, {}, there, opening, plan, origin);
  return { incident: opening, verdict: id };
};

describe('verdict and incident ids', () => {
  test.each([
    ['the session', ids({}, {}, { sessionId: 't' })],
    ['the detector', ids({ detector: 'stagnation' })],
    ['which open incident of the detector it is', ids({ key: 'search' })],
    ['the event’s id', ids({}, { eventId: 'e-6' })],
    ['the event’s time', ids({}, { time: 5001 })],
    ['the position in a text', ids({ at: 499 })],
  ])('depend on %s', (_, other) => {
    expect(other.verdict).not.toBe(ids({}).verdict);
    expect(other.incident).not.toBe(ids({}).incident);
  });

  test('depend on the position in a text, even if it is 0', () => {
    const places = [undefined, 0, 1].map((at) => ids(at === undefined ? {} : { at }).verdict);
    expect(new Set(places).size).toBe(3);
  });

  test('keep the incident id in all phases, with a verdict id for each', () => {
    const verdicts = (['opened', 'escalated', 'resolved'] as const).map((phase) => ids({ phase }).verdict);
    expect(new Set(verdicts).size).toBe(3);
    const loop = run([...Array.from({ length: 10 }, () => call('read', {})), call('write', {})]);
    expect(loop.map(({ phase }) => phase)).toEqual(['opened', 'escalated', 'resolved']);
    expect(new Set(loop.map((verdict) => verdict.incidentId)).size).toBe(1);
  });

  test.each([
    [
      'numbers and words',
      ids({ count: 6, threshold: 6, reason: 'other', evidence: { matching: 'similar', calls: [] } }),
    ],
    ['index and position', ids({}, { eventIndex: 7, position: 70 })],
    ['labels', ids({}, {}, { model: 'm', backend: 'b', promptId: 'p', agent: 'a', tenant: 't' })],
  ])('do not depend on %s', (_, other) => {
    expect(other).toEqual(ids({}));
  });

  test('have 128 bits', () => {
    expect(ids({})).toEqual({
      incident: expect.stringMatching(/^i-[0-9a-f]{32}$/),
      verdict: expect.stringMatching(/^v-[0-9a-f]{32}$/),
    });
  });
});

test('verdict: carries the latest labels of the session at its event', () => {
  const labels = { promptId: 'p-1', model: 'm-1', backend: 'b-1', agent: 'a-1', tenant: 't-1' };
  const calls = Array.from({ length: 10 }, () => call('read'));
  const events = calls.map((event, i) => ({
    ...event,
    ...(i === 0 && labels),
    ...(i === 5 && { model: 'm-2', promptId: null }),
    ...(i === 7 && { promptId: 'p-2' }),
  }));
  expect(run(calls)[0]).toMatchObject({
    promptId: null,
    model: null,
    backend: null,
    agent: null,
    tenant: null,
    preset: 'stream',
    configHash: plan.configHash,
  });
  expect(run(events)).toMatchObject([labels, { ...labels, model: 'm-2', promptId: 'p-2' }]);
  const next = run([...events, { type: 'prompt_started' }, ...calls]).at(-1);
  expect(next).toMatchObject({ ...labels, model: 'm-2', promptId: null });
});

describe('the cost of a loop', () => {
  const usage = (tokens: number): AgentEvent => ({
    type: 'turn_finished',
    usage: { inputTokens: tokens, outputTokens: 1, cachedInputTokens: 2 },
  });
  const turn = (n: number): AgentEvent[] => [
    { type: 'turn_started', time: n * 1000 },
    { ...text('abc'), time: n * 1000 + 100 },
    { ...call('read', { path: 'a' }), time: n * 1000 + 200 },
    { ...usage(9), time: n * 1000 + 300 },
  ];
  /** Turns that are no part of the loop come first. */
  const before: AgentEvent[] = [
    { type: 'turn_started', time: 0 },
    { ...call('write'), time: 1 },
    { ...usage(500), time: 2 },
  ];

  // The turn in which a loop began is one of its turns.
  test.each<[string, DetectionInput, object]>([
    [
      'exact',
      { preset: 'stream', tool_call_loop: { max_repeats: 3 } },
      { calls: 3, turns: 3, characters: 6, tokens: 20, cachedTokens: 4, usd: null, ms: 2000 },
    ],
    [
      'similar',
      { preset: 'similar' },
      { calls: 3, turns: 3, characters: 6, tokens: 20, cachedTokens: 4, usd: null, ms: 2000 },
    ],
    // Without results a step is over with its turn.
    [
      'by steps',
      { preset: 'balanced' },
      { calls: 4, turns: 4, characters: 9, tokens: 40, cachedTokens: 8, usd: null, ms: 3100 },
    ],
  ])('counts from its first call, not from its detection: %s', (_, config, cost) => {
    const [verdict] = run([...before, ...[1, 2, 3, 4, 5].flatMap(turn)], config);
    expect(verdict?.cost).toEqual(cost);
  });

  test('counts the calls of the loop, not those in between', () => {
    const events = ['a', 'b', 'a', 'b', 'a'].map((name) => call(name, { query: 'tide table' }));
    expect(run(events, { preset: 'similar' })[0]?.cost.calls).toBe(3);
  });

  test('distinguishes unreported tokens from zero tokens', () => {
    const calls = Array.from({ length: 5 }, () => call('read'));
    expect(run(calls)[0]?.cost.tokens).toBeNull();
    const free: AgentEvent = { type: 'turn_finished', usage: { inputTokens: 0, outputTokens: 0 } };
    expect(run([...calls.slice(1), free, ...calls.slice(4)])[0]?.cost.tokens).toBe(0);
  });

  test.each([
    ['the price of the model times its tokens', {}, 'm', [1, 1], 2e-6 * 2],
    ['what the producer reports', { costUsd: 0.25 }, 'unheard-of', [1, 1], 0.5],
    ['unknown if a turn has no price', {}, 'unheard-of', [1, 1], null],
    ['the sum over the turns of the loop only', {}, 'm', [500, 1, 1], 2e-6 * 2],
  ])('in dollars is %s', (_, more, model, tokens, usd) => {
    const prices = { m: { input: 1, output: 1 } };
    const turns = tokens.flatMap((count): AgentEvent[] => [
      ...(count === 500 ? [call('write')] : [call('read'), call('read')]),
      { ...more, type: 'turn_finished', model, usage: { inputTokens: count, outputTokens: 1 } },
    ]);
    const config: DetectionInput = { preset: 'stream', tool_call_loop: { max_repeats: 5 }, prices };
    expect(run([...turns, call('read')], config)[0]?.cost.usd).toBe(usd);
  });

  // A turn reports its usage before its results, which is when the loop is known to be over.
  const looked = (n: number, name: string, result: string): AgentEvent[] => [
    { type: 'turn_started' },
    { ...call(name, { of: name }), callId: `c-${String(n)}` },
    usage(9),
    { type: 'tool_result', callId: `c-${String(n)}`, result, isError: result.startsWith('Error') },
  ];
  const tides = 'High water is at 4:12 and at 16:40 in the harbour';
  const gone = 'Error: no tide table for this harbour';
  const other = (n: number): [string, string] => [
    `other_${String(n)}`,
    `The answer to question ${String(n)}`,
  ];
  test.each<[string, readonly (readonly [string, string])[], { calls: number; turns: number }]>([
    [
      'the same step',
      [...Array.from({ length: 10 }, () => ['tides', tides] as const), other(1), other(2)],
      { calls: 10, turns: 10 },
    ],
    [
      'a cycle',
      [...Array.from({ length: 10 }, (_, n) => (n % 2 ? other(0) : (['tides', tides] as const))), other(1)],
      { calls: 10, turns: 10 },
    ],
    [
      'the same failure between others, the latest seven turns ago',
      [
        ...Array.from({ length: 9 }, (_, n) => (n % 2 ? other(n) : (['tides', gone] as const))),
        ...Array.from({ length: 9 }, (_, n) => other(20 + n)),
      ],
      { calls: 9, turns: 9 },
    ],
  ])('ends with its last turn: %s', (_, steps, cost) => {
    const verdicts = run(
      steps.flatMap(([name, result], n) => looked(n, name, result)),
      { preset: 'balanced' },
    );
    const last = verdicts.at(-1);
    expect(last).toMatchObject({ phase: 'resolved', cost: { ...cost, tokens: cost.turns * 10 } });
    expect(last?.wasted).toMatchObject({ calls: cost.calls, tokens: cost.turns * 10 });
  });

  test('is never negative, even if clocks go backwards', () => {
    const calls = [9, 8, 7, 6, 5].map((time) => ({ ...call('read'), time }));
    expect(run(calls)[0]?.cost.ms).toBe(0);
  });
});
