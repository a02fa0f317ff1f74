import { type DetectorId, detectionSchema, type ThresholdOrigin } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { remediesOf, settableRemedies } from '../../src/incidents/remedies.ts';
import { verdict } from '../verdicts.ts';

const tool = { name: 'deploy_status', signature: 'deploy_status:{}' };

function remedies(
  detector: DetectorId,
  origin: Partial<ThresholdOrigin> & Pick<ThresholdOrigin, 'setting' | 'value'>,
  part: Parameters<typeof verdict>[0] = {},
  held: Readonly<Record<string, unknown>> = {},
) {
  const thresholdOrigin: ThresholdOrigin = { scope: 'preset', adjustments: [], ...origin };
  const found = { ...verdict({ detector, tool, ...part }), thresholdOrigin };
  return remediesOf(found, (path) => held[path]);
}

const base = detectionSchema.parse({});

describe('remedies', () => {
  it.each<[DetectorId, string, number, number, number]>([
    ['tool-cycle', 'tool_cycle.min_repeats', 3, 7, 8],
    ['stagnation', 'stagnation.same_answer', 8, 9, 10],
    ['content-repeat', 'content_loop.min_repeats', 10, 60, 61],
    ['thought-repeat', 'thought_loop.min_repeats', 10, 11, 12],
    ['tool-limit', 'tool_call_limit.max_turns', 3, 3, 4],
    ['turn-limit', 'turn_requests.max_turn_requests', 10, 12, 13],
    ['outage', 'outage.min_failures', 5, 6, 7],
    ['budget', 'budget.tokens', 1000, 104, 1050],
  ])('of %s raise %s from %d, found at %d, to %d', (detector, setting, value, count, raised) => {
    const [remedy, ...others] = remedies(detector, { setting, value }, { count });
    expect(others).toEqual([]);
    expect(remedy).toMatchObject({ path: setting, value: raised });
    expect(settableRemedies([remedy!], base)).toEqual([remedy]);
  });

  it('of tool-repeat: poller, threshold of the tool or of all tools; other tools keep their settings', () => {
    const numbers = { other: { max_repeats: 9 }, deploy_status: { mode: 'warn' } };
    const declared = { other: { poller: true }, deploy_status: { volatile: ['at'] } };
    const items = remedies(
      'tool-repeat',
      { setting: 'tool_call_loop.max_repeats', value: 4 },
      { count: 6 },
      { 'tool_call_loop.per_tool': numbers, per_tool: declared },
    );
    expect(items.map(({ path, value }) => [path, value])).toEqual([
      ['per_tool', { ...declared, deploy_status: { volatile: ['at'], poller: true } }],
      ['tool_call_loop.per_tool', { ...numbers, deploy_status: { mode: 'warn', max_repeats: 7 } }],
      ['tool_call_loop.max_repeats', 7],
    ]);
    expect(settableRemedies(items, base)).toEqual(items);
  });

  it('of a poller account for the tripled threshold', () => {
    const origin = { setting: 'tool_call_loop.max_repeats', value: 3 };
    const items = remedies('tool-repeat', { ...origin, adjustments: ['looks-like-poller'] }, { count: 12 });
    expect(items[0]?.value).toEqual({ deploy_status: { max_repeats: 5 } });
    const less = remedies('tool-repeat', { ...origin, adjustments: ['same-result'] }, { count: 12 });
    expect(less[0]?.value).toEqual({ deploy_status: { max_repeats: 14 } });
  });

  it('offer no poller when tripling the threshold is not enough', () => {
    const items = remedies('tool-repeat', { setting: 'tool_call_loop.max_repeats', value: 4 }, { count: 40 });
    expect(items.map(({ value }) => value)).toEqual([{ deploy_status: { max_repeats: 41 } }, 41]);
  });

  it('are omitted when no scope accepts them', () => {
    const items = remedies(
      'content-repeat',
      { setting: 'content_loop.min_repeats', value: 10 },
      { count: 80 },
    );
    expect([items.length, settableRemedies(items, base)]).toEqual([1, []]);
  });

  it('of a semantic incident require a higher confidence, unless that is impossible', () => {
    const origin = { setting: 'semantic.confidence', value: 0.8 };
    expect(remedies('semantic', origin, { confidence: 0.9 })).toMatchObject([{ value: 0.91 }]);
    expect(remedies('semantic', origin, { confidence: 1 })).toEqual([]);
  });

  it.each([
    ['preset', ['server', 'model:openai/gpt-5-mini', 'session:s-1']],
    ['server', ['server', 'model:openai/gpt-5-mini', 'session:s-1']],
    ['model', ['model:openai/gpt-5-mini', 'session:s-1']],
    ['session', ['session:s-1']],
  ] as const)('of a number set by %s are set in %j', (scope, scopes) => {
    expect(remedies('outage', { setting: 'outage.min_failures', value: 5, scope })[0]?.scopes).toEqual(
      scopes,
    );
  });
});
