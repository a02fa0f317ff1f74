import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const chunk = (id: string, delta: object | undefined, more: object = {}) => ({
  id,
  object: 'chat.completion.chunk',
  created: 1760000000,
  model: 'm',
  choices: delta === undefined ? [] : [{ index: 0, delta, finish_reason: null, ...more }],
  usage: delta === undefined ? { prompt_tokens: 5, completion_tokens: 2 } : null,
});
const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });

describe('OpenAI Chat', () => {
  it('assembles the chunks of interleaved calls', () => {
    const { events } = readAll('openai-chat', [
      chunk('a', { role: 'assistant', content: 'I look.' }),
      chunk('a', call(0, { id: 'c0', function: { name: 'ls', arguments: '' } })),
      chunk('a', call(1, { id: 'c1', function: { name: 'cat', arguments: '{"p"' } })),
      chunk('a', call(0, { function: { arguments: '{"q":1}' } })),
      chunk('a', call(1, { function: { arguments: ':2}' } })),
      chunk('a', {}, { finish_reason: 'tool_calls' }),
      chunk('a', undefined),
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'content I look.',
      'tool_call_request ls',
      'tool_call_request cat',
      'turn_finished',
    ]);
    expect(events.slice(2)).toMatchObject([
      { callId: 'c0', args: '{"q":1}' },
      { callId: 'c1', args: '{"p":2}' },
      { usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
  });

  it('ends the turn of a response without usage at the next one, or at the end', () => {
    const { events } = readAll('openai-chat', [chunk('a', { content: 'x' }), chunk('b', { content: 'y' })]);
    const turn = (text: string) => ['turn_started', `content ${text}`, 'turn_finished'];
    expect(outline(events)).toEqual([...turn('x'), ...turn('y')]);
  });

  it('reports a call that is whole although its stream is cut', () => {
    const cut = (id: string, args: string) =>
      chunk(id, call(0, { id: `call-${id}`, function: { name: 'ls', arguments: args } }));
    const { events } = readAll('openai-chat', [cut('a', '{"q":1}'), cut('b', '{"q":'), cut('c', '{}')]);
    const calls = events.filter(({ type }) => type === 'tool_call_request');
    expect(calls.map(({ callId }) => callId)).toEqual(['call-a', 'call-c']);
  });

  it('tells the mixed chunks of two responses apart', () => {
    const parts = ['a', 'b'].map((id) => [
      chunk(id, call(0, { id: `call-${id}`, function: { name: 'ls', arguments: '{"q"' } })),
      chunk(id, call(0, { function: { arguments: `:"${id}"}` } })),
      chunk(id, {}, { finish_reason: 'tool_calls' }),
      chunk(id, undefined),
    ]);
    const [one = [], other = []] = parts;
    const { events } = readAll(
      'openai-chat',
      one.flatMap((first, i) => [first, other[i]]),
    );
    expect(events.filter(({ type }) => type === 'turn_started')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'tool_call_request')).toMatchObject([
      { callId: 'call-a', args: '{"q":"a"}' },
      { callId: 'call-b', args: '{"q":"b"}' },
    ]);
    const ends = events.filter(({ usage }) => usage !== undefined);
    expect(ends.map(({ id, usage }) => [id, usage])).toMatchObject([
      ['a.usage', { inputTokens: 5 }],
      ['b.usage', { inputTokens: 5 }],
    ]);
  });

  it('reads the usage and cost that copies of the API report', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4, cost: 0.25 };
    const { events } = readAll('openai-chat', [chunk('a', {}, { finish_reason: 'stop', usage })]);
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 9, cachedInputTokens: 4 }, costUsd: 0.25 });
  });

  it('counts the usage of a response once whose chunks each state it', () => {
    const stream = (id: string) => {
      const state = (usage: number) => ({ usage: { prompt_tokens: 5, completion_tokens: usage } });
      return [
        { ...chunk(id, { content: 'x' }), ...state(1) },
        { ...chunk(id, {}, { finish_reason: 'stop' }), ...state(2) },
        chunk(id, undefined),
      ];
    };
    const { events } = readAll('openai-chat', [...stream('a'), ...stream('b'), ...stream('c')]);
    expect(outline(events)).toEqual(
      Array.from({ length: 3 }, () => ['turn_started', 'content x', 'turn_finished']).flat(),
    );
    const ends = events.filter(({ type }) => type === 'turn_finished');
    expect(ends.map(({ usage }) => usage)).toMatchObject(
      Array.from({ length: 3 }, () => ({ inputTokens: 5, outputTokens: 2 })),
    );
  });

  it('accepts usage in the chunk of the last choice', () => {
    const last = { ...chunk('a', {}, { finish_reason: 'stop' }), usage: { prompt_tokens: 7 } };
    const { events } = readAll('openai-chat', [chunk('a', { content: 'x' }), last]);
    expect(events.at(-1)).toMatchObject({ type: 'turn_finished', usage: { inputTokens: 7 } });
  });

  it('reads complete responses, and gives a repeated one the same ids', () => {
    const calls = ['c0', 'c1'].map((id) => ({ id, function: { name: 'ls', arguments: '{}' } }));
    const whole = {
      id: 'a',
      object: 'chat.completion',
      choices: [{ index: 0, message: { content: 'Hi', tool_calls: calls }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 1 },
    };
    const { events } = readAll('openai-chat', [whole, whole]);
    const ids = events.map(({ id }) => id);
    expect(outline(events.slice(0, 5))).toEqual([
      'turn_started',
      'content Hi',
      'tool_call_request ls',
      'tool_call_request ls',
      'turn_finished',
    ]);
    expect(ids.slice(5)).toEqual(ids.slice(0, 5));
    expect(new Set(ids).size).toBe(5);
    expect(events[4]).toMatchObject({ usage: { inputTokens: 7 } });
  });
});
