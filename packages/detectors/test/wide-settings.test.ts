import { detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { withScope, withScopes } from '../src/index.ts';

const configured = detectionSchema.parse({ preset: 'stream' });

describe('settings of many sessions', () => {
  it('lie over the configured ones, those of a model over the server’s', () => {
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

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'server',
      { 'tool_call_loop.max_repeat': 3 },
      /max_repeat is no setting.*did you mean tool_call_loop.max_repeats/,
    ],
    ['server', { 'tool_call_loop.max_repeats': 'x' }, /tool_call_loop.max_repeats = "x": /],
    ['server', { 'session.max_sessions': 5 }, /session.max_sessions cannot change while a process runs/],
    ['model:a/b', { 'session.idle_seconds': 5 }, /[Uu]nrecognized key.*session/],
    ['model:a', { 'tool_call_loop.mode': 'warn' }, /model:<backend>\/<model>/],
    ['session:s', { 'tool_call_loop.mode': 'warn' }, /no scope of many sessions/],
  ])('are refused as a whole for %s with %j', (scope, values, why) => {
    const result = withScope(configured, scope, { 'content_loop.min_repeats': 12, ...values });
    expect('refused' in result && result.refused).toMatch(why);
    const { settings, refused } = withScopes(
      configured,
      new Map([
        [scope, values],
        ['server', {}],
      ]),
    );
    if (scope !== 'server') expect(refused).toEqual([expect.stringContaining(scope)]);
    expect(settings).toEqual(configured);
  });
});
