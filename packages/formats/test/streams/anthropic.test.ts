import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-opus-5',
    usage: { input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 },
  },
};
const delta = (index: number, more: object) => ({ type: 'content_block_delta', index, delta: more });
const open = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });

describe('Anthropic Messages', () => {
  it('assembles a streamed response', () => {
    const { events, faults } = readAll('anthropic', [
      start,
      open(0, { type: 'thinking' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      open(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'I look.' }),
      open(2, { type: 'tool_use', id: 't2', name: 'ls' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"p":' }),
      delta(2, { type: 'input_json_delta', partial_json: '"a"}' }),
      { type: 'content_block_stop', index: 2 },
      open(10, { type: 'tool_use', id: 't10', name: 'cat' }),
      { type: 'content_block_stop', index: 10 },
      { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 5 } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ]);
    expect(faults).toEqual([]);
    expect(outline(events)).toEqual([
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request ls',
      'tool_call_request cat',
      'turn_finished',
    ]);
    expect(events[3]).toMatchObject({ callId: 't2', args: '{"p":"a"}', model: 'claude-opus-5' });
    expect(events[5]).toMatchObject({ usage: { inputTokens: 10, outputTokens: 9, cachedInputTokens: 7 } });
  });

  it('reads complete responses, and gives a repeated one the same ids', () => {
    const content = [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 't', name: 'ls', input: { p: 'a' } },
    ];
    const whole = { type: 'message', role: 'assistant', id: 'msg_1', content, usage: { input_tokens: 3 } };
    const { events } = readAll('anthropic', [whole, whole]);
    expect(outline(events.slice(0, 4))).toEqual([
      'turn_started',
      'content Hi',
      'tool_call_request ls',
      'turn_finished',
    ]);
    const ids = events.map(({ id }) => id);
    expect(ids.slice(4)).toEqual(ids.slice(0, 4));
  });

  it('tells the mixed events of two responses apart, and puts none that can be of both into the wrong one', () => {
    const begin = (id: string) => ({ ...start, message: { ...start.message, id } });
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    const json = (index: number, text: string) =>
      delta(index, { type: 'input_json_delta', partial_json: text });
    const finish = (tokens: number) => ({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: tokens },
    });
    const { events, ignored } = readAll('anthropic', [
      begin('msg_1'),
      open(0, { type: 'tool_use', id: 't1', name: 'ls' }),
      json(0, '{"p":'),
      begin('msg_2'),
      open(0, { type: 'text', text: '' }),
      json(0, '"a"}'),
      delta(0, { type: 'text_delta', text: 'I look.' }),
      stop(0),
      open(1, { type: 'tool_use', id: 't2', name: 'cat' }),
      json(1, '{"q":1}'),
      stop(1),
      finish(8),
      { type: 'message_stop' },
      stop(0),
      finish(9),
      { type: 'message_stop' },
    ]);
    const calls = events.filter(({ type }) => type === 'tool_call_request');
    expect(calls.map(({ callId, args }) => [callId, args])).toEqual([
      ['t1', '{"p":"a"}'],
      ['t2', '{"q":1}'],
    ]);
    expect(ignored).toContain('content_block_stop of one of several answers');
    expect(events.filter(({ type }) => type === 'turn_started')).toHaveLength(2);
  });
});
