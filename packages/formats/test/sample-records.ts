import { logSamples } from './log-producers.ts';

/** Sample records of each format; at least one contains a call or a prompt. */
export const sampleRecords: Record<string, readonly Record<string, unknown>[]> = {
  ...logSamples,
  canonical: [
    { v: 1, type: 'tool_call_request', sessionId: 's', name: 'ls', args: {} },
    { type: 'content', sessionId: 's', text: 'Hello' },
  ],
  'claude-code': [
    {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      isSidechain: false,
      sessionId: 's',
      timestamp: '2026-03-01T22:38:47.557Z',
      message: { role: 'user', content: 'check the repo' },
    },
    {
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'u1',
      sessionId: 's',
      timestamp: '2026-03-01T22:38:48.000Z',
      message: {
        id: 'msg_1',
        role: 'assistant',
        model: 'claude-opus-5',
        content: [
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: 'Bash',
            input: { command: 'git status', description: 'Status' },
          },
        ],
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 1000,
          cache_creation_input_tokens: 5,
          output_tokens: 50,
        },
      },
    },
    { type: 'summary', summary: 'Decorators explained', leafUuid: 'm' },
  ],
  codex: [
    {
      timestamp: '2026-05-07T00:00:00Z',
      type: 'session_meta',
      payload: { id: 'c1', cli_version: '0.142.4', source: 'exec' },
    },
    {
      timestamp: '2026-05-07T00:00:01Z',
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'exec_command',
        call_id: 'call-1',
        arguments: '{"cmd":"rg --files"}',
      },
    },
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    {
      type: 'item.started',
      item: { id: 'item_0', type: 'command_execution', command: 'ls', status: 'in_progress' },
    },
  ],
  'gemini-cli': [
    { type: 'init', timestamp: '2026-03-20T15:14:46Z', session_id: 'g', model: 'auto-gemini-3' },
    {
      type: 'message',
      timestamp: '2026-03-20T15:14:47Z',
      role: 'assistant',
      content: 'I list.',
      delta: true,
    },
    {
      type: 'tool_use',
      timestamp: '2026-03-20T15:14:48Z',
      tool_name: 'run_shell_command',
      tool_id: 'c',
      parameters: {},
    },
    { type: 'tool_result', timestamp: '2026-03-20T15:14:49Z', tool_id: 'c', status: 'success', output: 'a' },
    { type: 'result', timestamp: '2026-03-20T15:14:52Z', status: 'success', stats: { input_tokens: 3 } },
    { sessionId: 'g', projectHash: 'p', startTime: '2026-01-15T20:51:48Z', messages: [] },
    { id: 'm', timestamp: '2026-01-15T20:51:52Z', type: 'gemini', content: 'Hi', toolCalls: [] },
  ],
  opencode: [
    {
      id: 'ses_1',
      projectID: 'p',
      directory: '/w',
      title: 't',
      version: '1',
      time: { created: 1, updated: 2 },
    },
    {
      id: 'msg_1',
      sessionID: 'ses_1',
      role: 'assistant',
      time: { created: 1760000000000 },
      modelID: 'm',
      providerID: 'p',
    },
    {
      id: 'prt_1',
      sessionID: 'ses_1',
      messageID: 'msg_1',
      type: 'tool',
      tool: 'bash',
      callID: 'c',
      state: { status: 'running', input: {} },
    },
    {
      type: 'tool_use',
      timestamp: 1760000000000,
      sessionID: 'ses_1',
      part: { id: 'prt_2', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'Hi' },
    },
    {
      type: 'message.part.updated',
      properties: { part: { id: 'prt_3', sessionID: 'ses_1', messageID: 'msg_1', type: 'step-start' } },
    },
  ],
  openhands: [
    {
      id: 'e1',
      timestamp: '2026-04-02T15:25:41.706887',
      source: 'agent',
      kind: 'ActionEvent',
      thought: [],
      action: { command: 'ls', kind: 'TerminalAction', summary: 'List' },
      tool_name: 'terminal',
      tool_call_id: 'toolu_1',
    },
    {
      id: 3,
      timestamp: '2025-04-02T15:25:41',
      source: 'agent',
      action: 'run',
      args: { command: 'ls', thought: '' },
    },
    {
      id: 4,
      timestamp: '2025-04-02T15:25:42',
      source: 'agent',
      observation: 'run',
      content: 'a',
      cause: 3,
      extras: {},
    },
  ],
  messages: [
    {
      messages: [
        { role: 'user', content: 'list files' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"cmd":"ls"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'file1' },
      ],
    },
    {
      input: [
        { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"cmd":"ls"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'file1' },
      ],
    },
  ],
  otlp: [
    {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'demo-agent' } }] },
          scopeSpans: [
            {
              scope: { name: 'opentelemetry.instrumentation.openai_v2' },
              spans: [
                {
                  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                  spanId: '00f067aa0ba902b7',
                  parentSpanId: '',
                  name: 'chat gpt-4o',
                  kind: 3,
                  startTimeUnixNano: '1748000000000000000',
                  endTimeUnixNano: '1748000001500000000',
                  attributes: [
                    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                    {
                      key: 'gen_ai.output.messages',
                      value: {
                        stringValue:
                          '[{"role":"assistant","parts":[{"type":"tool_call","id":"call_x","name":"get_weather","arguments":{"location":"Paris"}}],"finish_reason":"tool_calls"}]',
                      },
                    },
                  ],
                },
                {
                  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                  spanId: '1a2b3c4d5e6f7081',
                  parentSpanId: '00f067aa0ba902b7',
                  name: 'execute_tool get_weather',
                  kind: 1,
                  startTimeUnixNano: '1748000001500000000',
                  endTimeUnixNano: '1748000001800000000',
                  attributes: [
                    { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
                    { key: 'gen_ai.tool.name', value: { stringValue: 'get_weather' } },
                    { key: 'gen_ai.tool.call.id', value: { stringValue: 'call_x' } },
                    { key: 'gen_ai.tool.call.arguments', value: { stringValue: '{"location":"Paris"}' } },
                    { key: 'gen_ai.tool.call.result', value: { stringValue: 'rainy, 57F' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    {
      resourceLogs: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'claude-code' } },
              { key: 'service.version', value: { stringValue: '2.3.0' } },
            ],
          },
          scopeLogs: [
            {
              scope: { name: 'com.anthropic.claude_code.events' },
              logRecords: [
                {
                  timeUnixNano: '1760000000000000000',
                  body: { stringValue: 'claude_code.api_request' },
                  attributes: [
                    { key: 'event.name', value: { stringValue: 'api_request' } },
                    { key: 'session.id', value: { stringValue: 'sess-1' } },
                    { key: 'model', value: { stringValue: 'claude-sonnet-5-5' } },
                    { key: 'cost_usd', value: { doubleValue: 0.0123 } },
                    { key: 'input_tokens', value: { intValue: '1200' } },
                    { key: 'output_tokens', value: { intValue: '300' } },
                    { key: 'cache_read_tokens', value: { intValue: '5000' } },
                  ],
                },
                {
                  body: { stringValue: 'claude_code.tool_result' },
                  attributes: [
                    { key: 'event.name', value: { stringValue: 'tool_result' } },
                    { key: 'session.id', value: { stringValue: 'sess-1' } },
                    { key: 'tool_name', value: { stringValue: 'Bash' } },
                    { key: 'success', value: { stringValue: 'false' } },
                    { key: 'duration_ms', value: { intValue: '120' } },
                    {
                      key: 'tool_parameters',
                      value: { stringValue: '{"bash_command":"npm","full_command":"npm test"}' },
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    {
      name: 'execute_tool query_events',
      kind: 'INTERNAL',
      scope: { name: 'openinference.instrumentation.pi-mono' },
      attributes: {
        'gen_ai.tool.name': 'query_events',
        'input.value': '{"date":"Friday"}',
        'output.value': '...Luminara Jazz Night (concert)...',
        'openinference.span.kind': 'TOOL',
        'tool.name': 'query_events',
        'session.id': '16cd673b-8781-4f15-aacd-93448ecb834a',
      },
    },
  ],
  langfuse: [
    {
      id: 'o1',
      trace_id: 't',
      type: 'TOOL',
      name: 'ls',
      start_time: '2026-11-01 10:00:00.000000',
      input: '{}',
      output: 'a',
    },
    { id: 'o2', traceId: 't', type: 'GENERATION', startTime: '2026-11-01T10:00:00Z', output: 'Hi' },
    { id: 'o3', traceId: 't', type: 'SPAN', startTime: '2026-11-01T10:00:00Z' },
  ],
  'swe-agent': [
    {
      environment: 'swe_main',
      trajectory: [{ action: 'ls', observation: 'a.py', response: 'ls', thought: 'I look.', state: {} }],
      history: [{ role: 'user', content: 'Fix it', agent: 'main' }],
      info: { exit_status: 'submitted' },
    },
  ],
  mlflow: [
    {
      trace_id: 't',
      span_id: 'a',
      parent_span_id: null,
      name: 'llm',
      start_time_unix_nano: 1_795_751_367_889_265_400,
      end_time_unix_nano: 1_795_751_367_897_072_900,
      events: [],
      status: { code: 'STATUS_CODE_OK', message: '' },
      attributes: {
        'mlflow.traceRequestId': '"tr-1"',
        'mlflow.spanType': '"CHAT_MODEL"',
        'mlflow.spanInputs': '{"messages": [{"role": "user", "content": "look"}]}',
        'mlflow.spanOutputs': '{"choices": [{"message": {"role": "assistant", "content": "Done."}}]}',
        'mlflow.chat.tokenUsage': '{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}',
      },
      links: [],
    },
  ],
  langsmith: [
    {
      id: 'r1',
      run_type: 'tool',
      name: 'ls',
      trace_id: 't',
      start_time: '2026-11-01T10:00:00',
      inputs: {},
      outputs: {},
    },
    { id: 'r2', run_type: 'chain', name: 'agent', trace_id: 't', inputs: {} },
  ],
  litellm: [
    {
      id: 'chatcmpl-1',
      trace_id: 'run-7',
      call_type: 'acompletion',
      response_cost: 0.0123,
      status: 'success',
      total_tokens: 1234,
      prompt_tokens: 1200,
      completion_tokens: 34,
      startTime: 1760000000.1,
      endTime: 1760000001.9,
      model: 'gpt-5.6-luna',
      model_group: 'gpt-5.6-luna',
      metadata: { user_api_key_hash: '…', requester_metadata: {} },
      messages: [{ role: 'user', content: '…' }],
      response: {
        choices: [
          {
            message: {
              role: 'assistant',
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
      error_str: null,
    },
  ],
  'openai-chat': [
    {
      id: 'a',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
    },
    {
      id: 'b',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }],
    },
  ],
  'openai-responses': [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { id: 'resp_1', conversation: { id: 'c' }, model: 'm' },
    },
    {
      type: 'response.output_item.done',
      sequence_number: 5,
      item: { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' },
    },
    {
      object: 'response',
      id: 'resp_2',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
    },
  ],
  anthropic: [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'ls' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_2',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    },
  ],
  gemini: [
    {
      responseId: 'resp_1',
      modelVersion: 'gemini-3-pro',
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] } }],
    },
    {
      responseId: 'resp_1',
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ functionCall: { name: 'ls', args: { path: 'a' } } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
    },
  ],
  'ag-ui': [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'ls' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hi' },
  ],
  acp: [
    {
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's',
        update: { sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'read', rawInput: { path: 'a' } },
      },
    },
    { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } },
  ],
  langchain: [
    {
      event: 'on_tool_start',
      name: 'ls',
      run_id: 'r',
      metadata: { thread_id: 't' },
      data: { input: { path: 'a' } },
    },
    { event: 'on_chain_start', name: 'agent', run_id: 'q', metadata: {}, data: {} },
  ],
  cloudevents: [
    {
      specversion: '1.0',
      id: '1',
      source: '/agent',
      type: 'agent.event',
      subject: 's',
      data: { type: 'tool_call_request', sessionId: 's', name: 'ls' },
    },
  ],
  'vercel-ai': [
    { type: 'start', messageId: 'm' },
    { type: 'tool-input-start', toolCallId: 'call_fJdQ', toolName: 'getWeatherInformation' },
    {
      type: 'tool-input-available',
      toolCallId: 'call_fJdQ',
      toolName: 'getWeatherInformation',
      input: { city: 'San Francisco' },
    },
    { type: 'tool-output-available', toolCallId: 'call_fJdQ', output: { weather: 'sunny' } },
    { type: 'finish-step' },
  ],
};
