import type { Call, Producer } from './producers.ts';

/*
 * Lists of messages in the shapes of frameworks and benchmarks, and requests with their responses in the shapes of proxies.
 */

const user = { role: 'user', content: 'look' };
const histories = (messagesOf: (call: Call) => readonly object[]): ((calls: readonly Call[]) => object[]) => {
  return (calls) => [{ messages: [user, ...calls.flatMap((call) => messagesOf(call))] }];
};

const chatCall = ({ id, args }: Call) => ({
  id,
  type: 'function',
  function: { name: 'read_file', arguments: JSON.stringify(args) },
});
const usage = { prompt_tokens: 9, completion_tokens: 4 };

/** The messages before an answer, and the answer, in the form of each API. */
interface Api {
  readonly user: object;
  readonly answer: (call: Call) => readonly object[];
  readonly result: (call: Call) => object;
  readonly request: (messages: readonly object[]) => object;
  readonly response: (answer: readonly object[]) => object;
}
const chat: Api = {
  user,
  answer: (call) => [{ role: 'assistant', content: null, tool_calls: [chatCall(call)] }],
  result: ({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }),
  request: (messages) => ({ model: 'm', messages }),
  response: ([message]) => ({ object: 'chat.completion', choices: [{ index: 0, message }], usage }),
};
const responses: Api = {
  user,
  answer: ({ id, args }) => [
    { type: 'reasoning', summary: [] },
    { type: 'function_call', call_id: id, name: 'read_file', arguments: JSON.stringify(args) },
  ],
  result: ({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result }),
  request: (input) => ({ model: 'm', input }),
  response: (output) => ({ object: 'response', output, usage: { input_tokens: 9, output_tokens: 4 } }),
};
const anthropic: Api = {
  user,
  answer: ({ id, args }) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read_file', input: args }] },
  ],
  result: ({ id, result }) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: result }],
  }),
  request: (messages) => ({ model: 'm', max_tokens: 9, messages }),
  response: ([message]) => ({ type: 'message', ...message, usage: { input_tokens: 9, output_tokens: 4 } }),
};
const converse: Api = {
  user: { role: 'user', content: [{ text: 'look' }] },
  answer: ({ id, args }) => [
    { role: 'assistant', content: [{ toolUse: { toolUseId: id, name: 'read_file', input: args } }] },
  ],
  result: ({ id, result }) => ({
    role: 'user',
    content: [{ toolResult: { toolUseId: id, content: [{ text: result }], status: 'success' } }],
  }),
  request: (messages) => ({ messages }),
  response: ([message]) => ({ output: { message }, usage: { inputTokens: 9, outputTokens: 4 } }),
};
/** Each request with its response; the last one has the result of the last call. */
const exchanges =
  (api: Api, recordOf: (request: object, response: object, i: number) => object) =>
  (calls: readonly Call[]): object[] =>
    [...calls, undefined].map((call, i) => {
      const before = calls.slice(0, i).flatMap((one) => [...api.answer(one), api.result(one)]);
      const done = [{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }];
      const response = api.response(call === undefined ? done : api.answer(call));
      return recordOf(api.request([api.user, ...before]), response, i);
    });
const at = '2026-11-01T10:00:00Z';
/** A record of Bedrock's log of model invocations. */
const invocation = (inputBodyJson: object, outputBodyJson: object) => ({
  schemaType: 'ModelInvocationLog',
  timestamp: at,
  operation: 'Converse',
  modelId: 'm',
  input: { inputContentType: 'application/json', inputBodyJson, inputTokenCount: 9 },
  output: { outputContentType: 'application/json', outputBodyJson, outputTokenCount: 4 },
});
const spendRow = (request: object, response: object) => ({
  request_id: 'r',
  call_type: 'acompletion',
  startTime: at,
  endTime: at,
  model: 'm',
  spend: 0.001,
  session_id: 's',
  ...usage,
  metadata: '{}',
  messages: '{}',
  response: JSON.stringify(response),
  proxy_server_request: JSON.stringify(request),
});
const langChain = ({ id, args, result }: Call) => [
  {
    type: 'ai',
    content: '',
    additional_kwargs: {},
    tool_calls: [{ name: 'read_file', args, id, type: 'tool_call' }],
  },
  { type: 'tool', content: result, additional_kwargs: {}, tool_call_id: id, status: 'success' },
];
const agentFramework = (
  { id, args, result }: Call,
  names: readonly string[],
  roleOf: (role: string) => unknown,
) => {
  const [type = '', callId = '', call, outcome] = names;
  const [own, other] = [
    { [type]: call, [callId]: id },
    { [type]: outcome, [callId]: id },
  ];
  return [
    { role: roleOf('assistant'), contents: [{ ...own, name: 'read_file', arguments: args }] },
    { role: roleOf('tool'), contents: [{ ...other, result }] },
  ];
};

/** The same calls as in the messages of each producer. */
export const messageProducers: Record<string, Producer> = {
  'Chat, request and response': [
    'messages',
    exchanges(chat, (request, response) => ({ timestamp: at, request, response, status: 200 })),
  ],
  'Chat, response in the request': [
    'messages',
    exchanges(chat, (request, response) => ({ ...request, session_id: 's', response })),
  ],
  'Chat, bodies as text': [
    'messages',
    exchanges(chat, (request, response) => ({
      request: { method: 'POST', headers: {}, body: JSON.stringify(request) },
      response: { status: 200, body: JSON.stringify(response) },
    })),
  ],
  'Responses, request and output': [
    'messages',
    exchanges(responses, (request, response) => ({ ...request, ...response, object: undefined })),
  ],
  'Responses, request and response': [
    'messages',
    exchanges(responses, (request, response) => ({ request, response })),
  ],
  'Anthropic, request and response': [
    'messages',
    exchanges(anthropic, (request, response) => ({ request, response })),
  ],
  'Bedrock, Converse': ['messages', exchanges(converse, invocation)],
  'Bedrock, InvokeModel': ['messages', exchanges(anthropic, invocation)],
  Helicone: [
    'messages',
    exchanges(chat, (request_body, response_body) => ({
      request_id: 'r',
      request_created_at: at,
      request_body,
      response_body,
      request_properties: { 'Helicone-Session-Id': 's' },
    })),
  ],
  HAR: [
    'messages',
    (calls) => [
      {
        log: {
          version: '1.2',
          entries: exchanges(anthropic, (request, response) => ({
            startedDateTime: at,
            request: { method: 'POST', postData: { text: JSON.stringify(request) } },
            response: { status: 200, content: { text: JSON.stringify(response) } },
          }))(calls),
        },
      },
    ],
  ],
  Weave: [
    'messages',
    exchanges(chat, (inputs, output) => ({
      id: 'w',
      op_name: 'weave:///a/b/op/openai.chat.completions.create:c',
      trace_id: 't',
      started_at: at,
      attributes: {},
      inputs,
      output,
      thread_id: 's',
    })),
  ],
  'AutoGen core': [
    'messages',
    (calls) =>
      exchanges(chat, (request, response) => ({
        type: 'LLMCall',
        ...request,
        response,
        ...usage,
        agent_id: 'a/b',
      }))(calls).flatMap((record) => [record, { type: 'ToolCall', tool_name: 'read_file', agent_id: 'a/b' }]),
  ],
  'LiteLLM, rows of its table': ['litellm', exchanges(chat, spendRow)],
  'LiteLLM, a batch in any order': [
    'litellm',
    (calls) => [
      exchanges(chat, (request, response, i) => ({
        ...spendRow(request, response),
        endTime: 1_790_000_000 + i,
      }))(calls).toReversed(),
    ],
  ],
  'LangChain, model_dump': [
    'messages',
    (calls) => [[{ type: 'human', content: 'look' }, ...calls.flatMap(langChain)]],
  ],
  'LangGraph, updates': [
    'messages',
    (calls) => [
      { run_id: 'r', attempt: 1 },
      ...calls.flatMap((call) => {
        const [answer, result] = langChain(call);
        return [{ agent: { messages: [answer] } }, { tools: { messages: [result] }, other: null }];
      }),
    ],
  ],
  'Microsoft Agent Framework, Python': [
    'messages',
    histories((call) =>
      agentFramework(call, ['type', 'call_id', 'function_call', 'function_result'], (value) => ({
        type: 'role',
        value,
      })),
    ),
  ],
  'Microsoft Agent Framework, .NET': [
    'messages',
    histories((call) =>
      agentFramework(call, ['$type', 'callId', 'functionCall', 'functionResult'], (role) => role),
    ),
  ],
  'tau-bench': [
    'messages',
    (calls) => [
      [
        {
          task_id: 3,
          reward: 0,
          trial: 0,
          traj: [user, ...calls.flatMap((call) => [...chat.answer(call), chat.result(call)])],
        },
      ],
    ],
  ],
  tau2: [
    'messages',
    (calls) => [
      {
        timestamp: at,
        info: {},
        tasks: [{ id: '1' }],
        simulations: [
          {
            id: 'sim-1',
            messages: [
              user,
              ...calls.flatMap(({ id, args, result }) => [
                {
                  role: 'assistant',
                  content: null,
                  tool_calls: [{ id, name: 'read_file', arguments: args, requestor: 'assistant' }],
                },
                { id, role: 'tool', content: result, requestor: 'assistant', error: false },
              ]),
            ],
          },
        ],
      },
    ],
  ],
  'Inspect AI, a log': [
    'messages',
    (calls) => [
      {
        version: 2,
        eval: { model: 'm', created: at },
        samples: [
          {
            id: 'task',
            epoch: 1,
            messages: calls.flatMap(({ id, args, result }) => [
              {
                role: 'assistant',
                content: '',
                tool_calls: [{ id, function: 'read_file', arguments: args }],
              },
              { role: 'tool', content: result, tool_call_id: id },
            ]),
            output: { choices: [] },
          },
        ],
      },
    ],
  ],
  'goose export': [
    'goose',
    (calls) => [
      {
        id: '20261101_1',
        working_dir: '/w',
        message_count: 2 * calls.length,
        conversation: calls.flatMap(({ id, args, result }) => [
          {
            role: 'assistant',
            created: 1_790_000_000,
            content: [
              { type: 'toolRequest', id, toolCall: { value: { name: 'read_file', arguments: args } } },
            ],
          },
          {
            role: 'user',
            created: 1_790_000_001,
            content: [
              {
                type: 'toolResponse',
                id,
                toolResult: { status: 'success', value: { content: [{ type: 'text', text: result }] } },
              },
            ],
          },
        ]),
      },
    ],
  ],
  'Phoenix, rows of a data frame': [
    'otlp',
    (calls) => [
      calls.map(({ id, args, result }) => ({
        name: 'read_file',
        span_kind: 'TOOL',
        parent_id: null,
        start_time: 1_790_000_000_000 + Number(id),
        end_time: 1_790_000_000_000 + Number(id),
        status_code: 'OK',
        'context.span_id': `00f067aa0ba902b${id}`,
        'context.trace_id': '4bf92f3577b34da6a3ce929d0e0e4736',
        'attributes.openinference.span.kind': 'TOOL',
        'attributes.tool.name': 'read_file',
        'attributes.input.value': JSON.stringify(args),
        'attributes.output.value': result,
        'attributes.llm.model_name': null,
      })),
    ],
  ],
  'LangSmith, a tree of runs': [
    'langsmith',
    (calls) => [
      [
        {
          id: 'root',
          trace_id: 't',
          run_type: 'chain',
          inputs: {},
          child_runs: calls.map(({ id, args, result }) => ({
            id,
            trace_id: 't',
            name: 'read_file',
            run_type: 'tool',
            start_time: `2026-11-01T10:00:0${id}Z`,
            inputs: args,
            outputs: { output: result },
          })),
        },
      ],
    ],
  ],
  AgentDojo: [
    'messages',
    histories(({ id, args, result }) => {
      const call = { function: 'read_file', args, id, placeholder_args: null };
      return [
        { role: 'assistant', content: 'I look.', tool_calls: [call] },
        { role: 'tool', content: result, tool_call_id: id, tool_call: call, error: null },
      ];
    }),
  ],
  'Inspect AI': [
    'messages',
    histories(({ id, args, result }) => [
      {
        role: 'assistant',
        content: 'I look.',
        source: 'generate',
        tool_calls: [{ id, function: 'read_file', arguments: args, type: 'function' }],
      },
      { role: 'tool', content: result, tool_call_id: id, function: 'read_file' },
    ]),
  ],
  AG2: [
    'messages',
    histories(({ id, args, result }) => [
      {
        role: 'assistant',
        name: 'coder',
        content: 'I look.',
        tool_calls: [
          { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify(args) } },
        ],
      },
      {
        role: 'tool',
        name: 'user_proxy',
        content: result,
        tool_responses: [{ tool_call_id: id, role: 'tool', content: result }],
      },
    ]),
  ],
};

/** Answers without the requests that would have the results. */
export const resultlessAnswers: Record<string, Producer> = {
  "Gemini CLI's outfile": [
    'otlp',
    (calls) =>
      calls.map(({ id, args }) => ({
        hrTime: [1_790_000_000 + Number(id), 0],
        hrTimeObserved: [1_790_000_000, Number(id)],
        resource: { attributes: {} },
        body: 'Tool call: read_file.',
        attributes: {
          'session.id': 's',
          'event.name': 'gemini_cli.tool_call',
          function_name: 'read_file',
          function_args: JSON.stringify(args, null, 2),
          success: true,
        },
      })),
  ],
  Ollama: [
    'messages',
    (calls) =>
      calls.map(({ args }) => ({
        model: 'm',
        created_at: at,
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'read_file', arguments: args } }],
        },
        done: true,
        prompt_eval_count: 9,
        eval_count: 4,
      })),
  ],
};
