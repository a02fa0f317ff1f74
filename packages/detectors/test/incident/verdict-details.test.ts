import {
  type AgentEvent,
  type DetectionInput,
  reasonWithCount,
  type ThresholdAdjustment,
  verdictSchema,
} from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { shown } from '../evidence.ts';
import { goldenVerdicts } from '../golden-case.ts';
import { call, run, text } from '../sessions.ts';

const verdicts = goldenVerdicts();

/** What each adjustment makes of a number. */
const adjusted: Readonly<Record<ThresholdAdjustment, (value: number) => number>> = {
  'same-result': (value) => Math.max(2, value - 1),
  'alike-results': (value) => value + 1,
  'any-results': (value) => 10 * value,
  'declared-poller': (value) => 3 * value,
  'looks-like-poller': (value) => 3 * value,
  'under-way': (value) => 3 * value,
  'same-form': (value) => 2 * value,
  reworded: (value) => Math.max(2, value - 1),
  'short-answer': (value) => 2 * value,
  'empty-turns': (value) => value * 4,
  'several-agents': (value) => value * 2,
  navigation: (value) => 3 * value,
  // Whatever number of occurrences makes up that length.
  'repeated-length': () => NaN,
};

/** A model's confidence and the percentage of a budget are compared with numbers of their own. */
const saysNoCount = new Set(['semantic', 'budget']);

describe('every verdict of the golden cases', () => {
  test('contains the count in its reason at countAt', () => {
    expect(verdicts.length).toBeGreaterThan(100);
    for (const { detector, reason, countAt, count } of verdicts) {
      if (saysNoCount.has(detector)) continue;
      expect(reason.slice(countAt), reason).toMatch(new RegExp(`^${String(count)}(?!\\d)`));
      expect(reasonWithCount({ reason, countAt }, count)).toBe(reason);
      expect(reasonWithCount({ reason, countAt }, 12_345).slice(countAt)).toMatch(/^12345/);
    }
  });

  test('numbers its calls by the steps of the loop', () => {
    for (const verdict of verdicts) {
      const { count, detector, period } = verdict;
      const calls = shown(verdict, 'calls') ?? [];
      const steps = calls.map(({ step = 0 }) => step);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      const last = detector === 'tool-cycle' ? count * period : count;
      if (steps.length > 0) expect(steps.at(-1)).toBeGreaterThanOrEqual(last);
    }
  });

  test('starts no later than it was detected, and its cost covers that time', () => {
    for (const verdict of verdicts) {
      const { began, eventIndex, time, cost, windowMs } = verdict;
      expect(began?.eventIndex).toBeLessThanOrEqual(eventIndex);
      if (began?.time !== undefined && cost.ms > 0) expect(began.time).toBe(time - cost.ms);
      const [first] = shown(verdict, 'calls') ?? [];
      if (first?.step === 1 && windowMs === null) expect(began?.eventIndex).toBe(first.eventIndex);
    }
  });

  test('of a text has the threshold at which its rule fired', () => {
    const opened = verdicts.filter(
      ({ phase, thresholdOrigin }) =>
        phase === 'opened' && thresholdOrigin?.adjustments.includes('repeated-length'),
    );
    expect(opened.length).toBeGreaterThan(3);
    for (const { threshold, count } of opened) expect(threshold).toBe(count);
  });

  test('has the threshold that its origin and adjustments give', () => {
    for (const { detector, count, threshold, thresholdOrigin } of verdicts) {
      expect(thresholdOrigin).toBeDefined();
      if (thresholdOrigin === undefined || saysNoCount.has(detector)) continue;
      const { value, adjustments } = thresholdOrigin;
      if (adjustments.includes('repeated-length')) expect(threshold).toBeLessThanOrEqual(count);
      else expect(adjustments.reduce((made, name) => adjusted[name](made), value)).toBe(threshold);
    }
  });

  test('matches the contract', () => {
    for (const verdict of verdicts) verdictSchema.parse(verdict);
  });
});

describe('a repeated step of several calls', () => {
  const item = (name: string, n: number) => ({
    ...call('get_price', { item: name }),
    callId: `${name}-${String(n)}`,
  });
  const steps = (count: number, names: readonly string[]): AgentEvent[] =>
    Array.from({ length: count }, (_, n) => n).flatMap((n): AgentEvent[] => [
      { type: 'turn_started' },
      ...names.map((name) => item(name, n)),
      ...names.map(
        (name): AgentEvent => ({
          type: 'tool_result',
          callId: `${name}-${String(n)}`,
          result: `${name} costs 12.50 euros today`,
        }),
      ),
    ]);

  test('is counted, quoted and answered as one step', () => {
    const [verdict] = run([...steps(5, ['kitchen', 'tea', 'lamp']), text('done')], { preset: 'balanced' });
    expect(verdict).toMatchObject({ count: 3, cost: { calls: 9 } });
    expect(verdict?.reason).toBe(
      'The same 3 calls were made 3 times in a row with the same result: get_price {"item":"kitchen"} and get_price {"item":"tea"} and 1 more, the first returned “kitchen costs 12.50 euros today”',
    );
    expect(verdict?.guidance).toContain(
      'You have made the same 3 calls 3 times in a row:\n- get_price {"item":"kitchen"}: “kitchen',
    );
  });

  test.each([
    { members: 1, made: [1, 2, 3] },
    { members: 3, made: [1, 1, 1, 2, 2, 2, 3, 3, 3] },
    { members: 9, made: [...Array<number>(6).fill(1), ...Array<number>(6).fill(3)] },
  ])('has whole steps as evidence, as many as fit: $members calls each', ({ members, made }) => {
    const names = Array.from({ length: members }, (_, n) => `item ${String(n)}`);
    const [verdict] = run([...steps(4, names), text('done')], { preset: 'balanced' });
    const calls = shown(verdict, 'calls') ?? [];
    expect(calls.map(({ step }) => step)).toEqual(made);
    expect(shown(verdict, 'callsPerStep')).toBe(members > 1 ? members : undefined);
    if (members === 3) expect(calls.map(({ member }) => member)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
    for (const { name, arguments: args, member } of calls)
      if (member !== undefined)
        expect({ name, args }).toEqual({
          name: 'get_price',
          args: JSON.stringify({ item: names[member - 1] }),
        });
  });
});

describe('the origin of a threshold', () => {
  const labels = { backend: 'openai', model: 'gpt-5' };
  const polls = (tool: string): AgentEvent[] =>
    Array.from({ length: 60 }, (): AgentEvent[] => [
      { type: 'turn_started', ...labels },
      call(tool, {}),
      { type: 'tool_result', result: 'the same page as before, word by word' },
    ]).flat();
  const originOf = (config: DetectionInput, tool = 'read_page', first: AgentEvent[] = []) =>
    run([...first, ...polls(tool)], { preset: 'balanced', ...config })[0]?.thresholdOrigin;
  const setting = 'tool_call_loop.max_repeats';

  test.each<[string, ReturnType<typeof originOf>, ReturnType<typeof originOf>]>([
    ['the preset', originOf({}), { setting, value: 4, scope: 'preset', adjustments: ['same-result'] }],
    [
      'the server',
      originOf({ tool_call_loop: { max_repeats: 6 } }),
      { setting, value: 6, scope: 'server', adjustments: ['same-result'] },
    ],
    [
      'one tool',
      originOf({ tool_call_loop: { per_tool: { read_page: { max_repeats: 7 } } } }),
      {
        setting: 'tool_call_loop.per_tool.read_page.max_repeats',
        value: 7,
        scope: 'server',
        adjustments: ['same-result'],
      },
    ],
    [
      'the model',
      originOf({ overrides: { models: { 'openai/gpt-5': { tool_call_loop: { max_repeats: 5 } } } } }),
      { setting, value: 5, scope: 'model', adjustments: ['same-result'] },
    ],
    [
      'the model, by its older name',
      originOf({ overrides: { models: { 'openai/gpt-5': { tool_loop_detection_max_repeats: 5 } } } }),
      { setting, value: 5, scope: 'model', adjustments: ['same-result'] },
    ],
    [
      'the session',
      originOf({ tool_call_loop: { max_repeats: 6 } }, 'read_page', [
        { type: 'control', set: { [setting]: 5 } },
      ]),
      { setting, value: 5, scope: 'session', adjustments: ['same-result'] },
    ],
    [
      'a tool that looks like a status query',
      originOf({}, 'deploy_status'),
      { setting, value: 4, scope: 'preset', adjustments: ['same-result', 'looks-like-poller'] },
    ],
    [
      'a tool that is declared to be a poller',
      originOf({ per_tool: { read_page: { poller: true } } }),
      { setting, value: 4, scope: 'preset', adjustments: ['same-result', 'declared-poller'] },
    ],
  ])('is %s', (_, origin, expected) => {
    expect(origin).toEqual(expected);
  });
});

describe('session labels', () => {
  const found = (events: readonly Record<string, unknown>[]) =>
    run(events as unknown as Parameters<typeof run>[0]).find(({ phase }) => phase === 'opened');
  const labelled = (label: (index: number) => Record<string, unknown>) =>
    found(
      Array.from({ length: 6 }, (_, index) => ({ ...call('read_file', { path: 'a' }), ...label(index) })),
    );

  test('keep agent version and tags until they are set again', () => {
    const verdict = labelled((index) =>
      index === 0
        ? { agentVersion: '1.2.0', tags: { env: 'prod', team: 'search' } }
        : index === 2
          ? { tags: { env: 'test' } }
          : {},
    );
    expect(verdict).toMatchObject({ agentVersion: '1.2.0', tags: { env: 'test', team: 'search' } });
  });

  test('are absent unless set, and are limited to 16 tags', () => {
    expect(Object.keys(labelled(() => ({})) ?? {})).not.toContain('tags');
    const tags = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`t${String(index)}`, 'x']));
    expect(Object.keys(labelled(() => ({ tags }))?.tags ?? {})).toHaveLength(16);
  });
});
