import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';
import { sampleRecords } from '../sample-records.ts';

const [spans, logs, plain] = sampleRecords['otlp']!;
const span = (name: string, spanId: string, start: number, attributes: object) => ({
  name,
  context: { trace_id: 'trace', span_id: spanId },
  start_time: 1.7e12 + start,
  end_time: 1.7e12 + start + 1,
  attributes,
});

describe('OpenTelemetry', () => {
  it('has one call in a chat span and its tool span, of one id', () => {
    const { events } = readAll('otlp', [spans]);
    expect(outline(events)).toEqual([
      'turn_started',
      'tool_call_request get_weather',
      'turn_finished',
      'tool_call_request get_weather',
      'tool_result rainy, 57F',
    ]);
    expect(events.filter(({ type }) => type === 'tool_call_request').map(({ id }) => id)).toEqual([
      'call:call_x',
      'call:call_x',
    ]);
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(
      new Set(['4bf92f3577b34da6a3ce929d0e0e4736']),
    );
  });

  it("reads the agents' logs: cached tokens are part of the input, a call has no result", () => {
    const { events } = readAll('otlp', [logs]);
    expect(outline(events)).toEqual(['tool_call_request Bash', 'turn_started', 'turn_finished']);
    expect(events[2]).toMatchObject({
      sessionId: 'sess-1',
      agentVersion: '2.3.0',
      costUsd: 0.0123,
      usage: { inputTokens: 6200, outputTokens: 300, cachedInputTokens: 5000 },
    });
  });

  it('reads a span that was exported as a plain object', () => {
    const { events } = readAll('otlp', [plain]);
    expect(outline(events)).toEqual([
      'tool_call_request query_events',
      'tool_result ...Luminara Jazz Night (concert)...',
    ]);
    expect(events[0]).toMatchObject({ sessionId: '16cd673b-8781-4f15-aacd-93448ecb834a' });
  });

  it('finds the call of an OpenInference tool span that lacks its id', () => {
    const call = 'llm.output_messages.0.message.tool_calls.0.tool_call';
    const { events } = readAll('otlp', [
      span('llm', 'a', 1, {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'go',
        'llm.output_messages.0.message.role': 'assistant',
        [`${call}.id`]: 'c1',
        [`${call}.function.name`]: 'ls',
        [`${call}.function.arguments`]: '{"a": 1}',
      }),
      span('ls', 'b', 3, {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'ls',
        'input.value': '{"a":1}',
        'output.value': 'x',
      }),
    ]);
    expect(events.filter(({ type }) => type.startsWith('tool_')).map(({ id }) => id)).toEqual([
      'call:c1',
      'call:c1',
      'result:c1',
    ]);
  });

  it('gives equal calls that lack an id those of the model, one each, though histories repeat them', () => {
    const message = (id: string) => ({
      role: 'assistant',
      parts: [{ type: 'tool_call', id, name: 'ls', arguments: {} }],
    });
    const chat = (spanId: string, start: number, input: object[], output: object[]) =>
      span('chat', spanId, start, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify(input),
        'gen_ai.output.messages': JSON.stringify(output),
      });
    const tool = (spanId: string, start: number) =>
      span('tool', spanId, start, {
        'openinference.span.kind': 'tool',
        'tool.name': 'ls',
        'input.value': '{}',
        'output.value': 'x',
      });
    const go = { role: 'user', parts: [{ type: 'text', content: 'go' }] };
    const { events } = readAll('otlp', [
      chat('a', 1, [go], [message('c1')]),
      tool('b', 3),
      chat('c', 5, [go, message('c1')], [message('c2')]),
      tool('d', 7),
    ]);
    expect(events.filter(({ type }) => type === 'tool_result').map(({ id }) => id)).toEqual([
      'result:c1',
      'result:c2',
    ]);
  });

  it("reads OpenLLMetry's and the AI SDK's spans", () => {
    const { events } = readAll('otlp', [
      span('openai.chat', 'a', 1, {
        'llm.request.type': 'chat',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'go',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.tool_calls.0.id': 'c1',
        'gen_ai.completion.0.tool_calls.0.name': 'ls',
        'gen_ai.completion.0.tool_calls.0.arguments': '{}',
      }),
      span('ai.streamText.doStream', 'c', 5, {
        'ai.response.toolCalls': '[{"toolCallId":"c2","toolName":"cat","input":{"p":1}}]',
      }),
      span('ai.streamText', 'd', 5, { 'ai.response.text': 'again' }),
      span('ai.toolCall', 'e', 6, {
        'ai.toolCall.id': 'c2',
        'ai.toolCall.name': 'cat',
        'ai.toolCall.args': '{"p":1}',
        'ai.toolCall.result': 'r',
      }),
    ]);
    expect(outline(events)).toEqual([
      'prompt_started go',
      'turn_started',
      'tool_call_request ls',
      'turn_finished',
      'turn_started',
      'tool_call_request cat',
      'turn_finished',
      'tool_call_request cat',
      'tool_result r',
    ]);
  });

  it('does not judge a call whose content is not recorded', () => {
    const { events, ignored } = readAll('otlp', [
      span('execute_tool ls', 'a', 1, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'ls' }),
    ]);
    expect({ events, ignored }).toEqual({ events: [], ignored: ['execute_tool ls (without arguments)'] });
  });

  it('reads base64 ids as the hexadecimal ones that they are', () => {
    const record = JSON.parse(
      JSON.stringify(spans).replaceAll('4bf92f3577b34da6a3ce929d0e0e4736', 'S/kvNXezTaajzpKdDg5HNg=='),
    ) as object;
    expect(readAll('otlp', [record]).events[0]!.sessionId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  });
});
