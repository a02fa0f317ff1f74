import type { FormatName } from '@loopwatch/contract';

/** A tool call and its result. */
export interface Call {
  readonly id: string;
  readonly args: { readonly path: string };
  readonly result: string;
  /** Position at which streams split the arguments. */
  readonly cut?: number;
}

/** A format, and records of a producer in it. */
export type Producer = readonly [FormatName, (calls: readonly Call[]) => object[]];

const user = { role: 'user', content: 'look' };
const answerOf = ({ id, args }: Call) => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(args) } }],
});
const chatOf = (calls: readonly Call[]) => [
  user,
  ...calls.flatMap((call) => [answerOf(call), { role: 'tool', tool_call_id: call.id, content: call.result }]),
];
const attributes = (values: object) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value as string } }));

const at = { timestamp: '2026-11-01T10:00:00Z' };
const rollout = (type: string, payload: object) => ({ ...at, type, payload });
const claude = (type: string, uuid: string, message: object) => ({
  ...at,
  type,
  uuid,
  sessionId: 's',
  message,
});

/** The same calls as written by each producer. */
export const producers: Record<string, Producer> = {
  canonical: [
    'canonical',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        { type: 'tool_call_request', sessionId: 's', callId: id, name: 'read_file', args },
        { type: 'tool_result', sessionId: 's', callId: id, result },
      ]),
  ],
  messages: ['messages', (calls) => calls.map((_, i) => ({ messages: chatOf(calls.slice(0, i + 1)) }))],
  litellm: [
    'litellm',
    (calls) =>
      [...calls, undefined].map((call, i) => ({
        call_type: 'acompletion',
        response_cost: 0.01,
        trace_id: 't',
        messages: chatOf(calls.slice(0, i)),
        response: {
          choices: [
            { message: call === undefined ? { role: 'assistant', content: 'Done.' } : answerOf(call) },
          ],
        },
      })),
  ],
  otlp: [
    'otlp',
    (calls) =>
      calls.map(({ id, args, result }, i) => ({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    name: 'execute_tool read_file',
                    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                    spanId: `00f067aa0ba902b${String(i)}`,
                    startTimeUnixNano: `174800000${String(i)}000000000`,
                    endTimeUnixNano: `174800000${String(i)}500000000`,
                    attributes: attributes({
                      'gen_ai.operation.name': 'execute_tool',
                      'gen_ai.tool.name': 'read_file',
                      'gen_ai.tool.call.id': id,
                      'gen_ai.tool.call.arguments': JSON.stringify(args),
                      'gen_ai.tool.call.result': result,
                    }),
                  },
                ],
              },
            ],
          },
        ],
      })),
  ],
  'claude-code': [
    'claude-code',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        claude('assistant', `a${id}`, {
          id: `m${id}`,
          content: [{ type: 'tool_use', id, name: 'read_file', input: args }],
        }),
        claude('user', `r${id}`, { content: [{ type: 'tool_result', tool_use_id: id, content: result }] }),
      ]),
  ],
  'claude agent SDK': [
    'claude-code',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const sdk = { parent_tool_use_id: null, session_id: 's' };
        const content = [{ type: 'tool_result', tool_use_id: id, content: result }];
        return [
          {
            type: 'assistant',
            message: {
              id: `m${id}`,
              role: 'assistant',
              content: [{ type: 'tool_use', id, name: 'read_file', input: args }],
            },
            ...sdk,
          },
          { type: 'user', message: { role: 'user', content }, ...sdk },
        ];
      }),
  ],
  'codex rollout': [
    'codex',
    (calls) => [
      rollout('session_meta', { id: 's' }),
      ...calls.flatMap(({ id, args, result }) => [
        rollout('response_item', {
          type: 'function_call',
          name: 'read_file',
          call_id: id,
          arguments: JSON.stringify(args),
        }),
        rollout('response_item', { type: 'function_call_output', call_id: id, output: result }),
      ]),
    ],
  ],
  'codex rollout, until September 2025': [
    'codex',
    (calls) => [
      { id: 's', timestamp: '2025-07-21T10:33:37.000Z', instructions: null },
      { record_type: 'state' },
      ...calls.flatMap(({ id, args, result }) => [
        { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: null },
        { type: 'function_call', id: null, name: 'read_file', arguments: JSON.stringify(args), call_id: id },
        {
          type: 'function_call_output',
          call_id: id,
          output: JSON.stringify({ output: result, metadata: {} }),
        },
      ]),
      { type: 'message', id: null, role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    ],
  ],
  'codex rollout, of its first version': [
    'codex',
    (calls) => [
      {
        session: { id: 's', timestamp: '2025-04-21T10:33:37.000Z', instructions: '' },
        items: calls.flatMap(({ id, args, result }) => [
          {
            type: 'function_call',
            name: 'read_file',
            arguments: JSON.stringify(args),
            call_id: id,
            status: 'completed',
          },
          {
            type: 'function_call_output',
            call_id: id,
            output: JSON.stringify({ output: result, metadata: {} }),
          },
        ]),
      },
    ],
  ],
  'codex exec': [
    'codex',
    (calls) => [
      { type: 'thread.started', thread_id: 's' },
      ...calls.flatMap(({ id, args, result }) => {
        const item = { id, type: 'mcp_tool_call', tool: 'read_file', arguments: args };
        return [
          { type: 'item.started', item },
          { type: 'item.completed', item: { ...item, result, status: 'completed' } },
        ];
      }),
    ],
  ],
  'gemini-cli stream': [
    'gemini-cli',
    (calls) => [
      { ...at, type: 'init', session_id: 's', model: 'gemini-3' },
      ...calls.flatMap(({ id, args, result }) => [
        { ...at, type: 'tool_use', tool_name: 'read_file', tool_id: id, parameters: args },
        { ...at, type: 'tool_result', tool_id: id, status: 'success', output: result },
      ]),
    ],
  ],
  'gemini-cli chat': [
    'gemini-cli',
    (calls) => [
      {
        sessionId: 's',
        projectHash: 'p',
        messages: calls.map(({ id, args, result }) => {
          const response = [{ functionResponse: { id, response: { output: result } } }];
          return {
            ...at,
            id: `m${id}`,
            type: 'gemini',
            toolCalls: [{ id, name: 'read_file', args, result: response }],
          };
        }),
      },
    ],
  ],
  opencode: [
    'opencode',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const part = { sessionID: 's', messageID: `m${id}` };
        const state = { status: 'completed', input: args, output: result };
        return [
          { ...part, id: `a${id}`, type: 'step-start' },
          { ...part, id: `b${id}`, type: 'tool', tool: 'read_file', callID: id, state },
          { ...part, id: `c${id}`, type: 'step-finish' },
        ];
      }),
  ],
  'vercel-ai': [
    'vercel-ai',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        { type: 'start-step' },
        { type: 'tool-input-available', toolCallId: id, toolName: 'read_file', input: args },
        { type: 'tool-output-available', toolCallId: id, output: result },
        { type: 'finish-step' },
      ]),
  ],
  'ag-ui': [
    'ag-ui',
    (calls) => [
      { type: 'RUN_STARTED', threadId: 's', runId: 'r' },
      ...calls.flatMap(({ id: toolCallId, args, result, cut = 4 }) => [
        { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'read_file' },
        { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args).slice(0, cut) },
        { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args).slice(cut) },
        { type: 'TOOL_CALL_END', toolCallId },
        { type: 'TOOL_CALL_RESULT', toolCallId, content: result },
      ]),
    ],
  ],
  langchain: [
    'langchain',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const run = { run_id: id, name: 'read_file', metadata: { thread_id: 's' } };
        return [
          { ...run, event: 'on_tool_start', data: { input: args } },
          { ...run, event: 'on_tool_end', data: { output: { kwargs: { content: result } } } },
        ];
      }),
  ],
  cloudevents: [
    'cloudevents',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const envelope = { specversion: '1.0', source: '/agent', type: 'agent.event', subject: 's' };
        const call = { type: 'tool_call_request', sessionId: 's', callId: id, name: 'read_file', args };
        const answer = { type: 'tool_result', sessionId: 's', callId: id, result };
        return [
          { ...envelope, id: `${id}a`, data: call },
          { ...envelope, id: `${id}b`, data: JSON.stringify(answer) },
        ];
      }),
  ],
  langfuse: [
    'langfuse',
    (calls) =>
      calls.map(({ id, args, result }) => ({
        id,
        trace_id: 's',
        type: 'TOOL',
        name: 'read_file',
        start_time: `2026-11-01 10:00:0${id}.000000`,
        input: JSON.stringify(args),
        output: result,
      })),
  ],
  langsmith: [
    'langsmith',
    (calls) =>
      calls.toReversed().map(({ id, args, result }) => ({
        id,
        trace_id: 's',
        run_type: 'tool',
        name: 'read_file',
        start_time: `2026-11-01T10:00:0${id}`,
        inputs: args,
        outputs: { output: result },
      })),
  ],
  mlflow: [
    'mlflow',
    (calls) => [
      {
        info: { trace_id: 'tr-1', state: 'OK', trace_metadata: { 'mlflow.trace.session': 's' } },
        data: {
          spans: calls.toReversed().map(({ id, args, result }) => ({
            trace_id: 'QlAktwLOs0JAWjhcyCTyEw==',
            span_id: id,
            parent_span_id: 'FKH4YgT+uPk=',
            name: 'read_file',
            start_time_unix_nano: 1_795_751_367_814_067_500 + Number(id) * 1e9,
            end_time_unix_nano: 1_795_751_367_914_067_500 + Number(id) * 1e9,
            events: [],
            status: { code: 'STATUS_CODE_OK', message: '' },
            attributes: {
              'mlflow.traceRequestId': '"tr-1"',
              'mlflow.spanType': '"TOOL"',
              'mlflow.spanInputs': JSON.stringify(args),
              'mlflow.spanOutputs': JSON.stringify(result),
            },
            links: [],
          })),
        },
      },
    ],
  ],
  openhands: [
    'openhands',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        {
          ...at,
          id,
          source: 'agent',
          kind: 'ActionEvent',
          tool_name: 'read_file',
          tool_call_id: id,
          action: { ...args, kind: 'A' },
        },
        {
          ...at,
          id: `o${id}`,
          source: 'environment',
          kind: 'ObservationEvent',
          tool_call_id: id,
          observation: { content: [{ type: 'text', text: result }] },
        },
      ]),
  ],
  'openhands run': [
    'openhands',
    (calls) => [
      {
        instance_id: 'django__1',
        metadata: { agent_class: 'CodeActAgent' },
        history: calls.flatMap(({ id, args, result }) => [
          {
            ...at,
            id: 2 * Number(id),
            source: 'agent',
            action: 'read',
            args: { ...args, thought: 'I look.' },
            tool_call_metadata: { function_name: 'read_file', tool_call_id: id },
          },
          {
            ...at,
            id: 2 * Number(id) + 1,
            source: 'agent',
            observation: 'read',
            content: result,
            cause: 2 * Number(id),
            tool_call_metadata: { function_name: 'read_file', tool_call_id: id },
          },
        ]),
      },
    ],
  ],
  acp: [
    'acp',
    (calls) =>
      calls.flatMap(({ id: toolCallId, args: rawInput, result: rawOutput }) =>
        [
          { sessionUpdate: 'tool_call', kind: 'read_file', rawInput },
          { sessionUpdate: 'tool_call_update', status: 'completed', rawOutput },
        ].map((update) => ({
          jsonrpc: '2.0',
          method: 'session/update',
          params: { sessionId: 's', update: { ...update, toolCallId } },
        })),
      ),
  ],
};

/** Streams of model responses, which do not contain tool results. */
export const answersOnly: Record<string, Producer> = {
  'openai-chat chunks': [
    'openai-chat',
    (calls) =>
      calls.flatMap(({ id, args, cut = 4 }) => {
        const chunk = (delta: object, finish_reason: string | null = null) => ({
          id: `c${id}`,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, finish_reason }],
        });
        const text = JSON.stringify(args);
        return [
          chunk({
            tool_calls: [{ index: 0, id, function: { name: 'read_file', arguments: text.slice(0, cut) } }],
          }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(cut) } }] }),
          chunk({}, 'tool_calls'),
        ];
      }),
  ],
  'openai-chat answers': [
    'openai-chat',
    (calls) =>
      calls.map((call) => ({
        id: `c${call.id}`,
        object: 'chat.completion',
        choices: [{ index: 0, message: answerOf(call), finish_reason: 'tool_calls' }],
      })),
  ],
  'openai-responses': [
    'openai-responses',
    (calls) =>
      calls.flatMap(({ id, args }) => {
        const response = { id: `r${id}`, conversation: { id: 's' } };
        const item = {
          type: 'function_call',
          call_id: id,
          name: 'read_file',
          arguments: JSON.stringify(args),
        };
        return [
          { type: 'response.created', sequence_number: 0, response },
          { type: 'response.output_item.done', sequence_number: 1, item },
          { type: 'response.completed', sequence_number: 2, response: { ...response, output: [item] } },
        ];
      }),
  ],
  'gemini responses': [
    'gemini',
    (calls) =>
      calls.map(({ id, args }) => ({
        responseId: `r${id}`,
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ functionCall: { id, name: 'read_file', args } }] },
            finishReason: 'STOP',
          },
        ],
      })),
  ],
  'anthropic stream': [
    'anthropic',
    (calls) =>
      calls.flatMap(({ id, args, cut = 4 }) => {
        const text = JSON.stringify(args);
        const delta = (partial_json: string) => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json },
        });
        return [
          { type: 'message_start', message: { id: `m${id}` } },
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'tool_use', id, name: 'read_file', input: {} },
          },
          delta(text.slice(0, cut)),
          delta(text.slice(cut)),
          { type: 'content_block_stop', index: 0 },
          { type: 'message_stop' },
        ];
      }),
  ],
};
