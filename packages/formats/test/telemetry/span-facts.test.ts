import { describe, expect, it } from 'vitest';
import { readAll } from '../read-all.ts';

const span = (attributes: object) => ({
  name: 'chat',
  context: { trace_id: 't', span_id: 'a' },
  start_time: 1_790_000_000_000,
  end_time: 1_790_000_000_100,
  attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
});
const endOf = (attributes: object) =>
  readAll('otlp', [span(attributes)]).events.find(({ type }) => type === 'turn_finished');
const usage = { 'gen_ai.usage.input_tokens': 120, 'gen_ai.usage.output_tokens': 15 };

describe('the usage of a span', () => {
  it.each([
    [
      'the conventions',
      {
        'gen_ai.usage.cache_read.input_tokens': 100,
        'gen_ai.usage.cache_creation.input_tokens': 5,
        'gen_ai.usage.reasoning.output_tokens': 10,
      },
    ],
    [
      'OpenLLMetry',
      {
        'gen_ai.usage.cache_read_input_tokens': 100,
        'gen_ai.usage.cache_creation_input_tokens': 5,
        'gen_ai.usage.reasoning_tokens': 10,
      },
    ],
    [
      'Pydantic AI',
      {
        'gen_ai.usage.details.cached_tokens': 100,
        'gen_ai.usage.details.cache_write_tokens': 5,
        'gen_ai.usage.details.reasoning_tokens': 10,
      },
    ],
    [
      "Anthropic's SDK",
      {
        'gen_ai.usage.cache_read.input_tokens': 100,
        'gen_ai.usage.cache_write.input_tokens': 5,
        'gen_ai.usage.reasoning_tokens': '10',
      },
    ],
    [
      'OpenInference',
      {
        'llm.token_count.prompt_details.cache_read': 100,
        'llm.token_count.prompt_details.cache_write': 5,
        'llm.token_count.completion_details.reasoning': 10,
      },
    ],
    [
      'the AI SDK',
      {
        'ai.usage.inputTokenDetails.noCacheTokens': 20,
        'ai.usage.inputTokenDetails.cacheReadTokens': 100,
        'ai.usage.inputTokenDetails.cacheWriteTokens': 5,
        'ai.usage.outputTokenDetails.reasoningTokens': 10,
      },
    ],
    [
      'LangSmith',
      {
        'gen_ai.usage.input_token_details': '{"cache_read": 100, "cache_creation": 5}',
        'gen_ai.usage.output_token_details': '{"reasoning": 10}',
      },
    ],
    [
      'a total beside its parts',
      {
        'gen_ai.usage.cache_read_input_tokens': 100,
        'gen_ai.usage.cache_creation.ephemeral_5m_input_tokens': 2,
        'gen_ai.usage.cache_creation.input_tokens': 5,
        'gen_ai.usage.cache_read.cost': 4000,
        'gen_ai.usage.reasoning_tokens': 10,
      },
    ],
  ])('has the details as named by %s', (_, details) => {
    expect(endOf({ ...usage, ...details })).toMatchObject({
      usage: {
        inputTokens: 120,
        outputTokens: 15,
        cachedInputTokens: 100,
        cacheWriteTokens: 5,
        reasoningTokens: 10,
      },
    });
  });

  it('includes cached tokens, even if the producer leaves them out of the input', () => {
    const excluded = { ...usage, 'gen_ai.usage.cache_read_input_tokens': 5_000 };
    expect(endOf(excluded)).toMatchObject({ usage: { inputTokens: 5_120, cachedInputTokens: 5_000 } });
  });
});

describe('the cost of a span', () => {
  it.each([
    ['OpenLIT', { 'gen_ai.usage.cost': 0.25 }],
    ['OpenInference', { 'llm.cost.total': '0.25' }],
    ['Logfire', { 'operation.cost': 0.25 }],
    ['LiteLLM', { 'gen_ai.cost.total_cost': 0.25 }],
    ['Langfuse', { 'langfuse.observation.cost_details': '{"input": 0.05, "total": 0.25}' }],
  ])('is that named by %s', (_, cost) => {
    expect(endOf({ ...usage, ...cost })).toMatchObject({ costUsd: 0.25 });
  });

  it('is unknown if it is 0', () => {
    expect(endOf({ ...usage, 'gen_ai.usage.cost': 0 })?.['costUsd']).toBeUndefined();
  });
});

describe('the session of a span', () => {
  it.each([
    'session_id',
    'traceloop.association.properties.chat_id',
    'traceloop.association.properties.conversation_id',
    'ai.telemetry.metadata.session_id',
    'ai.telemetry.metadata.chatId',
    'langsmith.metadata.thread_id',
    'mastra.metadata.sessionId',
  ])('is that in %s', (name) => {
    expect(endOf({ ...usage, [name]: 's' })).toMatchObject({ sessionId: 's' });
  });

  it('is that in the metadata of OpenInference', () => {
    expect(endOf({ ...usage, metadata: '{"thread_id": "s"}' })).toMatchObject({ sessionId: 's' });
  });

  it('is not the number of a thread of the operating system', () => {
    expect(endOf({ ...usage, 'thread.id': 140 })).toMatchObject({ sessionId: 't' });
  });
});
