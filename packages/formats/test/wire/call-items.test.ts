import { describe, expect, it } from 'vitest';
import { ResponsesAnswer } from '../../src/wire/index.ts';
import { readAll } from '../read-all.ts';
import { responsesCalls } from './call-items.ts';

const user = { role: 'user', content: 'Go' };
const callsIn = (events: readonly object[]) =>
  events.filter((event) => Reflect.get(event, 'type') === 'tool_call_request');
const resultsIn = (events: readonly object[]) =>
  events.filter((event) => Reflect.get(event, 'type') === 'tool_result');

describe.each(responsesCalls)('$call.type', ({ name, args, call, output, isError }) => {
  const made = { ...call, id: 'item_1', call_id: 'c1', status: 'completed' };
  // The published type of this output has no other id.
  const key = output.type === 'local_shell_call_output' ? 'id' : 'call_id';
  const outcome = { status: 'completed', ...output, [key]: 'c1' };

  it('is a call with a result in a list of messages', () => {
    const { events } = readAll('messages', [{ input: [user, made, outcome] }]);
    expect(callsIn(events)).toMatchObject([{ callId: 'c1', name, args }]);
    expect(resultsIn(events)).toMatchObject([{ callId: 'c1', result: output.output, isError }]);
  });

  it('is recognized in a list without other messages', () => {
    expect(callsIn(readAll('auto', [{ input: [made, outcome] }]).events)).toHaveLength(1);
  });

  it('is a call in a whole answer and in a stream', () => {
    const whole = { object: 'response', id: 'resp_1', output: [made] };
    const done = { type: 'response.output_item.done', sequence_number: 1, item: made };
    for (const record of [whole, done])
      expect(callsIn(readAll('openai-responses', [record]).events)).toMatchObject([{ name, args }]);
  });
});

it.each<[boolean, object]>([
  [true, { type: 'function_call', call_id: 'c1' }],
  [true, { type: 'tool_search_call', execution: 'client' }],
  [true, { type: 'future_call', call_id: 'c1' }],
  [false, { type: 'future_call', call_id: 'c1', execution: 'server' }],
  [false, { type: 'web_search_call', id: 'ws1' }],
  [false, { type: 'future_call_output', call_id: 'c1' }],
])('in a streamed answer, the client runs it (%s): %j', (isOfCall, item) => {
  const delta = new ResponsesAnswer().read({ type: 'response.output_item.added', item });
  expect(delta.isOfCall === true).toBe(isOfCall);
});

describe('tools that run at the API', () => {
  const search = (id: string, encrypted: string) => [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: 'a' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: [{ type: 'web_search_result', url: 'https://a.test', encrypted_content: encrypted }],
    },
  ];
  const mcp = [
    { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 's', input: { query: 'a' } },
    { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: true, content: [{ type: 'text', text: 'none' }] },
  ];
  const content = [...search('s1', 'x'), ...search('s2', 'y'), ...mcp];
  const message = { type: 'message', role: 'assistant', id: 'msg_1', content };
  const streamed = [
    { type: 'message_start', message: { id: 'msg_1' } },
    ...content.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: 'input' in block ? { ...block, input: {} } : block,
      },
      ...('input' in block
        ? [
            {
              type: 'content_block_delta',
              index,
              delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
            },
          ]
        : []),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ];

  it.each([
    ['a history', 'messages', [{ messages: [user, message] }]],
    ['a whole answer', 'anthropic', [message]],
    ['a stream', 'anthropic', streamed],
  ] as const)('are calls with results in %s', (_, format, records) => {
    const { events } = readAll(format, records);
    expect(callsIn(events)).toMatchObject(['web_search', 'web_search', 'find'].map((name) => ({ name })));
    const results = resultsIn(events).map((event) => JSON.stringify(Reflect.get(event, 'result')));
    expect(results).toHaveLength(3);
    // What is encrypted varies between equal results.
    expect(results[0]).toBe(results[1]);
    expect(results[2]).toBe('"none"');
    expect(resultsIn(events).at(-1)).toMatchObject({ isError: true });
  });
});

it('an image in a result is a short id of it, so that equal images are equal results', () => {
  const shot = (pixel: string) => ({
    type: 'computer_call_output',
    call_id: 'c',
    output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${pixel.repeat(5_000)}` },
  });
  const { events } = readAll('messages', [{ input: [shot('A'), shot('A'), shot('B')] }]);
  const [one, same, other] = resultsIn(events).map((event) => JSON.stringify(Reflect.get(event, 'result')));
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  expect(one?.length).toBeLessThan(200);
});
