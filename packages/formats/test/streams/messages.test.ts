import { describe, expect, it } from 'vitest';
import { Translator } from '../../src/index.ts';
import { outline, readAll } from '../read-all.ts';

const user = { role: 'user', content: 'look' };
const args = '{"cmd":"ls"}';
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'sh', arguments: args } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'a' });
const turn = ['turn_started', 'tool_call_request sh', 'turn_finished', 'tool_result a'];
const outlineOf = (...records: object[]) => outline(readAll('messages', records).events);

describe('lists of messages', () => {
  it('give events for new messages only if a history is repeated', () => {
    const first = [user, call('1'), result('1')];
    expect(outlineOf({ messages: first }, { messages: [...first, call('2'), result('2')] })).toEqual([
      'prompt_started look',
      ...turn,
      ...turn,
    ]);
  });

  it('give a repeated history the same ids in another process', () => {
    const ids = () =>
      readAll('messages', [{ messages: [user, call('1'), result('1')] }]).events.map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(5);
  });

  it('can contain a Responses API message as several items', () => {
    const input = [
      user,
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', id: 'fc_1', call_id: '1', name: 'sh', arguments: args },
      { type: 'function_call_output', call_id: '1', output: 'a' },
      { type: 'custom_tool_call', call_id: '2', name: 'patch', input: 'x' },
    ];
    const { events } = readAll('messages', [{ input }]);
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request sh',
      'turn_finished',
      'tool_result a',
      'turn_started',
      'tool_call_request patch',
      'turn_finished',
    ]);
    expect(events[4]).toMatchObject({ callId: '1', args });
  });

  it.each([
    [
      'Anthropic',
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'sh', input: { cmd: 'ls' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'a' }] },
    ],
    [
      'parts',
      { role: 'assistant', parts: [{ type: 'tool_call', id: '1', name: 'sh', arguments: { cmd: 'ls' } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: '1', result: 'a' }] },
    ],
    [
      'LangChain',
      {
        id: ['langchain', 'AIMessage'],
        kwargs: { content: '', tool_calls: [{ id: '1', name: 'sh', args: {} }] },
      },
      { id: ['langchain', 'ToolMessage'], kwargs: { content: 'a', tool_call_id: '1' } },
    ],
    [
      'the legacy function call',
      { role: 'assistant', function_call: { name: 'sh', arguments: args } },
      { role: 'function', name: 'sh', content: 'a' },
    ],
  ])('are read in the form of %s', (_, answer, outcome) => {
    expect(outlineOf({ messages: [user, answer, outcome] })).toEqual(['prompt_started look', ...turn]);
  });

  it('belong to the session they name, or that of the file', () => {
    const sessions = [
      { session_id: 'a' },
      { conversation: { id: 'b' } },
      { metadata: { thread_id: 'c' } },
      {},
    ];
    const { events } = readAll(
      'messages',
      sessions.map((more) => ({ ...more, messages: [user] })),
    );
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c', 'file']);
  });

  it('are those of one sample, even if other logs of Inspect AI have the same sample', () => {
    const log = (evaluation: string) => ({
      eval: { eval_id: evaluation, created: '2026-11-01T10:00:00Z' },
      samples: [1, 2].map((epoch) => ({
        id: 'a',
        epoch,
        started_at: '2026-11-01T10:05:00Z',
        messages: [user],
      })),
    });
    const { events } = readAll('auto', [log('one'), log('two')]);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['one/a/1', 'one/a/2', 'two/a/1', 'two/a/2']);
    expect(events[0]).toMatchObject({ time: Date.UTC(2026, 10, 1, 10, 5) });
  });

  it('are read from a list in the form of messages_to_dict', () => {
    const list = [
      { type: 'human', data: { content: 'look', type: 'human' } },
      { type: 'ai', data: { content: '', type: 'ai', tool_calls: [{ id: '1', name: 'sh', args: {} }] } },
      { type: 'tool', data: { content: 'a', type: 'tool', tool_call_id: '1', status: 'success' } },
    ];
    expect(outline(readAll('auto', [list]).events)).toEqual(['prompt_started look', ...turn]);
  });

  it('are read from a list in the form of dumpd', () => {
    const dumped = (name: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'schema', 'messages', name],
      kwargs,
    });
    const list = [
      dumped('HumanMessage', { content: 'look' }),
      dumped('AIMessage', { content: '', tool_calls: [{ id: '1', name: 'sh', args: {} }] }),
      dumped('ToolMessage', { content: 'a', tool_call_id: '1' }),
    ];
    expect(outline(readAll('auto', [list]).events)).toEqual(['prompt_started look', ...turn]);
  });

  it.each([
    ['without a time', {}, 'harness'],
    ['with the time of the record', { timestamp: '2026-11-01T10:00:00Z' }, undefined],
  ])('have a prompt right behind a result, %s', (_, more, origin) => {
    const call = { id: '1', type: 'function', function: { name: 'sh', arguments: '{}' } };
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: '1', content: 'a' },
      { role: 'user', content: '39 steps are left.' },
    ];
    const { events } = readAll('messages', [{ messages, ...more }]);
    expect(events.at(-1)).toMatchObject({ type: 'prompt_started', text: '39 steps are left.', origin });
  });

  it('are conversations of their own in the rows of a data set', () => {
    const row = (path: string) => ({
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_0', type: 'function', function: { name: 'sh', arguments: JSON.stringify({ path }) } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: 'a' },
        { role: 'assistant', content: 'Done.' },
      ],
    });
    const { events } = readAll('messages', [row('a'), row('b')]);
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(events.filter(({ type }) => type === 'prompt_started')).toHaveLength(2);
  });

  it.each([
    ['input-streaming', {}, []],
    ['input-available', {}, ['call']],
    ['output-available', { output: 'x', preliminary: true }, ['call']],
    ['output-available', { output: 'x' }, ['call', 'x', undefined]],
    ['output-error', { errorText: 'no' }, ['call', 'no', true]],
    ['output-denied', { approval: { approved: false, reason: 'no' } }, ['call', 'no', true]],
  ])('have calls of the AI SDK in the state %s %j', (state, more, expected) => {
    for (const type of ['tool-sh', 'dynamic-tool']) {
      const part = { type, toolName: 'sh', toolCallId: '1', state, input: { cmd: 'ls' }, ...more };
      const { events } = readAll('auto', [[{ id: 'a', role: 'assistant', parts: [part] }]]);
      const read = events.flatMap((event) => {
        if (event.type === 'tool_call_request') return ['call'];
        return event.type === 'tool_result' ? [event['result'], event['isError']] : [];
      });
      expect(read).toEqual(expected);
    }
  });

  it('have calls of version 4 of the AI SDK', () => {
    const toolInvocation = { state: 'result', toolCallId: '1', toolName: 'sh', args: {}, result: 'a' };
    const parts = [{ type: 'step-start' }, { type: 'tool-invocation', toolInvocation }];
    expect(outlineOf({ messages: [user, { role: 'assistant', content: '', parts }] })).toEqual([
      'prompt_started look',
      ...turn,
    ]);
  });

  it.each([
    ['AgentDojo', { content: '', error: 'no such file' }, 'no such file'],
    ['Inspect AI', { content: '', error: { type: 'parsing', message: 'no such file' } }, 'no such file'],
    ['tau2', { content: 'Error: no such user', error: true }, 'Error: no such user'],
  ])('have failed results of %s', (_, failed, expected) => {
    const { events } = readAll('messages', [
      { messages: [user, call('1'), { role: 'tool', tool_call_id: '1', ...failed }] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'tool_result', result: expected, isError: true });
  });

  it('have no failed results if the error is null or false', () => {
    const results = [null, false].map((error, i) => ({ ...result(String(i)), error }));
    const { events } = readAll('messages', [{ messages: results }]);
    expect(events.map(({ isError }) => isError)).toEqual([undefined, undefined]);
  });

  it('have several results in one message of AG2', () => {
    const responses = [result('1'), result('2')];
    const [, , , one, other] = readAll('messages', [
      { messages: [call('1'), { role: 'tool', content: 'a\n\na', tool_responses: responses }] },
    ]).events;
    expect([one, other]).toMatchObject([{ callId: '1' }, { callId: '2' }]);
  });

  it.each([
    ['tau2', { usage: { prompt_tokens: 9, completion_tokens: 4 }, cost: 0.5 }, { costUsd: 0.5 }],
    [
      'LangChain',
      { usage_metadata: { input_tokens: 9, output_tokens: 4, input_token_details: { cache_read: 2 } } },
      { usage: { cachedInputTokens: 2 } },
    ],
    [
      'LangChain before 0.2',
      { response_metadata: { token_usage: { prompt_tokens: 9, completion_tokens: 4 } } },
      {},
    ],
    ['mini-swe-agent', { extra: { response: { usage: { prompt_tokens: 9, completion_tokens: 4 } } } }, {}],
  ])('have the usage in messages of %s', (_, more, expected) => {
    const { events } = readAll('messages', [{ messages: [user, { ...call('1'), ...more }] }]);
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 9, outputTokens: 4 } });
    expect(events.at(-1)).toMatchObject(expected);
  });

  it('have the times that they name', () => {
    const { events } = readAll('messages', [
      { created_at: '2026-10-12T08:00:00Z', messages: [{ ...user, ts: 1_791_792_004_000 }, user] },
    ]);
    expect(events.map(({ time }) => time)).toEqual([1_791_792_004_000, 1_791_792_000_000]);
  });

  it.each([
    ['no call', [], 1],
    ['a call', [call('1')], 0],
  ])('with blocks of an unknown type and %s', (_, more, unknown) => {
    const strange = { role: 'assistant', content: [{ type: 'invoke', target: 'sh' }, { text: 'ok' }] };
    const { ignored, unknown: found } = new Translator({ format: 'auto', session: 's' }).readValue({
      messages: [user, strange, ...more],
    });
    expect(ignored).toEqual(['assistant (invoke)']);
    expect(found).toBe(unknown);
  });
});

describe('requests with their answers', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4 };
  const response = { object: 'chat.completion', choices: [{ index: 0, message: call('1') }], usage };
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'I ' } }] },
    { choices: [{ index: 0, delta: { content: 'look.' } }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ ...call('1').tool_calls[0], index: 0 }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage },
  ];
  const block = { type: 'tool_use', id: '1', name: 'sh', input: {} };
  const events = [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
  ];
  const sse = (records: readonly object[]) =>
    records.map((record) => `event: x\r\ndata: ${JSON.stringify(record)}\r\n\r\n`).join('');
  const items = [{ type: 'function_call', call_id: '1', name: 'sh', arguments: args }];
  const ofResponses = { output: items, usage: { input_tokens: 9, output_tokens: 4 } };
  const contents = [{ role: 'user', parts: [{ text: 'look' }] }];
  const geminiPart = { functionCall: { id: '1', name: 'sh', args: { cmd: 'ls' } } };
  const gemini = {
    candidates: [{ content: { role: 'model', parts: [geminiPart] } }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
  };
  const ofOllama = {
    message: {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: '1', function: { name: 'sh', arguments: { cmd: 'ls' } } }],
    },
    done: true,
    prompt_eval_count: 9,
    eval_count: 4,
  };

  it.each<[string, object]>([
    ['Chat', { request: { messages: [user] }, response }],
    ['Chat as text', { request: JSON.stringify({ messages: [user] }), response: JSON.stringify(response) }],
    ['Chat, streamed', { messages: [user], response: chunks }],
    ['Chat, streamed as text', { request: { messages: [user] }, response: `${sse(chunks)}data: [DONE]\n` }],
    ['Anthropic, streamed as text', { request: { messages: [user] }, response: sse(events) }],
    [
      'Anthropic, streamed, of Bedrock',
      { input: { inputBodyJson: { messages: [user] } }, output: { outputBodyJson: events } },
    ],
    ['Responses', { request: { input: 'look' }, response: { body: ofResponses } }],
    [
      'Responses, streamed',
      {
        request: { input: [user] },
        response: [{ type: 'response.created' }, { type: 'response.completed', response: ofResponses }],
      },
    ],
    ['Gemini', { request: { contents }, response: gemini }],
    ['Gemini, streamed', { request: { contents }, response: [gemini] }],
    ['Ollama', { request: { messages: [user] }, response: ofOllama }],
    ['usage beside the answer', { messages: [user], output: call('1'), usage }],
  ])('are read with the call and usage: %s', (_, record) => {
    const read = readAll('auto', [record]).events;
    expect(outline(read).filter((line) => !line.startsWith('content'))).toEqual([
      'prompt_started look',
      ...turn.slice(0, 3),
    ]);
    expect(read.at(-1)).toMatchObject({ usage: { inputTokens: 9, outputTokens: 4 } });
  });

  it('count an answer once that the next request repeats in another spelling', () => {
    const spelled = { ...call('1'), content: '' };
    spelled.tool_calls[0]!.function.arguments = '{ "cmd": "ls" }';
    expect(
      outlineOf(
        { request: { messages: [user] }, response },
        { request: { messages: [user, spelled, result('1')] }, response: { choices: [] } },
      ),
    ).toEqual(['prompt_started look', ...turn]);
  });

  it('count an answer once that the messages of its record end with', () => {
    expect(outlineOf({ messages: [user, call('1'), result('1')], output: response })).toEqual([
      'prompt_started look',
      ...turn,
    ]);
  });

  it('are found among the entries of a HAR file', () => {
    const entry = (request: string, text: string, encoding?: string) => ({
      request: { postData: { text: request } },
      response: { content: { text, encoding } },
    });
    const request = JSON.stringify({ messages: [user] });
    const { events: read, ignored } = readAll('auto', [
      {
        log: { entries: [entry('a=b', '<html>'), entry(request, btoa(JSON.stringify(response)), 'base64')] },
      },
    ]);
    expect(ignored).toEqual(['HAR entry']);
    expect(outline(read)).toEqual(['prompt_started look', ...turn.slice(0, 3)]);
  });

  it('can be pieces of an answer of Ollama', () => {
    const piece = { model: 'm', done: false, message: { role: 'assistant', content: 'I ' } };
    const last = { ...ofOllama, model: 'm', message: { ...ofOllama.message, content: 'look.' } };
    expect(outlineOf(piece, last)).toEqual([
      'turn_started',
      'content I look.',
      'tool_call_request sh',
      'turn_finished',
    ]);
  });
});
