import { detectionSchema } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { applyControl, refusalText } from '../../src/internal.ts';
import { analyzer, call } from '../sessions.ts';

const base = detectionSchema.parse({ preset: 'stream' });

function refusalOf(set: Record<string, unknown>): string {
  const result = applyControl(base, {}, { set });
  return 'refused' in result ? refusalText(result.refused) : '';
}

describe('a rejected setting', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{ 'tool_call_loop.max_repeats': 1 }, /^tool_call_loop\.max_repeats = 1: must be at least 2$/],
    [
      { 'tool_call_loop.mode': 'stop' },
      /^tool_call_loop\.mode = "stop": must be one of warn, block, .*, chance_then_break$/,
    ],
    [{ enabled: 'no' }, /^enabled = "no": must be a boolean/],
    [
      { 'tool_call_loop.similarity.threshold': 1.5 },
      /^tool_call_loop\.similarity\.threshold = 1\.5: must be at most 1$/,
    ],
    [
      { 'tool_call_loop.ttl_seconds': -1, 'tool_call_loop.max_repeats': 0 },
      /^tool_call_loop\.max_repeats = 0: must be at least 2; tool_call_loop\.ttl_seconds = -1: must be more than 0$/,
    ],
    [
      { 'tool_call_loop.per_tool.search.max_repeats': 'x' },
      /^tool_call_loop\.per_tool\.search\.max_repeats = "x": must be a number/,
    ],
    [
      { 'tool_call_loop.per_tool': { search: { max_repeats: 1 } } },
      /^tool_call_loop\.per_tool = \{"search":\{"max_repeats":1\}\}: must be at least 2$/,
    ],
    [
      { 'tool_call_loop.per_tool.search.max_repeat': 3 },
      /^tool_call_loop\.per_tool\.search\.max_repeat = 3: unknown key max_repeat/,
    ],
    [
      { 'tool_call_loop.max_repeat': 3 },
      /^tool_call_loop\.max_repeat is no setting of a session; did you mean tool_call_loop\.max_repeats\?$/,
    ],
    [{ budget: { calls: 2 } }, /^budget is no setting of a session: set its keys, such as budget\.enabled$/],
    // What it may not set is not proposed either.
    [{ 'session.idle_seconds': 5 }, /^session\.idle_seconds belongs to the process/],
  ])('%j is reported with its value and what is allowed', (set, refused) => {
    expect(refusalOf(set)).toMatch(refused);
    const session = analyzer();
    const { refusals } = session.push({
      type: 'control',
      set: { ...set, 'tool_call_loop.max_repeats': 2, ...set },
    });
    expect(refusalText(...refusals)).toMatch(refused);
    expect([1, 2, 3, 4].flatMap(() => [...session.push(call('read')).verdicts])).toEqual([]);
  });

  test('is quoted in shortened form, however deep or long it is', () => {
    expect(refusalOf({ preset: 'x'.repeat(9_000) })).toMatch(/^preset = "x{78}…: must be one of/);
    const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown;
    // Whether JSON can have this depth depends on the version of Node.
    expect(refusalOf({ preset: deep })).toMatch(
      /^preset = (?:nested too deep to be shown|\[{79}…): must be one of/,
    );
  });
});
