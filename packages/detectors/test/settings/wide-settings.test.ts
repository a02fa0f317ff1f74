import { detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { withScope, withScopes } from '../../src/internal.ts';

const configured = detectionSchema.parse({ preset: 'stream' });

describe('settings for the server or a model', () => {
  it('override the configured ones, and those of a model override the server’s', () => {
    const scopes = new Map<string, Record<string, unknown>>([
      ['model:openai/gpt-5', { 'tool_call_loop.max_repeats': 3 }],
      [
        'server',
        { preset: 'balanced', 'tool_call_loop.per_tool.ls.max_repeats': 9, 'content_loop.min_repeats': 12 },
      ],
    ]);
    const { settings, refused } = withScopes(configured, scopes);
    expect(refused).toEqual([]);
    expect(settings).toMatchObject({
      preset: 'balanced',
      tool_call_loop: { per_tool: { ls: { max_repeats: 9 } } },
      content_loop: { min_repeats: 12 },
      overrides: { models: { 'openai/gpt-5': { tool_call_loop: { max_repeats: 3 } } } },
    });
    expect(configured.preset).toBe('stream');
  });

  it('accept the older names of model settings', () => {
    const result = withScope(configured, 'model:a/b', { tool_loop_detection_max_repeats: 7 });
    expect(result).toMatchObject({
      settings: { overrides: { models: { 'a/b': { tool_loop_detection_max_repeats: 7 } } } },
    });
    expect(withScope(configured, 'server', { tool_loop_detection_max_repeats: 7 })).toHaveProperty('refused');
  });

  it('may contain tool names with dots', () => {
    const values = { 'tool_call_loop.per_tool.fs.read.max_repeats': 9 };
    for (const scope of ['server', 'model:a/b'])
      expect(JSON.stringify(withScope(configured, scope, values))).toContain('"fs.read":{"max_repeats":9}');
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'server',
      { 'tool_call_loop.max_repeat': 3 },
      /max_repeat is no setting.*did you mean tool_call_loop.max_repeats/,
    ],
    [
      'server',
      { 'tool_call_loop.max_repeats': 'x' },
      /^tool_call_loop.max_repeats is "x"; allowed: a whole number from 2 to 1000000$/,
    ],
    [
      'server',
      { 'privacy.mask': ['('] },
      /^privacy.mask belongs to the process .*: set it in its file, by LOOPWATCH_PRIVACY_MASK or by --set privacy.mask=…$/,
    ],
    [
      'model:a/b',
      { 'tool_call_loop.ttl_seconds': 0 },
      /ttl_seconds is 0; allowed: a number above 0, or null$/,
    ],
    ['server', { 'session.max_sessions': 5 }, /session.max_sessions belongs to the process/],
    [
      'server',
      { tool_call_loop: { max_repeats: 3 } },
      /^tool_call_loop is no setting of detection: set its keys, such as tool_call_loop\.enabled$/,
    ],
    ['server', { 'tool_call_loop.per_tool.a.max_repeat': 3 }, /a.max_repeat is no setting of detection/],
    ['model:a/b', { 'session.idle_seconds': 5 }, /^session.idle_seconds belongs to the process/],
    ['model:a', { 'tool_call_loop.mode': 'warn' }, /model:<backend>\/<model>/],
    ['session:s', { 'tool_call_loop.mode': 'warn' }, /no scope of many sessions/],
  ])('are rejected as a whole for %s with %j', (scope, values, why) => {
    const result = withScope(configured, scope, { 'content_loop.min_repeats': 12, ...values });
    expect('refused' in result && result.refused).toMatch(why);
    const { settings, refused } = withScopes(
      configured,
      new Map([
        [scope, values],
        ['server', {}],
      ]),
    );
    if (scope !== 'server') expect(refused).toMatchObject([{ scope, path: Object.keys(values)[0] }]);
    expect(settings).toEqual(configured);
  });

  it('apply without stored ones that have become invalid', () => {
    const { settings, refused } = withScopes(
      configured,
      new Map([
        [
          'server',
          {
            'privacy.mask': ['(a+)+$'],
            'tool_call_loop.max_repeats': 0,
            'tool_cycle.gone': 1,
            'tool_call_loop.mode': 'warn',
          },
        ],
        ['model:a/b', { 'outage.min_failures': 'x', 'outage.enabled': false }],
      ]),
    );
    expect(refused.map(({ scope, path }) => [scope, path])).toEqual([
      ['server', 'privacy.mask'],
      ['server', 'tool_call_loop.max_repeats'],
      ['server', 'tool_cycle.gone'],
      ['model:a/b', 'outage.min_failures'],
    ]);
    expect(settings).toMatchObject({
      tool_call_loop: { mode: 'warn' },
      overrides: { models: { 'a/b': { outage: { enabled: false } } } },
      privacy: { mask: [] },
    });
  });
});
