import type { Call, Producer } from './producers.ts';

/*
 * Records of agents' logs in the shapes that their sources define; the readers in `src/logs` name the sources.
 */

const at = { timestamp: '2026-11-01T10:00:00Z' };
const textOf = (text: string) => [{ type: 'text', text }];
const qwen = (type: string, uuid: string, message: object, more: object = {}) => ({
  ...at,
  uuid,
  parentUuid: null,
  sessionId: 's',
  type,
  cwd: '/w',
  version: '0.9.0',
  message,
  ...more,
});
const copilot = (type: string, id: string, data: object) => ({ ...at, type, data, id, parentId: null });
const agy = (index: number, source: string, type: string, more: object) => ({
  step_index: index,
  source,
  type,
  status: 'DONE',
  created_at: `2026-06-06T10:10:${String(10 + index)}Z`,
  ...more,
});
const grok = (id: string, sessionUpdate: string, more: object) => ({
  timestamp: 1_790_000_000,
  method: 'session/update',
  params: {
    sessionId: 's',
    update: { sessionUpdate, toolCallId: id, ...more },
    _meta: { eventId: `s-${id}`, agentTimestampMs: 1_790_000_000_785 },
  },
});
const kimi = (type: string, more: object) => ({ type, ...more, time: 1_790_000_000_000 });
const kimiStep = (id: string, type: string, more: object) =>
  kimi('context.append_loop_event', { event: { type, turnId: '0', stepUuid: `s${id}`, ...more } });
const kimiUsage = { inputOther: 10, output: 1, inputCacheRead: 5, inputCacheCreation: 0 };
/** The parts of `IChatToolInvocationSerialized` in microsoft/vscode, `chat/common/chatService`. */
const chatRequest = (calls: readonly Call[]) => ({
  requestId: 'request_1',
  message: { text: 'Look.', parts: [] },
  modelId: 'copilot/claude-sonnet-4.5',
  timestamp: 1_790_000_000_000,
  response: [
    ...calls.map(({ id, args, result }) => ({
      kind: 'toolInvocationSerialized',
      isConfirmed: { type: 1 },
      isComplete: true,
      resultDetails: {
        input: JSON.stringify(args),
        output: [{ type: 'embed', isText: true, value: result }],
        isError: false,
      },
      toolCallId: id,
      toolId: 'read_file',
    })),
    { value: 'Done.', supportThemeIcons: false },
  ],
});
const chatSession = { version: 3, responderUsername: 'GitHub Copilot', sessionId: 's', creationDate: 1 };
const chatLines = (calls: readonly Call[], resultOf: (result: string) => unknown) =>
  calls.flatMap(({ id, args, result }) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(args) } },
      ],
    },
    { role: 'tool', tool_call_id: id, content: resultOf(result) },
  ]);
const goosePart = (calls: readonly Call[]) =>
  calls.flatMap(({ id, args, result }, i) => [
    {
      role: 'assistant',
      created: 1_790_000_000 + i,
      content: [
        {
          type: 'toolRequest',
          id,
          toolCall: { status: 'success', value: { name: 'read_file', arguments: args } },
        },
      ],
    },
    {
      role: 'user',
      created: 1_790_000_000 + i,
      content: [
        { type: 'toolResponse', id, toolResult: { status: 'success', value: { content: textOf(result) } } },
      ],
    },
  ]);
const geminiContents = (calls: readonly Call[]) =>
  calls.flatMap(({ args, result }) => [
    { role: 'model', parts: [{ functionCall: { name: 'read_file', args } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: result } } }] },
  ]);

/** The same calls as logged by each agent. */
export const logProducers: Record<string, Producer> = {
  'qwen-code': [
    'qwen-code',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        qwen('assistant', `a${id}`, {
          role: 'model',
          parts: [{ functionCall: { id, name: 'read_file', args } }],
        }),
        qwen(
          'tool_result',
          `r${id}`,
          {
            role: 'user',
            parts: [{ functionResponse: { id, name: 'read_file', response: { output: result } } }],
          },
          { toolCallResult: { callId: id, status: 'success' } },
        ),
      ]),
  ],
  pi: [
    'pi',
    (calls) => [
      { ...at, type: 'session', version: 3, id: 's', cwd: '/w' },
      ...calls.flatMap(({ id, args, result }) => [
        {
          ...at,
          type: 'message',
          id: `a${id}`,
          parentId: null,
          message: {
            role: 'assistant',
            content: [{ type: 'toolCall', id, name: 'read_file', arguments: args }],
            model: 'm',
            usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } },
          },
        },
        {
          ...at,
          type: 'message',
          id: `r${id}`,
          parentId: `a${id}`,
          message: {
            role: 'toolResult',
            toolCallId: id,
            toolName: 'read_file',
            content: textOf(result),
            isError: false,
          },
        },
      ]),
    ],
  ],
  droid: [
    'pi',
    (calls) => [
      { type: 'session_start', id: 's', title: 'Look', cwd: '/w' },
      ...calls.flatMap(({ id, args, result }) => [
        {
          ...at,
          type: 'message',
          id: `a${id}`,
          message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read_file', input: args }] },
        },
        {
          ...at,
          type: 'message',
          id: `r${id}`,
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
        },
      ]),
    ],
  ],
  'copilot-cli': [
    'copilot-cli',
    (calls) => [
      copilot('session.start', 'e0', {
        sessionId: 's',
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: '1.0.80',
      }),
      ...calls.flatMap(({ id: toolCallId, args, result }) => [
        copilot('assistant.turn_start', `t${toolCallId}`, { turnId: '0' }),
        copilot('assistant.message', `m${toolCallId}`, {
          messageId: 'm',
          content: '',
          toolRequests: [{ toolCallId, name: 'read_file', arguments: args, type: 'function' }],
        }),
        copilot('tool.execution_start', `s${toolCallId}`, {
          toolCallId,
          toolName: 'read_file',
          arguments: args,
        }),
        copilot('tool.execution_complete', `c${toolCallId}`, {
          toolCallId,
          success: true,
          result: { content: result, detailedContent: `detail of ${toolCallId}` },
        }),
        copilot('assistant.turn_end', `n${toolCallId}`, { turnId: '0' }),
      ]),
    ],
  ],
  antigravity: [
    'antigravity',
    (calls) => [
      agy(0, 'USER_EXPLICIT', 'USER_INPUT', { content: '<USER_REQUEST>\nLook.\n</USER_REQUEST>' }),
      ...calls.flatMap(({ args, result }, i) => [
        agy(2 * i + 1, 'MODEL', 'PLANNER_RESPONSE', { tool_calls: [{ name: 'read_file', args }] }),
        agy(2 * i + 2, 'MODEL', 'VIEW_FILE', {
          content: `Created At: 2026-06-06T10:10:51Z\nCompleted At: 2026-06-06T10:10:${String(i + 10)}Z\n${result}`,
        }),
      ]),
    ],
  ],
  'kimi-code': [
    'kimi-code',
    (calls) => [
      kimi('profile.bind', { profileName: 'agent', environmentDisclosure: { cwd: '/w' } }),
      kimi('turn.prompt', { input: textOf('Look.'), origin: { kind: 'user' } }),
      kimi('context.append_message', {
        message: { role: 'user', content: textOf('Look.'), toolCalls: [], origin: { kind: 'user' } },
      }),
      ...calls.flatMap(({ id, args, result }) => [
        kimiStep(id, 'step.begin', { uuid: `s${id}` }),
        kimi('llm.request', { kind: 'loop', model: 'kimi-k2', modelAlias: 'k2' }),
        kimiStep(id, 'tool.call', { uuid: `c${id}`, toolCallId: id, name: 'read_file', args }),
        kimiStep(id, 'tool.result', { parentUuid: `c${id}`, toolCallId: id, result: { output: result } }),
        kimiStep(id, 'step.end', { uuid: `s${id}`, finishReason: 'tool_use', usage: kimiUsage }),
        kimi('usage.record', { model: 'k2', usage: kimiUsage, usageScope: 'turn' }),
      ]),
    ],
  ],
  'Kimi CLI': [
    'messages',
    (calls) => [
      { role: '_checkpoint', id: 0 },
      ...chatLines(calls, textOf),
      { role: '_usage', token_count: 9 },
    ],
  ],
  'Mistral Vibe': ['messages', (calls) => chatLines(calls, (result) => result)],
  atif: [
    'atif',
    (calls) => [
      {
        schema_version: 'ATIF-v1.6',
        session_id: 's',
        agent: { name: 'terminus-2', version: '2.0', model_name: 'gpt-5' },
        steps: [
          { step_id: 1, ...at, source: 'user', message: 'Look.' },
          ...calls.map(({ id, args, result }) => ({
            step_id: Number(id) + 1,
            ...at,
            source: 'agent',
            message: '',
            tool_calls: [{ tool_call_id: id, function_name: 'read_file', arguments: args }],
            observation: { results: [{ source_call_id: id, content: result }] },
            metrics: { prompt_tokens: 60, completion_tokens: 6, cached_tokens: 0, cost_usd: 0.001 },
          })),
        ],
      },
    ],
  ],
  smolagents: [
    'smolagents',
    (calls) => [
      { task: 'Look.', task_images: null },
      ...calls.map(({ id, args, result }) => ({
        step_number: Number(id),
        timing: { start_time: 1_790_000_000 + Number(id), end_time: 1_790_000_000 + Number(id), duration: 0 },
        tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: args } }],
        error: null,
        model_output: null,
        observations: result,
        action_output: null,
        token_usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
        is_final_answer: false,
      })),
    ],
  ],
  'vscode-chat': ['vscode-chat', (calls) => [{ ...chatSession, requests: [chatRequest(calls)] }]],
  'vscode-chat log': [
    'vscode-chat',
    (calls) => [
      { kind: 0, v: { ...chatSession, requests: [] } },
      { kind: 2, k: ['requests'], v: [{ ...chatRequest([]), response: [{ value: 'Do' }] }] },
      { kind: 1, k: ['requests', 0, 'modelId'], v: 'copilot/auto' },
      { kind: 2, k: ['requests', 0, 'response'], v: chatRequest(calls).response, i: 0 },
      { kind: 3, k: ['lastMessageDate'] },
    ],
  ],
  'cursor stream': [
    'cursor',
    (calls) => [
      { type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/w', session_id: 's', model: 'M' },
      { type: 'user', message: { role: 'user', content: textOf('Look.') }, session_id: 's' },
      ...calls.flatMap(({ id, args, result }) => {
        const inner = { name: 'files-read_file', args, toolName: 'read_file' };
        const event = (subtype: string, mcpToolCall: object) => ({
          type: 'tool_call',
          subtype,
          call_id: id,
          tool_call: { mcpToolCall },
          session_id: 's',
          timestamp_ms: 1_790_000_000_000 + Number(id),
        });
        const success = { content: [{ text: { text: result } }], isError: false };
        return [event('started', { args: inner }), event('completed', { args: inner, result: { success } })];
      }),
      { type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: 's' },
    ],
  ],
  'AI SDK UI messages': [
    'messages',
    (calls) => [
      {
        messages: [
          { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
          {
            id: 'a',
            role: 'assistant',
            parts: calls.flatMap(({ id, args, result }) => [
              { type: 'step-start' },
              {
                type: 'tool-read_file',
                toolCallId: id,
                state: 'output-available',
                input: args,
                output: result,
              },
            ]),
          },
        ],
      },
    ],
  ],
  'Semantic Kernel': [
    'messages',
    (calls) => [
      {
        messages: calls.flatMap(({ id, args, result }) => {
          const names = { name: 'read_file', function_name: 'read_file' };
          const call = {
            content_type: 'function_call',
            id,
            ...names,
            arguments: JSON.stringify(args),
          };
          return [
            { role: 'assistant', content_type: 'message', ai_model_id: 'gpt-4o', items: [call] },
            {
              role: 'tool',
              content_type: 'message',
              items: [{ content_type: 'function_result', id, ...names, result }],
            },
          ];
        }),
      },
    ],
  ],
  'Strands session': [
    'messages',
    (calls) =>
      calls.flatMap(({ id, args, result }, i) => {
        const stored = (role: string, block: object, at: number) => ({
          message: { role, content: [block] },
          message_id: at,
          redact_message: null,
          created_at: '2026-11-01T10:00:00Z',
        });
        return [
          stored('assistant', { toolUse: { toolUseId: id, name: 'read_file', input: args } }, 2 * i + 1),
          stored('user', { toolResult: { toolUseId: id, content: [{ text: result }] } }, 2 * i + 2),
        ];
      }),
  ],
  'Cline, XML': [
    'messages',
    (calls) => [
      {
        messages: calls.flatMap(({ args, result }) => [
          {
            role: 'assistant',
            content: textOf(`I look.\n\n<read_file>\n<path>${args.path}</path>\n</read_file>`),
          },
          {
            role: 'user',
            content: [
              ...textOf(`[read_file for '${args.path}'] Result:`),
              ...textOf(result),
              ...textOf('<environment_details>\nCurrent Time: 10:00\n</environment_details>'),
            ],
          },
        ]),
      },
    ],
  ],
  grok: [
    'acp',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        grok(id, 'tool_call', { rawInput: args, _meta: { 'x.ai/tool': { version: 1, name: 'read_file' } } }),
        grok(id, 'tool_call_update', {
          status: 'completed',
          rawOutput: { type: 'ReadFile', FileContent: { content: result, offset: null, total_lines: 1 } },
        }),
      ]),
  ],
  // As the columns of its database yield them.
  hermes: [
    'messages',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        {
          session_id: 's',
          role: 'assistant',
          model: 'm',
          timestamp: 1_790_000_000.5,
          content: '',
          tool_calls: [
            { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(args) } },
          ],
        },
        { session_id: 's', role: 'tool', timestamp: 1_790_000_000.7, content: result, tool_call_id: id },
      ]),
  ],
  goose: [
    'goose',
    (calls) => [{ working_dir: '/w', description: 'Look', message_count: 4 }, ...goosePart(calls)],
  ],
  crush: [
    'crush',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        {
          id: `a${id}`,
          session_id: 's',
          role: 'assistant',
          model: 'm',
          created_at: 1_790_000_000,
          parts: [
            {
              type: 'tool_call',
              data: { id, name: 'read_file', input: JSON.stringify(args), finished: true },
            },
            { type: 'finish', data: { reason: 'tool_use', time: 1_790_000_000 } },
          ],
        },
        {
          id: `r${id}`,
          session_id: 's',
          role: 'tool',
          created_at: 1_790_000_000,
          parts: [
            {
              type: 'tool_result',
              data: { tool_call_id: id, name: 'read_file', content: result, is_error: false },
            },
          ],
        },
      ]),
  ],
  'adk events': [
    'adk',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const event = { invocation_id: 'i', author: 'coder', timestamp: 1_790_000_000.5, session_id: 's' };
        return [
          {
            ...event,
            id: `p${id}`,
            partial: true,
            content: { role: 'model', parts: [{ function_call: { id, name: 'read_file', args } }] },
          },
          {
            ...event,
            id: `a${id}`,
            content: { role: 'model', parts: [{ function_call: { id, name: 'read_file', args } }] },
          },
          {
            ...event,
            id: `r${id}`,
            content: {
              role: 'user',
              parts: [{ function_response: { id, name: 'read_file', response: { result } } }],
            },
          },
        ];
      }),
  ],
  'adk session': [
    'adk',
    (calls) => [
      {
        id: 's',
        appName: 'app',
        userId: 'u',
        events: geminiContents(calls).map((content, i) => ({
          id: String(i),
          invocationId: 'i',
          author: 'coder',
          timestamp: 1_790_000_000 + i,
          content,
        })),
      },
    ],
  ],
  autogen: [
    'autogen',
    (calls) =>
      calls.flatMap(({ id, args, result }) => {
        const event = {
          source: 'coder',
          models_usage: null,
          metadata: {},
          created_at: '2026-11-01T10:00:00Z',
        };
        return [
          {
            ...event,
            id: `a${id}`,
            content: [{ id, arguments: JSON.stringify(args), name: 'read_file' }],
            type: 'ToolCallRequestEvent',
          },
          {
            ...event,
            id: `r${id}`,
            content: [{ content: result, name: 'read_file', call_id: id, is_error: false }],
            type: 'ToolCallExecutionEvent',
          },
          { ...event, id: `s${id}`, content: result, type: 'ToolCallSummaryMessage' },
        ];
      }),
  ],
  'pydantic-ai': [
    'pydantic-ai',
    (calls) =>
      calls.flatMap(({ id, args, result }) => [
        {
          kind: 'response',
          conversation_id: 's',
          timestamp: `2026-11-01T10:00:0${id}Z`,
          model_name: 'm',
          parts: [{ part_kind: 'tool-call', tool_name: 'read_file', args, tool_call_id: id }],
        },
        {
          kind: 'request',
          conversation_id: 's',
          parts: [
            {
              part_kind: 'tool-return',
              tool_name: 'read_file',
              content: result,
              tool_call_id: id,
              outcome: 'success',
              timestamp: `2026-11-01T10:00:0${id}Z`,
            },
          ],
        },
      ]),
  ],
  'LangGraph state': [
    'messages',
    (calls) =>
      calls.map((_, i) => ({
        config: { configurable: { thread_id: 's', checkpoint_id: String(i) } },
        next: ['tools'],
        values: {
          messages: calls.slice(0, i + 1).flatMap(({ id, args, result }) => [
            {
              type: 'ai',
              content: '',
              tool_calls: [{ name: 'read_file', args, id, type: 'tool_call' }],
              id: `a${id}`,
            },
            {
              type: 'tool',
              content: result,
              tool_call_id: id,
              name: 'read_file',
              status: 'success',
              id: `r${id}`,
            },
          ]),
        },
      })),
  ],
  'Gemini contents': [
    'messages',
    (calls) =>
      calls.map((_, i) => ({
        request: {
          contents: [{ role: 'user', parts: [{ text: 'look' }] }, ...geminiContents(calls.slice(0, i))],
        },
        response: {
          candidates: [{ content: geminiContents(calls)[2 * i] }],
          usageMetadata: { promptTokenCount: 1 },
        },
      })),
  ],
  'openai-agents': [
    'openai-agents',
    (calls) => [
      {
        data: [
          { object: 'trace', id: 'trace_1', workflow_name: 'Agent', group_id: 's', metadata: null },
          ...calls.toReversed().map(({ id, args, result }) => ({
            object: 'trace.span',
            id: `span_${id}`,
            trace_id: 'trace_1',
            parent_id: 'span_0',
            started_at: `2026-11-01T10:00:0${id}+00:00`,
            ended_at: `2026-11-01T10:00:0${id}+00:00`,
            span_data: {
              type: 'function',
              name: 'read_file',
              input: JSON.stringify(args),
              output: result,
              mcp_data: null,
            },
            error: null,
          })),
        ],
      },
    ],
  ],
};

/** Logs without results. */
export const resultlessLogs: Record<string, Producer> = {
  cursor: [
    'cursor',
    (calls) => [
      { role: 'user', message: { content: textOf('<user_query>\nlook\n</user_query>') } },
      ...calls.map(({ args }) => ({
        role: 'assistant',
        message: { content: [...textOf('I look.'), { type: 'tool_use', name: 'read_file', input: args }] },
      })),
      { type: 'turn_ended' },
    ],
  ],
  'Cline, shown': [
    'cline',
    (calls) =>
      calls.flatMap(({ args, id }) => [
        {
          ts: 1_790_000_000_000 + Number(id),
          type: 'say',
          say: 'api_req_started',
          text: '{"tokensIn":9,"tokensOut":4}',
        },
        {
          ts: 1_790_000_000_500 + Number(id),
          type: 'ask',
          ask: 'tool',
          text: JSON.stringify({ tool: 'read_file', ...args }),
        },
      ]),
  ],
};

const calls: Call[] = ['1', '2'].map((id) => ({ id, args: { path: 'a' }, result: 'empty' }));

/** Sample records of the formats of logs. */
export const logSamples = Object.values({ ...logProducers, ...resultlessLogs })
  .filter(([format]) => format !== 'messages')
  .reduce<Record<string, readonly Record<string, unknown>[]>>((samples, [format, recordsOf]) => {
    const records = recordsOf(calls) as Record<string, unknown>[];
    return { ...samples, [format]: [...(samples[format] ?? []), ...records] };
  }, {});
