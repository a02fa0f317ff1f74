import { expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';
import { outline, readAll } from '../read-all.ts';

it('LangChain: reads tool runs as calls and the thread as session', () => {
  const event = (name: string, data: object, run = 'r1') => ({
    event: name,
    name: 'ls',
    run_id: run,
    metadata: { thread_id: 't', ls_model_name: 'gpt-5' },
    data,
  });
  const { events, ignored } = readAll('langchain', [
    event('on_chain_start', {}),
    event('on_chat_model_start', {}),
    event('on_chat_model_stream', { chunk: { kwargs: { content: [{ type: 'text', text: 'I look.' }] } } }),
    event('on_chat_model_end', {
      output: {
        usage_metadata: { input_tokens: 9, output_tokens: 2, input_token_details: { cache_read: 4 } },
      },
    }),
    event('on_tool_start', { input: { input: '{"p":1}' } }, 'r2'),
    event('on_tool_error', { error: 'no' }, 'r2'),
  ]);
  expect(outline(events)).toEqual([
    'turn_started',
    'content I look.',
    'turn_finished',
    'tool_call_request ls',
    'tool_result no',
  ]);
  expect(events[2]).toMatchObject({
    sessionId: 't',
    model: 'gpt-5',
    usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 },
  });
  expect(events[3]).toMatchObject({ callId: 'r2', args: { p: 1 } });
  expect(events[4]).toMatchObject({ isError: true });
  expect(ignored).toEqual(['on_chain_start']);
});

const ended = (event: string, data: object) => ({
  event,
  name: 'm',
  run_id: 'r',
  metadata: { thread_id: 't' },
  data,
});
const tokens = { prompt_tokens: 9, completion_tokens: 2 };

it.each([
  [
    'a message',
    ended('on_chat_model_end', { output: { content: '', response_metadata: { token_usage: tokens } } }),
  ],
  [
    'a message of generations',
    ended('on_chat_model_end', {
      output: { generations: [[{ message: { usage_metadata: { input_tokens: 9, output_tokens: 2 } } }]] },
    }),
  ],
  [
    'a completion',
    ended('on_llm_end', { output: { generations: [[{ text: 'Hi' }]], llm_output: { token_usage: tokens } } }),
  ],
])('LangChain: reads the usage of %s', (_, record) => {
  const { events } = readAll('langchain', [record]);
  expect(events).toMatchObject([{ type: 'turn_finished', usage: { inputTokens: 9, outputTokens: 2 } }]);
});

it('LangChain: reads a tool message as Python writes it, whose id is no part of the result', () => {
  const { events } = readAll('langchain', [
    ended('on_tool_end', { output: "content='none' name='ls' tool_call_id='call_1' status='error'" }),
  ]);
  expect(events).toMatchObject([{ type: 'tool_result', result: 'none', isError: true }]);
});

it('LangChain: reads the turns of models that complete texts', () => {
  const { events } = readAll('langchain', [
    ended('on_llm_start', {}),
    ended('on_llm_stream', { chunk: { text: 'Hi' } }),
    ended('on_llm_end', {}),
  ]);
  expect(outline(events)).toEqual(['turn_started', 'content Hi', 'turn_finished']);
});

/** The events of an agent that requests two calls at once, as `dumpd` writes them. */
const requested = (metadata: object = { thread_id: 't' }) => {
  const event = (name: string, run: string, data: object) => ({
    event: name,
    name: 'ls',
    run_id: run,
    metadata,
    data,
  });
  const call = (id: string, path: string) => ({ name: 'ls', args: { path }, id, type: 'tool_call' });
  const message = (name: string, kwargs: object) => ({ lc: 1, id: ['langchain', name], kwargs });
  const answer = message('AIMessageChunk', {
    type: 'AIMessageChunk',
    content: '',
    tool_calls: [call('call_1', 'a'), call('call_2', 'b')],
  });
  const result = (id: string, content: string) =>
    message('ToolMessage', { type: 'tool', content, tool_call_id: id, status: 'success' });
  return { event, answer, result };
};

it('LangChain: reads a call once that a model requests and a tool runs, whose input has more than the arguments', () => {
  const { event, answer, result } = requested();
  const { events } = readAll('langchain', [
    event('on_chat_model_start', 'm1', {}),
    event('on_chat_model_end', 'm1', { output: answer }),
    event('on_tool_start', 't2', { input: { path: 'b' } }),
    event('on_tool_start', 't1', { input: { path: 'a', state: { step: 1 } } }),
    event('on_tool_end', 't1', { output: result('call_1', 'one') }),
    event('on_tool_end', 't2', { output: result('call_2', 'two') }),
    event('on_tool_start', 't3', { input: { path: 'of the program' } }),
  ]);
  const known = new Set<unknown>();
  const calls = events.filter(
    ({ id, type }) => type === 'tool_call_request' && !known.has(id) && known.add(id),
  );
  expect(calls).toMatchObject([
    { callId: 'call_1', args: { path: 'a' } },
    { callId: 'call_2', args: { path: 'b' } },
    { callId: 't3', args: { path: 'of the program' } },
  ]);
  expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([
    { callId: 'call_1', result: 'one' },
    { callId: 'call_2', result: 'two' },
  ]);
});

it('LangChain: reads the results of calls that an agent runs itself from the next request, once', () => {
  const { event, answer, result } = requested();
  const history = [answer, result('call_1', 'one'), result('call_2', 'two')];
  const { events } = readAll('langchain', [
    event('on_chat_model_end', 'm1', { output: answer }),
    event('on_chat_model_start', 'm2', { input: { messages: [history] } }),
    event('on_chat_model_start', 'm3', { input: history }),
  ]);
  const results = events.filter(({ type }) => type === 'tool_result');
  expect(new Set(results.map(({ id }) => id)).size).toBe(2);
  expect(results).toMatchObject([
    { callId: 'call_1', result: 'one' },
    { callId: 'call_2', result: 'two' },
    ...results.slice(2),
  ]);
});

it('LangChain: reads a call once if each event comes in a request of its own', () => {
  const { event, answer } = requested();
  const memory = new TelemetryMemory();
  const records = [
    event('on_chat_model_end', 'm1', { output: answer }),
    event('on_tool_start', 't1', { input: { path: 'a' } }),
    event('on_tool_start', 't2', { input: { path: 'b' } }),
  ];
  const events = records.flatMap((record) => [
    ...new Translator({ format: 'auto', memory }).readValue(record).events,
  ]);
  const ids = events.filter(({ type }) => type === 'tool_call_request').map(({ id }) => id);
  expect([...new Set(ids)]).toEqual(['call:call_1', 'call:call_2']);
});
