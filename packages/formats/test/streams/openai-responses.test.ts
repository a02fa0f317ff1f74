import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const event = (type: string, more: object) => ({ type: `response.${type}`, sequence_number: 1, ...more });
const usage = {
  input_tokens: 9,
  output_tokens: 4,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'ls', arguments: '{"p":"a"}' };

describe('OpenAI Responses', () => {
  it('reads a stream in the conversation of the response, and calls once they are complete', () => {
    const { events, ignored } = readAll('openai-responses', [
      event('created', {
        response: { id: 'resp_1', conversation: { id: 'conv_1' }, model: 'gpt-5', created_at: 1_760_000_000 },
      }),
      event('reasoning_summary_text.delta', { delta: 'Hm' }),
      event('output_text.delta', { delta: 'I look.' }),
      event('function_call_arguments.delta', { item_id: 'fc_1', delta: '{"p"' }),
      event('output_item.done', { item: call }),
      event('completed', { response: { id: 'resp_1', usage } }),
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request ls',
      'turn_finished',
    ]);
    expect(events[3]).toMatchObject({
      sessionId: 'conv_1',
      callId: 'c1',
      args: '{"p":"a"}',
      time: 1_760_000_000_000,
    });
    expect(events[4]).toMatchObject({
      usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, reasoningTokens: 2 },
    });
    expect(ignored).toEqual(['response.function_call_arguments.delta']);
  });

  it('reads complete responses, including tools that ran at the vendor', () => {
    const message = { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'Hi' }] };
    const mcp = { type: 'mcp_call', id: 'mcp_1', name: 'search', arguments: '{}', output: 'found' };
    const { events } = readAll('openai-responses', [
      { object: 'response', id: 'resp_1', output: [message, call, mcp], usage },
    ]);
    expect(outline(events)).toEqual([
      'turn_started',
      'content Hi',
      'tool_call_request ls',
      'tool_call_request search',
      'tool_result found',
      'turn_finished',
    ]);
  });

  it('reads the last events alone, which repeat the answer', () => {
    const message = { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'Hi' }] };
    const last = (id: string) =>
      event('completed', { response: { id, usage, output: [message, { ...call, call_id: `c-${id}` }] } });
    const { events } = readAll('openai-responses', [last('a'), last('b')]);
    const turn = ['turn_started', 'content Hi', 'tool_call_request ls', 'turn_finished'];
    expect(outline(events)).toEqual([...turn, ...turn]);
    expect(events.filter(({ type }) => type === 'turn_finished')).toMatchObject(
      Array(2).fill({ usage: { inputTokens: 9 } }),
    );
  });

  it('keeps the calls and tokens of responses that are mixed', () => {
    const begun = (id: string) => event('created', { response: { id } });
    const done = (id: string) => event('output_item.done', { item: { ...call, call_id: `c-${id}` } });
    const over = (id: string) => event('completed', { response: { id, usage } });
    const { events } = readAll('openai-responses', [
      ...[begun('a'), begun('b'), done('a'), done('b'), over('a'), over('b')],
    ]);
    expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(2);
    expect(events.flatMap((one) => (one['usage'] === undefined ? [] : one.id)).toSorted()).toEqual([
      'a.usage',
      'b.usage',
    ]);
  });
});
