import type { ApiReply, ApiRequest } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';

type Block = Readonly<Record<string, unknown>>;

/** Calls that a client runs, and the item that tells the model that one was not made. */
const clientCalls = [
  {
    name: 'shell',
    call: { type: 'shell_call', action: { commands: ['npm test'] } },
    refused: {
      type: 'shell_call_output',
      call_id: 'c4',
      output: [{ stdout: '', stderr: expect.stringContaining('shell 4 times'), outcome: { exit_code: 1 } }],
    },
  },
  {
    name: 'local_shell',
    call: { type: 'local_shell_call', action: { type: 'exec', command: ['ls'], env: {} } },
    refused: { type: 'local_shell_call_output', id: 'c4', output: expect.stringContaining('local_shell 4') },
  },
  {
    name: 'apply_patch',
    call: { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a' } },
    refused: {
      type: 'apply_patch_call_output',
      status: 'failed',
      output: expect.stringContaining('apply_patch 4 times'),
    },
  },
  {
    name: 'patch',
    call: { type: 'custom_tool_call', name: 'patch', input: 'x' },
    refused: { type: 'custom_tool_call_output', output: expect.stringContaining('patch 4 times') },
  },
  {
    name: 'computer',
    call: { type: 'computer_call', action: { type: 'wait' }, pending_safety_checks: [] },
    // Its output can only be a screenshot.
    refused: { role: 'user', content: expect.stringContaining('computer 4 times') },
  },
];

/** The answer with one item, whole or streamed. */
function answerWith(item: Block, isStream: boolean): ApiReply {
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item] };
  if (!isStream) return { json: response };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map(
      (event, i) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i })}\n\n`,
    ),
  };
}

/** The output of the last answer, whole or streamed. */
async function ask(bench: GatewayBench, path: string, body: Block): Promise<string> {
  const response = await fetch(`${bench.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': 's' },
    body: JSON.stringify({ model: 'm', ...body }),
  });
  return response.text();
}

describe.each(clientCalls.flatMap((one) => [false, true].map((isStream) => ({ ...one, isStream }))))(
  '$call.type (streamed: $isStream)',
  ({ name, call, refused, isStream }) => {
    const made = (n: number) => ({ ...call, id: `item_${String(n)}`, call_id: `c${String(n)}` });
    const message = {
      type: 'message',
      role: 'assistant',
      id: 'm',
      content: [{ type: 'output_text', text: 'Ok.' }],
    };
    const history = (upTo: number) => [
      { role: 'user', content: 'Go' },
      ...Array.from({ length: upTo }, (_, i) => [
        made(i + 1),
        {
          type: `${call.type}_output`,
          call_id: `c${String(i + 1)}`,
          id: `c${String(i + 1)}`,
          output: 'same',
        },
      ]).flat(),
    ];

    it('passes three times unchanged, and is refused at the fourth with a message', async () => {
      await using bench = await GatewayBench.start((_, i) => answerWith(made(i + 1), isStream));
      for (let n = 1; n <= 3; n += 1) {
        const text = await ask(bench, 'responses', { input: history(n - 1), stream: isStream });
        expect(text).toContain(JSON.stringify(made(n)));
      }
      const text = await ask(bench, 'responses', { input: history(3), stream: isStream });
      expect(text).not.toContain('item_4');
      expect(text).toContain(`Tool call loop detected: '${name}' invoked`);
      expect(text).toContain('"type":"message"');
      expect(bench.texts('error')).toEqual([]);
    });

    it('is refused in the form of its output, if the model gets a chance', async () => {
      const script = (_: ApiRequest, i: number) => answerWith(i === 4 ? message : made(i + 1), isStream);
      await using bench = await GatewayBench.start(script, { 'tool_call_loop.mode': 'chance_then_break' });
      for (let n = 1; n <= 4; n += 1)
        await ask(bench, 'responses', { input: history(n - 1), stream: isStream });
      const input = bench.upstream.requests[4]?.json['input'] as Block[];
      expect(input.at(-1)).toMatchObject(refused);
      expect(JSON.stringify(input).includes('item_4')).toBe(name !== 'computer');
    });
  },
);

describe.each([false, true])('a tool that runs at Anthropic (streamed: %s)', (isStream) => {
  const blocks = (searches: number): Block[] =>
    Array.from({ length: searches }, (_, i) => [
      { type: 'server_tool_use', id: `s${String(i)}`, name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: `s${String(i)}`, content: [] },
    ]).flat();
  const reply = (searches: number): ApiReply => {
    const message = {
      type: 'message',
      role: 'assistant',
      id: 'msg',
      content: blocks(searches),
      stop_reason: 'end_turn',
    };
    if (!isStream) return { json: message };
    const events = [
      { type: 'message_start', message: { ...message, content: [] } },
      ...blocks(searches).flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: block },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ];
    return {
      headers: { 'content-type': 'text/event-stream' },
      chunks: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    };
  };
  const messages = [{ role: 'user', content: 'Go' }];

  it.each([3, 6])('%s identical searches: the answer ends at the fourth', async (searches) => {
    await using bench = await GatewayBench.start(() => reply(searches));
    const text = await ask(bench, 'messages', { max_tokens: 9, messages, stream: isStream });
    expect(text.includes("Tool call loop detected: 'web_search' invoked")).toBe(searches > 3);
    expect(text.includes('"s5"')).toBe(false);
    expect(bench.texts('error')).toEqual([]);
  });

  it('the model is told without a result, which a client cannot give', async () => {
    await using bench = await GatewayBench.start((_, i) => reply(i === 0 ? 4 : 0), {
      'tool_call_loop.mode': 'chance_then_break',
      'gateway.guidance_as': 'tool',
    });
    await ask(bench, 'messages', { max_tokens: 9, messages, stream: isStream });
    const sent = bench.upstream.requests[1]?.json['messages'] as Block[];
    expect(sent.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: expect.stringContaining('web_search 4 times') as unknown }],
    });
    const ids = JSON.stringify(sent.at(-2)).match(/"s\d"/g) ?? [];
    // Each call with its result: one without would make the request invalid.
    expect(ids.length % 2).toBe(0);
  });
});
