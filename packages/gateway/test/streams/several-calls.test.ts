import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/api/conversation.ts';
import { Agent, ask, sent } from '../agent.ts';
import { apiCases } from '../api-agents.ts';
import { GatewayBench } from '../harness.ts';
import { call, read, readStream } from './streamed-requests.ts';

describe('a reply with a blocked later call', () => {
  const same = [read, read, read, read];
  it.each([
    { name: 'Chat Completions', finish: 'error' },
    // A client that goes by the reason would otherwise not make them, and could not go on for want of their results.
    { name: 'Messages', finish: 'tool_use' },
    { name: 'Responses', finish: 'calls' },
    { name: 'Gemini', finish: 'calls' },
    { name: 'Gemini, as a JSON array', finish: 'calls' },
  ])('continues with the calls before it, and reports the block ($name)', async ({ name, finish }) => {
    await using bench = await GatewayBench.start((request) => modelReply(request, { calls: same }));
    const api = apiCases.find((each) => each.name === name);
    if (api === undefined)
      throw new Error(`no API ${name}; there are ${apiCases.map((each) => each.name).join(', ')}`);
    const agent = api.agent(bench, true, 's-1', 'Go on');
    const got = await agent.turn();
    expect(got).toMatchObject({ calls: Array(3).fill('read_file {"path":"a"}') as unknown, finish });
    expect(got.text).toContain('Tool call loop detected');
    // The next answer goes on with the loop: nothing of it is made.
    const next = await agent.turn();
    expect(next.calls).toEqual([]);
  });

  it('a blocked later call: after a chance, the second reply follows the calls already sent', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(request, i === 0 ? { calls: same } : { text: 'Sorry.', calls: [call('grep', 'b')] }),
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    const agent = new Agent(bench, true);
    const got = await agent.turn();
    expect(got).toEqual({
      text: 'Sorry.',
      calls: [...(Array(3).fill('read_file {"path":"a"}') as string[]), 'grep {"path":"b"}'],
      finish: 'tool_calls',
    });
    const results = sent(bench.upstream.requests[1]).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => String(content).slice(0, 30))).toEqual([
      ...(Array(3).fill('{"error":"This call is being m') as string[]),
      expect.stringContaining('{"error":"') as unknown,
    ]);
    expect(results[3]?.['content']).toContain('read_file');
    // Each result of the calls that were made is counted, each once.
    await agent.turn();
    await bench.stop();
    expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(6);
  });
});

it('streams: interleaved parts of calls do not bypass detection', async () => {
  const part = (index: number, text: string, name?: string): string =>
    `data: ${JSON.stringify({
      id: 'c-1',
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            tool_calls: [
              {
                index,
                ...(name !== undefined && { id: `t-${String(index)}`, type: 'function' }),
                function: { name, arguments: text },
              },
            ],
          },
          finish_reason: null,
        },
      ],
    })}\n\n`;
  const end =
    'data: {"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
  await using bench = await GatewayBench.start((request, i) =>
    i < 3
      ? modelReply(request, { calls: [read] })
      : {
          headers: { 'content-type': 'text/event-stream' },
          chunks: [part(0, '{"path"', 'read_file'), part(1, '{}', 'grep'), part(0, ':"a"}'), end],
        },
  );
  const agent = new Agent(bench, true);
  await agent.turns(3);
  const { finish } = await agent.turn();
  expect(finish).toBe('error');
});

it('streams: a reply with several calls is complete in the retry', async () => {
  await using bench = await GatewayBench.start((request, i) =>
    modelReply(
      request,
      i === 0 ? { calls: [read, call('grep', 'b'), call('grep', 'c')] } : { text: 'Done.' },
    ),
  );
  const agent = new Agent(bench, true);
  expect((await agent.turn()).calls).toHaveLength(3);
  expect((await agent.turn()).finish).toBe('stop');
  await ask(bench, true, 's-1', agent.messages);
  await bench.stop();
  expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(3);
  expect(bench.events.filter(({ type }) => type === 'tool_result')).toHaveLength(3);
});

describe('streams: the retry repeats what the API refuses to go on without', () => {
  const read = { index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
  const signature = { google: { thought_signature: 'c2ln' } };
  const textOf = (text: string) => ({ type: 'reasoning.text', text, index: 0, format: 'f' });

  it.each<[string, readonly Json[], Json]>([
    [
      'the reasoning of DeepSeek and Moonshot',
      [
        { reasoning_content: 'I will ' },
        { reasoning_content: 'read.', content: null },
        { tool_calls: [read] },
      ],
      { reasoning_content: 'I will read.' },
    ],
    [
      'the signed reasoning of OpenRouter',
      [
        { reasoning: 'I ', reasoning_details: [textOf('I ')] },
        { reasoning: 'will', reasoning_details: [textOf('will')] },
        { reasoning_details: [{ ...textOf(''), signature: 's' }] },
        { tool_calls: [read], reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 1 }] },
      ],
      {
        reasoning: 'I will',
        reasoning_details: [
          { ...textOf('I will'), signature: 's' },
          { type: 'reasoning.encrypted', data: 'x', index: 1 },
        ],
      },
    ],
    [
      'the signed reasoning of LiteLLM',
      [
        { thinking_blocks: [{ type: 'thinking', thinking: 'I ', signature: null }] },
        { thinking_blocks: [{ type: 'thinking', thinking: 'will', signature: null }] },
        { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 's' }] },
        { tool_calls: [read] },
      ],
      { thinking_blocks: [{ type: 'thinking', thinking: 'I will', signature: 's' }] },
    ],
    [
      'the signature of Gemini',
      [{ tool_calls: [{ ...read, extra_content: signature }] }],
      { tool_calls: [expect.objectContaining({ id: 'c', extra_content: signature })] },
    ],
    [
      'a call in the form of before tools',
      [{ function_call: { name: 'read', arguments: '' } }, { function_call: { arguments: '{}' } }],
      { function_call: { name: 'read', arguments: '{}' } },
    ],
  ])('%s', async (_, deltas, repeated) => {
    const chunks = [...deltas, {}].map((delta, i) => {
      const choice = { index: 0, delta, finish_reason: i === deltas.length ? 'tool_calls' : null };
      return `data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\n`;
    });
    await using bench = await GatewayBench.start(
      (request, i) => (i < 2 ? { chunks } : modelReply(request, { text: 'Done.' })),
      { 'tool_call_loop.mode': 'chance_then_break', 'tool_call_loop.max_repeats': 2 },
    );
    const body = { messages: [{ role: 'user', content: 'Go on' }] };
    for (let i = 0; i < 2; i += 1) await readStream(bench, '/chat/completions', body, () => undefined);
    const [, sent, told] = bench.upstream.requests.at(-1)?.json['messages'] as Json[];
    expect(sent).toMatchObject(repeated);
    expect(told).toMatchObject('function_call' in repeated ? { role: 'function' } : { tool_call_id: 'c' });
  });
});
