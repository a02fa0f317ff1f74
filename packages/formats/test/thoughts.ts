import type { FormatName } from '@loopwatch/contract';

const thought = 'I should read a.md first.';

/** What the model thinks in the records below. */
export const theThought = thought;

const at = { timestamp: '2026-11-01T10:00:00Z' };
const assistant = (block: object) => ({ role: 'assistant', content: [block] });
const anthropic = { type: 'thinking', thinking: thought, signature: 'x' };
const gemini = { role: 'model', parts: [{ text: thought, thought: true }] };
const chat = { role: 'assistant', content: 'Done.', reasoning_content: thought };

/**
 * Records of a model that thinks, by the producer of `producers.ts` and `log-producers.ts`; the readers name the sources of their
 * shapes.
 */
export const thoughtRecords: Readonly<Record<string, readonly [FormatName, readonly object[]]>> = {
  'claude-code': [
    'claude-code',
    [
      {
        ...at,
        type: 'assistant',
        uuid: 'a1',
        sessionId: 's',
        message: { id: 'm1', ...assistant(anthropic) },
      },
    ],
  ],
  'codex rollout': [
    'codex',
    [
      { ...at, type: 'session_meta', payload: { id: 's' } },
      {
        ...at,
        type: 'response_item',
        payload: {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: thought }],
          content: null,
          encrypted_content: 'x',
        },
      },
    ],
  ],
  'gemini-cli chat': [
    'gemini-cli',
    [
      {
        sessionId: 's',
        projectHash: 'p',
        messages: [
          {
            ...at,
            id: 'm1',
            type: 'gemini',
            content: 'Done.',
            thoughts: [{ subject: '', description: thought, ...at }],
          },
        ],
      },
    ],
  ],
  'qwen-code': [
    'qwen-code',
    [
      {
        ...at,
        uuid: 'a1',
        parentUuid: null,
        sessionId: 's',
        type: 'assistant',
        cwd: '/w',
        version: '0.9.0',
        message: gemini,
      },
    ],
  ],
  opencode: [
    'opencode',
    [
      {
        id: 'p1',
        sessionID: 's',
        messageID: 'm1',
        type: 'reasoning',
        text: thought,
        time: { start: 1, end: 2 },
      },
    ],
  ],
  openhands: [
    'openhands',
    [
      {
        ...at,
        id: 'e1',
        source: 'agent',
        kind: 'ActionEvent',
        reasoning_content: thought,
        tool_name: 'terminal',
        tool_call_id: 'c1',
        action: { command: 'ls', kind: 'TerminalAction' },
      },
    ],
  ],
  'copilot-cli': [
    'copilot-cli',
    [
      { ...at, type: 'session.start', id: 'e0', parentId: null, data: { sessionId: 's', version: 1 } },
      {
        ...at,
        type: 'assistant.message',
        id: 'e1',
        parentId: 'e0',
        data: { messageId: 'm', content: '', reasoningText: thought, toolRequests: [] },
      },
    ],
  ],
  pi: [
    'pi',
    [
      { ...at, type: 'session', version: 3, id: 's', cwd: '/w' },
      { ...at, type: 'message', id: 'a1', parentId: null, message: assistant(anthropic) },
    ],
  ],
  droid: [
    'pi',
    [
      { type: 'session_start', id: 's', title: 'Look', cwd: '/w' },
      { ...at, type: 'message', id: 'a1', message: assistant(anthropic) },
    ],
  ],
  antigravity: [
    'antigravity',
    [
      {
        step_index: 2,
        source: 'MODEL',
        type: 'PLANNER_RESPONSE',
        created_at: '2026-06-06T10:10:49Z',
        thinking: thought,
      },
    ],
  ],
  'kimi-code': [
    'kimi-code',
    [
      {
        type: 'context.append_loop_event',
        event: { type: 'content.part', uuid: 'p', stepUuid: 's', part: { type: 'think', think: thought } },
        time: 1_790_000_000_000,
      },
    ],
  ],
  'Kimi CLI': ['messages', [assistant({ type: 'think', think: thought, encrypted: null })]],
  'Mistral Vibe': ['messages', [chat]],
  atif: [
    'atif',
    [
      {
        schema_version: 'ATIF-v1.6',
        session_id: 's',
        agent: { name: 'x', version: '1' },
        steps: [{ step_id: 1, source: 'agent', message: 'Done.', reasoning_content: thought }],
      },
    ],
  ],
  'vscode-chat': [
    'vscode-chat',
    [
      {
        sessionId: 's',
        requests: [{ requestId: 'r', response: [{ kind: 'thinking', value: thought, id: 't' }] }],
      },
    ],
  ],
  'AI SDK UI messages': [
    'messages',
    [
      {
        messages: [
          {
            role: 'assistant',
            parts: [
              { type: 'step-start' },
              { type: 'reasoning', text: thought, state: 'done' },
              { type: 'tool-ls', toolCallId: '1', state: 'input-available', input: {} },
            ],
          },
        ],
      },
    ],
  ],
  'Semantic Kernel': [
    'messages',
    [{ messages: [{ role: 'assistant', items: [{ content_type: 'reasoning', text: thought }] }] }],
  ],
  'Strands session': [
    'messages',
    [
      {
        message: assistant({ reasoningContent: { reasoningText: { text: thought, signature: 'x' } } }),
        message_id: 1,
      },
    ],
  ],
  'Cline, XML': ['messages', [{ messages: [assistant(anthropic)] }]],
  grok: [
    'acp',
    [
      {
        timestamp: 1_790_000_000,
        method: 'session/update',
        params: {
          sessionId: 's',
          update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: thought } },
        },
      },
    ],
  ],
  hermes: ['messages', [{ session_id: 's', role: 'assistant', content: '', reasoning_content: thought }]],
  goose: ['goose', [{ role: 'assistant', created: 1_790_000_000, content: [anthropic] }]],
  crush: [
    'crush',
    [
      {
        id: 'a1',
        session_id: 's',
        role: 'assistant',
        model: 'm',
        created_at: 1_790_000_000,
        parts: [{ type: 'reasoning', data: { thinking: thought, signature: '' } }],
      },
    ],
  ],
  'adk events': [
    'adk',
    [
      {
        invocation_id: 'i',
        author: 'coder',
        timestamp: 1_790_000_000.5,
        session_id: 's',
        id: 'a1',
        content: gemini,
      },
    ],
  ],
  autogen: [
    'autogen',
    [
      {
        id: 'a1',
        source: 'coder',
        models_usage: null,
        metadata: {},
        created_at: '2026-11-01T10:00:00Z',
        content: thought,
        type: 'ThoughtEvent',
      },
    ],
  ],
  'pydantic-ai': [
    'pydantic-ai',
    [
      {
        kind: 'response',
        conversation_id: 's',
        ...at,
        model_name: 'm',
        parts: [{ part_kind: 'thinking', content: thought, id: 'rs_1', signature: 'x' }],
      },
    ],
  ],
  'LangGraph state': [
    'messages',
    [
      {
        config: { configurable: { thread_id: 's', checkpoint_id: '1' } },
        next: [],
        values: {
          messages: [
            { type: 'ai', id: 'a1', content: [{ type: 'reasoning', reasoning: thought }], tool_calls: [] },
          ],
        },
      },
    ],
  ],
  langchain: [
    'langchain',
    [
      {
        event: 'on_chat_model_stream',
        run_id: 'r1',
        name: 'model',
        metadata: { thread_id: 's' },
        data: {
          chunk: {
            type: 'AIMessageChunk',
            content: [
              { type: 'reasoning', summary: [{ type: 'summary_text', text: thought, index: 0 }], index: 0 },
            ],
          },
        },
      },
    ],
  ],
  'vercel-ai': [
    'vercel-ai',
    [
      { type: 'start-step' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: thought },
      { type: 'reasoning-end', id: '0' },
    ],
  ],
  litellm: [
    'litellm',
    [
      {
        call_type: 'acompletion',
        response_cost: 0.01,
        trace_id: 't',
        messages: [{ role: 'user', content: 'look' }],
        response: { choices: [{ message: chat }] },
      },
    ],
  ],
  langfuse: [
    'langfuse',
    [
      {
        id: 'o1',
        trace_id: 't',
        type: 'TOOL',
        name: 'ls',
        start_time: '2026-11-01 10:00:00.0',
        input: '{}',
        output: 'a',
      },
      {
        id: 'o2',
        trace_id: 't',
        type: 'GENERATION',
        start_time: '2026-11-01 10:00:01.0',
        output: JSON.stringify(chat),
      },
    ],
  ],
  langsmith: [
    'langsmith',
    [
      {
        id: 'r1',
        trace_id: 't',
        run_type: 'tool',
        name: 'ls',
        start_time: '2026-11-01T10:00:00',
        inputs: {},
        outputs: { output: 'a' },
      },
      {
        id: 'r2',
        trace_id: 't',
        run_type: 'llm',
        start_time: '2026-11-01T10:00:01',
        inputs: {},
        outputs: { messages: [chat] },
      },
    ],
  ],
  mlflow: [
    'mlflow',
    [
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
          'mlflow.spanOutputs': JSON.stringify({ choices: [{ message: chat }] }),
        },
        links: [],
      },
    ],
  ],
};

/** Producers whose records have no field for what a model thinks, or have it among the texts. */
export const withoutThoughts: Readonly<Record<string, 'not recorded' | 'as text'>> = {
  cursor: 'not recorded',
  'openai-agents': 'not recorded',
  smolagents: 'as text',
  'swe-agent': 'as text',
};
