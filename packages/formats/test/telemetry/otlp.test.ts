import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';
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
  it('gives a call in a chat span and in its tool span one id', () => {
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

  it("reads agents' logs: the input includes cached tokens, calls have no result", () => {
    const { events } = readAll('otlp', [logs]);
    expect(outline(events)).toEqual(['tool_call_request Bash', 'turn_started', 'turn_finished']);
    expect(events[2]).toMatchObject({
      sessionId: 'sess-1',
      agentVersion: '2.3.0',
      costUsd: 0.0123,
      usage: { inputTokens: 6200, outputTokens: 300, cachedInputTokens: 5000 },
    });
  });

  describe('logs of agents', () => {
    const log = (
      name: string,
      at: number,
      attributes: Readonly<Record<string, string | number | boolean>>,
    ) => ({
      timeUnixNano: String((1.79e12 + at) * 1e6),
      attributes: Object.entries({ 'event.name': name, ...attributes }).map(([key, value]) => ({
        key,
        value:
          typeof value === 'boolean'
            ? { boolValue: value }
            : typeof value === 'number'
              ? { intValue: String(value) }
              : { stringValue: value },
      })),
    });
    const read = (...logRecords: readonly object[]) =>
      readAll('otlp', [{ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }]).events;
    const ofGemini = { 'session.id': 's', 'installation.id': 'i' };
    const tokens = { 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 5 };
    const details = 'gen_ai.client.inference.operation.details';
    const operation = { ...ofGemini, 'gen_ai.operation.name': 'generate_content' };
    const response = log('gemini_cli.api_response', 10, {
      ...ofGemini,
      input_token_count: 20,
      output_token_count: 5,
    });
    const call = { type: 'tool_call', name: 'read', id: 'r-1', arguments: '{"path":"a"}' };

    it.each([
      [
        'Codex, with what the call gave',
        log('codex.tool_result', 1, {
          'conversation.id': 's',
          tool_name: 'exec',
          call_id: 'c',
          success: 'true',
          output: 'ok',
        }),
        { result: 'ok', isError: undefined },
      ],
      [
        'Codex, of a failed call',
        log('codex.tool_result', 1, {
          'conversation.id': 's',
          tool_name: 'exec',
          call_id: 'c',
          success: 'false',
          output: 'no',
        }),
        { result: 'no', isError: true },
      ],
      [
        'Gemini CLI, of a failed call',
        log('gemini_cli.tool_call', 1, { ...ofGemini, function_name: 'read', success: false, error: 'no' }),
        { result: 'no', isError: true },
      ],
    ])('have results: %s', (_name, record, result) => {
      expect(read(record)).toMatchObject([
        { type: 'tool_call_request', sessionId: 's' },
        { type: 'tool_result', ...result },
      ]);
    });

    it.each([
      ['without messages', {}, {}, ['turn_started', 'turn_finished', 'tool_call_request read']],
      [
        'with messages',
        {
          'gen_ai.input.messages': JSON.stringify([
            { role: 'user', parts: [{ type: 'text', content: 'go' }] },
          ]),
        },
        {
          'gen_ai.output.messages': JSON.stringify([
            { role: 'system', parts: [{ type: 'text', content: 'So.' }, call] },
          ]),
        },
        ['prompt_started go', 'turn_started', 'turn_finished', 'content So.', 'tool_call_request read'],
      ],
    ])('of Gemini CLI have each response and call once, %s', (_name, input, output, expected) => {
      const events = read(
        log(details, 1, { ...operation, ...input }),
        response,
        log(details, 10, { ...operation, ...tokens, ...input, ...output }),
        log('gemini_cli.tool_call', 20, {
          ...ofGemini,
          function_name: 'read',
          function_args: '{\n "path": "a"\n}',
          success: true,
        }),
      );
      const known = new Set<unknown>();
      expect(outline(events.filter(({ id }) => !known.has(id) && known.add(id)))).toEqual(expected);
    });
  });

  it('reads a span exported as a plain object', () => {
    const { events } = readAll('otlp', [plain]);
    expect(outline(events)).toEqual([
      'tool_call_request query_events',
      'tool_result ...Luminara Jazz Night (concert)...',
    ]);
    expect(events[0]).toMatchObject({ sessionId: '16cd673b-8781-4f15-aacd-93448ecb834a' });
  });

  it('reads a tool span of an earlier Pydantic AI, which names no operation', () => {
    const { events } = readAll('otlp', [
      span('running tool: get_rate', 'a', 1, {
        'gen_ai.tool.name': 'get_rate',
        'gen_ai.tool.call.id': 'pyd_ai_1',
        tool_arguments: '{"pair":"EURUSD"}',
        tool_response: 'market closed',
      }),
      span('running 1 tool', 'b', 0, { tools: ['get_rate'] }),
    ]);
    expect(outline(events)).toEqual(['tool_call_request get_rate', 'tool_result market closed']);
    expect(events[0]).toMatchObject({ args: '{"pair":"EURUSD"}' });
  });

  it('finds the call of an OpenInference tool span without a call id', () => {
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

  it('matches identical tool spans without call ids to the calls of the model one by one, even if histories repeat them', () => {
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

  it('reads spans of OpenLLMetry and the AI SDK', () => {
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

  describe('spans of the AI SDK', () => {
    const text = (value: string) => ({ type: 'text', text: value });
    const user = { role: 'user', content: [text('Read it')] };
    /** A turn as it appears in histories, where the tool's schema has added arguments. */
    const turn = (id: string, output: object) => [
      {
        role: 'assistant',
        content: [
          text('Let me look.'),
          { type: 'tool-call', toolCallId: id, toolName: 'read_file', input: { path: 'a', lines: 100 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: 'read_file', output }],
      },
    ];
    const model = (spanId: string, start: number, end: number, history: object[], id?: string) => ({
      ...span('ai.generateText.doGenerate', spanId, start, {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.telemetry.functionId': 'coder',
        'ai.prompt.messages': JSON.stringify(history),
        'ai.response.text': id === undefined ? 'Done.' : 'Let me look.',
        ...(id !== undefined && {
          'ai.response.toolCalls': `[{"toolCallId":"${id}","toolName":"read_file","input":"{\\"path\\":\\"a\\"}"}]`,
        }),
        'ai.usage.inputTokens': 10,
        'ai.usage.outputTokens': 5,
        'ai.usage.cachedInputTokens': 3,
        'ai.usage.inputTokenDetails.cacheWriteTokens': 2,
      }),
      end_time: 1.7e12 + end,
    });
    const tool = (spanId: string, start: number, end: number, id: string, more: object) => ({
      ...span('ai.toolCall', spanId, start, {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'read_file',
        'ai.toolCall.id': id,
        'ai.toolCall.args': '{"path":"a","lines":100}',
        ...more,
      }),
      end_time: 1.7e12 + end,
    });
    const result = { 'ai.toolCall.result': '"an empty file"' };
    const first = turn('c1', { type: 'text', value: 'an empty file' });
    /** In the order of a request: by their ends. */
    const resource = { attributes: { 'service.name': 'unknown_service:node' } };
    const request = (...spans: readonly object[]) => ({
      resource_spans: [{ resource, scope_spans: [{ spans }] }],
    });
    const once = (events: ReturnType<typeof readAll>['events']) => {
      const known = new Set<unknown>();
      return events.filter(({ id }) => !known.has(id) && known.add(id));
    };

    it.each(['one request', 'a request each'])('give each turn once, in %s', (way) => {
      const spans = [
        model('a', 1, 500.9, [user], 'c1'),
        tool('b', 501, 501.3, 'c1', result),
        model('c', 502, 900, [user, ...first], 'c2'),
        tool('d', 901, 902, 'c2', result),
      ];
      const records = way === 'one request' ? [request(...spans)] : spans.map((each) => request(each));
      // Each request has its own reader, so only the ids identify duplicates.
      const events = records.flatMap((record) => readAll('otlp', [record]).events);
      const answer = ['turn_started', 'content Let me look.', 'tool_call_request read_file', 'turn_finished'];
      const calls = [...answer, 'tool_result an empty file'];
      expect(outline(once(events))).toEqual(['prompt_started Read it', ...calls, ...calls]);
    });

    it('give a failed result as text, as histories do', () => {
      const failed = turn('c1', { type: 'error-text', value: 'no such file' });
      const ofSpan = { 'ai.toolCall.result': '{"lines":0}' };
      const asJson = turn('c2', { type: 'json', value: { lines: 0 } });
      const { events } = readAll('otlp', [
        request(model('a', 1, 2, [user, ...failed, ...asJson]), tool('b', 3, 4, 'c2', ofSpan)),
      ]);
      const results = events.filter(({ type }) => type === 'tool_result');
      expect(results).toMatchObject([
        { callId: 'c1', result: 'no such file', isError: true },
        { callId: 'c2', result: { lines: 0 } },
        { callId: 'c2', result: { lines: 0 } },
      ]);
    });

    it('put a response before its tool, which runs while the response is streamed', () => {
      const { events } = readAll('otlp', [
        request(tool('b', 400, 450, 'c1', result), model('a', 1, 500.9, [user], 'c1')),
      ]);
      expect(outline(once(events)).at(1)).toBe('turn_started');
      expect(outline(once(events)).at(-1)).toBe('tool_result an empty file');
      expect(events.every(({ time }, i) => time! >= (events[i - 1]?.time ?? 0))).toBe(true);
    });

    it('use the function id as agent if the service has no name, and count cache writes', () => {
      const { events } = readAll('otlp', [request(model('a', 1, 2, [user]))]);
      expect(events.at(-1)).toMatchObject({
        agent: 'coder',
        usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 3, cacheWriteTokens: 2 },
      });
    });
  });

  it.each([
    ['an empty file', 'an empty file'],
    ['"an empty file"', 'an empty file'],
    ['{"lines":0}', '{"lines":0}'],
  ])('reads the result %s as text, plain or in JSON', (result, read) => {
    const { events } = readAll('otlp', [
      span('execute_tool ls', 'a', 1, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'ls',
        'gen_ai.tool.call.result': result,
      }),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'tool_result', result: read });
  });

  describe('counts a call once that an agent, a client and a server of MCP report, with HTTP between them', () => {
    const ofMcp = { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' };
    const part = (id: string, parent: string, from: number, to: number, attributes: object, kind = 1) => ({
      name: id,
      traceId: 't',
      spanId: id,
      parentSpanId: parent,
      kind,
      startTimeUnixNano: String(1_795_449_636_000_000_000n + BigInt(from * 1e6)),
      endTimeUnixNano: String(1_795_449_636_000_000_000n + BigInt(to * 1e6)),
      attributes,
    });
    const agent = part('a', 'root', 0, 90, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'docs_read',
      'gen_ai.tool.call.arguments': '{"path":"a"}',
      'gen_ai.tool.call.result': 'no such file',
    });
    const client = part('c', 'a', 10, 80, { ...ofMcp, 'gen_ai.tool.name': 'read' }, 3);
    const http = part('h', 'c', 20, 70, { 'http.request.method': 'POST' }, 3);
    const beside = part('h', 'root', 20, 70, { 'http.request.method': 'POST' }, 3);
    const server = part(
      's',
      'h',
      30,
      60,
      { ...ofMcp, 'gen_ai.tool.name': 'read', 'error.type': 'tool_error' },
      2,
    );
    const request = (...spans: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const callsIn = (events: readonly AgentEvent[]) =>
      events.filter(({ type }) => type === 'tool_call_request').map(({ name }) => name);

    it.each([
      ['nested in them', [server, http, client, agent], ['docs_read']],
      ['beside them', [server, beside, client, agent], ['docs_read']],
      ['without the agent', [server, http, client], ['read']],
      ['without agent and client', [server, http], ['read']],
    ])('%s', (_, spans, names) => {
      const { events } = readAll('otlp', [request(...spans)]);
      expect(callsIn(events)).toEqual(names);
    });

    it('also if the server exports its spans by itself, later', () => {
      const memory = new TelemetryMemory();
      const events = [[http, client, agent], [server]].flatMap((spans) => [
        ...new Translator({ format: 'otlp', memory }).readValue(request(...spans)).events,
      ]);
      expect(callsIn(events)).toEqual(['docs_read']);
      expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([{ result: 'no such file' }]);
    });
  });

  describe('start times that the JavaScript SDK rounds down to milliseconds', () => {
    const nanos = (ms: number) => String(1_795_449_636_000_000_000n + BigInt(ms * 1e6));
    const exported = (name: string, spanId: string, start: number, end: number, attributes: object) => ({
      name,
      traceId: 'trace',
      spanId,
      startTimeUnixNano: nanos(start),
      endTimeUnixNano: nanos(end),
      attributes,
    });
    const tool = (spanId: string, start: number, end: number) =>
      exported('execute_tool ls', spanId, start, end, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'ls',
        'gen_ai.tool.call.arguments': '{}',
        'gen_ai.tool.call.result': spanId,
      });
    const request = (...spans: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

    // As a floating point number, the second time is below the millisecond.
    it.each([777, 778])('keep the order of calls in the same millisecond: %i', (ms) => {
      const { events } = readAll('otlp', [
        request(tool('a', ms, ms + 0.3), tool('b', ms, ms + 0.2), tool('c', ms, ms + 0.1)),
      ]);
      expect(outline(events)).toEqual(
        ['a', 'b', 'c'].flatMap((id) => ['tool_call_request ls', `tool_result ${id}`]),
      );
    });

    it('keep a call after the start of its turn if only its usage is recorded', () => {
      const chat = exported('chat', 'm', 100, 600.9, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.usage.input_tokens': 10,
      });
      const { events } = readAll('otlp', [request(chat, tool('a', 600, 601))]);
      expect(outline(events)).toEqual([
        'turn_started',
        'turn_finished',
        'tool_call_request ls',
        'tool_result a',
      ]);
    });
  });

  describe('reads the spans that are the answer of', () => {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'ls',
      'gen_ai.conversation.id': 's',
    };
    const message = 'no such folder';
    const tags = (of: object) =>
      Object.entries(of).map(([key, value]) => ({ key, type: 'string', value: value as string }));
    const pairs = (of: object) =>
      Object.entries(of).map(([key, value]) => ({ key, value: { stringValue: value as string } }));
    const exception = { 'exception.type': 'OSError', 'exception.message': message };
    const time = '2026-10-12T08:00:04.400+00:00';
    const phoenix = {
      id: 'U3Bhbjo0',
      name: 'ls',
      context: { trace_id: 'trace', span_id: 'a' },
      span_kind: 'TOOL',
      parent_id: null,
      start_time: time,
      end_time: time,
      status_code: 'ERROR',
      status_message: message,
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'ls',
        'session.id': 's',
        'output.value': '',
      },
    };
    const jaeger = {
      traceID: 'trace',
      spanID: 'a',
      operationName: 'execute_tool ls',
      references: [{ refType: 'CHILD_OF', traceID: 'trace', spanID: 'p' }],
      startTime: Date.parse(time) * 1000,
      duration: 20_000,
      tags: tags({ ...attributes, 'otel.status_code': 'ERROR' }),
      logs: [{ timestamp: 1, fields: tags({ event: 'exception', ...exception }) }],
      processID: 'p1',
    };
    const tempo = {
      traceId: 'zmweGlyVJwUoiEqJEDCy3A==',
      spanId: '6DUAxSSJpsA=',
      name: 'execute_tool ls',
      startTimeUnixNano: `${String(Date.parse(time))}000000`,
      attributes: pairs(attributes),
      status: { code: 'STATUS_CODE_ERROR', message },
    };

    it.each([
      ['Phoenix', { data: [phoenix], next_cursor: null }, undefined],
      [
        'Jaeger',
        { data: [{ traceID: 'trace', spans: [jaeger], processes: { p1: { serviceName: 'shop' } } }] },
        'shop',
      ],
      [
        'Tempo',
        {
          batches: [
            { resource: { attributes: pairs({ 'service.name': 'shop' }) }, scopeSpans: [{ spans: [tempo] }] },
          ],
        },
        'shop',
      ],
    ])('%s', (_name, record, agent) => {
      const { events } = readAll('auto', [record]);
      expect(events).toMatchObject([
        { type: 'tool_call_request', name: 'ls', sessionId: 's', time: Date.parse(time), agent },
        { type: 'tool_result', result: message, isError: true },
      ]);
    });
  });

  it('converts base64 ids to hexadecimal', () => {
    const record = JSON.parse(
      JSON.stringify(spans).replaceAll('4bf92f3577b34da6a3ce929d0e0e4736', 'S/kvNXezTaajzpKdDg5HNg=='),
    ) as object;
    expect(readAll('otlp', [record]).events[0]!.sessionId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  });
});
