import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DetectionInput, presetNames } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSessionAnalyzer as full, SessionAnalyzer } from '../../src/index.ts';
import { callsAndText } from '../../src/lean/calls-and-text.ts';
import { createSessionAnalyzer as lean } from '../../src/lean/index.ts';
import { makeDetection } from '../../src/plan/detection.ts';
import { goldenEvents, parseGoldenCase, verdictsOf } from '../golden-case.ts';
import { anySession, call, configs } from '../sessions.ts';

const leanPresets = presetNames.filter((name) => name !== 'balanced');
const golden = join(import.meta.dirname, '../../../../golden');

/** Whether the lean entry takes this configuration. */
function isTaken(config: DetectionInput): boolean {
  return callsAndText.schema.safeParse(config).success;
}

describe('the lean entry gives the verdicts of the full one', () => {
  const cases = readdirSync(golden, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, golden: parseGoldenCase(readFileSync(join(golden, file), 'utf8')) }))
    .map(({ file, golden: { preset, config, ...rest } }) => ({
      ...rest,
      file,
      config: config ?? { preset },
    }));
  const taken = cases.filter(({ config }) => isTaken(config));

  test('in at least 90 % of the golden cases of its presets', () => {
    const own = cases.filter(({ config }) => config.preset !== undefined && config.preset !== 'balanced');
    expect(taken.length).toBeGreaterThan(0.9 * own.length);
    expect(own.length).toBeGreaterThan(100);
  });

  test.each(taken)('$file', ({ config, events, answers, ...golden }) => {
    const session = goldenEvents({ ...golden, events });
    expect(verdictsOf(config, session, answers, lean)).toEqual(verdictsOf(config, session, answers, full));
  });

  const own: readonly DetectionInput[] = [
    ...configs.filter(({ preset }) => preset !== 'balanced'),
    ...leanPresets.map((preset) => ({ preset })),
    {
      preset: 'coding',
      thought_loop: { enabled: true },
      tool_call_limit: { max_turns: 2 },
      turn_requests: { max_turn_requests: 2 },
      tool_cycle: { enabled: false, max_period: 3 },
      per_tool: { read: { volatile: ['value'] } },
      overrides: { models: { 'b/m': { preset: 'stream', stagnation: { enabled: false } } } },
    },
  ];
  const sessions = fc
    .tuple(anySession, anySession)
    .map(([first, second]) => [
      ...first,
      { type: 'turn_started', backend: 'b', model: 'm' } as const,
      ...second,
    ]);

  test.each(own)('in any session, even when they take over from each other: %j', (config) => {
    let found = 0;
    fc.assert(
      fc.property(sessions, fc.array(fc.boolean(), { minLength: 1 }), (events, turns) => {
        const straight = full(config);
        const expected = events.flatMap((event) => straight.push(event));
        let [at, other] = [lean(config), full(config)];
        const verdicts = events.flatMap((event, i) => {
          if (turns[i % turns.length]) {
            other.restore(JSON.parse(JSON.stringify(at.snapshot())) as ReturnType<typeof at.snapshot>);
            [at, other] = [other, at];
          }
          return at.push(event);
        });
        expect(verdicts).toEqual(expected);
        expect(at.snapshot()).toEqual(straight.snapshot());
        found += verdicts.length;
      }),
      { seed: 60, numRuns: 60 },
    );
    expect(found).toBeGreaterThan(50);
  });
});

test('lean entry: the default preset is stream', () => {
  const analyzer = lean();
  const [verdict] = Array.from({ length: 5 }, () => analyzer.push(call('read'))).flat();
  expect(verdict).toMatchObject({ preset: 'stream', count: 5 });
  expect(isTaken({ preset: 'balanced' })).toBe(false);
});

describe('the lean entry rejects what needs rules that it lacks', () => {
  const model = (own: NonNullable<DetectionInput['overrides']>['models']): DetectionInput => ({
    overrides: { models: own },
  });

  test.each<{ config: DetectionInput; keys: string[] }>([
    { config: { preset: 'balanced' }, keys: ['preset'] },
    { config: { preset: 'balanced', enabled: false }, keys: ['preset'] },
    { config: { tool_cycle: { enabled: true } }, keys: ['tool_cycle.enabled'] },
    { config: { tool_cycle: { max_period: 3 } }, keys: ['tool_cycle.max_period'] },
    { config: { stagnation: { same_error: 3, enabled: true } }, keys: ['stagnation.enabled'] },
    {
      config: { preset: 'proxy', outage: { min_failures: 3 }, stagnation: { mode: 'warn' } },
      keys: ['stagnation.mode', 'outage.min_failures'],
    },
    { config: model({ 'b/m': { preset: 'balanced' } }), keys: ['overrides.models.b/m.preset'] },
    {
      config: model({ 'b/m': { outage: { enabled: true } }, 'b/n': { preset: 'proxy' } }),
      keys: ['overrides.models.b/m.outage.enabled'],
    },
    {
      config: { tool_cycle: { max_period: 3 }, ...model({ 'b/m': { preset: 'proxy' } }) },
      keys: ['tool_cycle.max_period'],
    },
    {
      config: {
        tool_cycle: { max_period: 3, enabled: false },
        ...model({ 'b/m': { tool_cycle: { enabled: true } } }),
      },
      keys: ['overrides.models.b/m.tool_cycle.enabled'],
    },
  ])('configuration: $keys', ({ config, keys }) => {
    const result = callsAndText.schema.safeParse({ preset: 'stream', ...config });
    expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual(keys);
    expect(() => lean(config)).toThrow('is not in @loopwatch/detectors/lean; @loopwatch/detectors has it');
    expect(() => full(config)).not.toThrow();
  });

  test.each<{ set: Record<string, unknown>; key: string }>([
    { set: { preset: 'balanced' }, key: 'preset = "balanced"' },
    { set: { 'tool_call_loop.max_repeats': 2, preset: 'balanced' }, key: 'preset = "balanced"' },
    { set: { 'tool_cycle.enabled': true }, key: 'tool_cycle.enabled = true' },
    { set: { 'stagnation.nothing_new': 4 }, key: 'stagnation.nothing_new = 4' },
    { set: { 'outage.min_failures': 4, 'outage.mode': 'warn' }, key: 'outage.mode is no setting' },
  ])('control events, without changing anything: $set', ({ set, key }) => {
    const settings = callsAndText.schema.parse({ preset: 'stream' });
    const analyzer = new SessionAnalyzer('s', makeDetection(settings, callsAndText, null));
    const before = analyzer.currentPlan;
    expect(analyzer.push({ type: 'control', set }).refusal).toContain(key);
    expect(analyzer.currentPlan).toBe(before);
    const [verdict] = Array.from({ length: 5 }, () => [...analyzer.push(call('read')).verdicts]).flat();
    expect(verdict).toMatchObject({ preset: 'stream', count: 5 });
  });

  test('the snapshot of a session that uses them', () => {
    const session = full({ preset: 'stream' });
    session.push({ type: 'control', set: { 'stagnation.enabled': true } });
    expect(() => lean().restore(session.snapshot())).toThrow('stagnation.enabled = true: is not in');
  });
});
