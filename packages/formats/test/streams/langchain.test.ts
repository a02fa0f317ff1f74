import { expect, it } from 'vitest';
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
