import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';

/*
 * Spans as the SDKs write them, shortened; recorded in November 2026 with a scripted model: strands-agents 1, google-adk 2,
 * langgraph 1 with opentelemetry-instrumentation-langchain 0.62 and openinference-instrumentation-langchain 0.1.80. Older
 * ADK: `google/adk/telemetry/tracing.py` of google-adk 1.
 */

type Attributes = Readonly<Record<string, unknown>>;

let made = 0;

function span(name: string, from: number, to: number, attributes: Attributes, more: object = {}) {
  made += 1;
  return {
    name,
    context: { trace_id: 't', span_id: `span${String(made)}` },
    start_time: 1.79e12 + from,
    end_time: 1.79e12 + to,
    attributes,
    ...more,
  };
}

const event = (name: string, attributes: Attributes) => ({ name, attributes });
const json = (value: unknown) => JSON.stringify(value);

/** The spans of one step: a model calls a tool. In the order in which they end. */
type Step = (
  i: number,
  args: object,
  result: string,
  before: readonly (readonly [object, string])[],
) => object[];

const adkTool = (i: number, more: Attributes): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'read',
  'gen_ai.tool.call.id': `adk-${String(i)}`,
  'gcp.vertex.agent.event_id': `e${String(i)}`,
  ...more,
});

const langGraphTool = (i: number, args: object, result: string): Attributes => ({
  'traceloop.span.kind': 'tool',
  'traceloop.association.properties.thread_id': 's',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'read',
  'gen_ai.tool.call.arguments': json({
    input_str: `{'path': '${String(Object.values(args)[0])}'}`,
    metadata: { langgraph_step: 2 * i, checkpoint_ns: `tools:${String(i)}` },
    inputs: args,
    kwargs: { color: 'green', tool_call_id: `call_${String(i)}` },
  }),
  'gen_ai.tool.call.result': json({
    output: {
      lc: 1,
      type: 'constructor',
      kwargs: { content: result, type: 'tool', tool_call_id: `call_${String(i)}`, status: 'success' },
    },
    kwargs: { tags: [`seq:step:${String(i)}`] },
  }),
});

const chat = (i: number, args: object, id: string, more: Attributes = {}) =>
  span('chat', 10 * i, 10 * i + 2, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.conversation.id': 's',
    'gen_ai.output.messages': json([
      { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'read', arguments: args }] },
    ]),
    ...more,
  });

const functionCall = (i: number, args: object) => ({
  id: `call_${String(i)}`,
  type: 'function',
  function: { name: 'read', arguments: json(args) },
});

const chatHistory = (before: readonly (readonly [object, string])[]) => [
  { role: 'user', content: 'look' },
  ...before.flatMap(([args, content], i) => [
    { role: 'assistant', content: null, tool_calls: [functionCall(i, args)] },
    { role: 'tool', tool_call_id: `call_${String(i)}`, content },
  ]),
];

/** Their results are those of the next request only, so that the last call has none. */
const inHistory = new Set([
  'Logfire, OpenAI client',
  'Semantic Kernel',
  'conventions 1.27, content in events',
  'Langtrace',
]);

const steps: Record<string, Step> = {
  'Strands, in span events': (i, args, result) => {
    const id = `tu_${String(i)}`;
    const of = { 'session.id': 's', 'gen_ai.system': 'strands-agents' };
    return [
      span(
        'chat',
        10 * i,
        10 * i + 2,
        { 'gen_ai.operation.name': 'chat', ...of },
        {
          events: [
            event('gen_ai.user.message', { content: json([{ text: 'look' }]) }),
            event('gen_ai.choice', {
              finish_reason: 'tool_use',
              message: json([{ toolUse: { toolUseId: id, name: 'read', input: args } }]),
            }),
          ],
        },
      ),
      span(
        'execute_tool read',
        10 * i + 3,
        10 * i + 4,
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'read',
          'gen_ai.tool.call.id': id,
          ...of,
        },
        {
          events: [
            event('gen_ai.tool.message', { role: 'tool', content: json(args), id }),
            event('gen_ai.choice', { message: json([{ text: result }]), id }),
          ],
        },
      ),
    ];
  },
  'Google ADK, a tool within the span of the model': (i, args, result) => [
    span(
      'execute_tool read',
      10 * i + 2,
      10 * i + 4,
      adkTool(i, { 'gen_ai.tool.call.arguments': json(args), 'gen_ai.tool.call.result': json({ result }) }),
    ),
    span('generate_content', 10 * i, 10 * i + 5, {
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.conversation.id': 's',
      // Numbered per response.
      'gen_ai.output.messages': json([
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'read_0', name: 'read', arguments: args }] },
      ]),
    }),
  ],
  'Google ADK 1': (i, args, result, before) => [
    span(
      'execute_tool read',
      10 * i + 3,
      10 * i + 4,
      adkTool(i, {
        'gcp.vertex.agent.tool_call_args': json(args),
        'gcp.vertex.agent.tool_response': json({ result }),
        'gcp.vertex.agent.llm_request': '{}',
        'gcp.vertex.agent.llm_response': '{}',
      }),
    ),
    span('execute_tool (merged tools)', 10 * i + 3, 10 * i + 4, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': '(merged tools)',
      'gcp.vertex.agent.tool_call_args': 'N/A',
      'gcp.vertex.agent.tool_response': json({ result }),
    }),
    span('call_llm', 10 * i, 10 * i + 5, {
      'gen_ai.system': 'gcp.vertex.agent',
      'gcp.vertex.agent.session_id': 's',
      'gcp.vertex.agent.llm_request': json({
        contents: [
          { role: 'user', parts: [{ text: 'look' }] },
          ...before.flatMap(([earlier, response]) => [
            { role: 'model', parts: [{ function_call: { name: 'read', args: earlier } }] },
            {
              role: 'user',
              parts: [{ function_response: { name: 'read', response: { result: response } } }],
            },
          ]),
        ],
      }),
      'gcp.vertex.agent.llm_response': json({
        content: { role: 'model', parts: [{ function_call: { name: 'read', args } }] },
      }),
    }),
  ],
  'LangGraph by OpenLLMetry': (i, args, result) => [
    chat(i, args, `call_${String(i)}`),
    span('execute_tool read', 10 * i + 3, 10 * i + 4, langGraphTool(i, args, result)),
  ],
  'LangGraph by OpenLLMetry, tools alone': (i, args, result) => [
    span('execute_tool read', 10 * i + 3, 10 * i + 4, langGraphTool(i, args, result)),
  ],
  'LangGraph by OpenInference': (i, args, result) => [
    chat(i, args, `call_${String(i)}`),
    span('read', 10 * i + 3, 10 * i + 4, {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'read',
      'session.id': 's',
      'input.value': Object.values(args)[0],
      'output.value': json({
        type: 'tool',
        data: { content: result, type: 'tool', tool_call_id: `call_${String(i)}`, status: 'success' },
      }),
    }),
  ],
  'LlamaIndex by OpenInference': (i, args, result) => [
    chat(i, args, `call_${String(i)}`),
    span('FunctionTool.call', 10 * i + 3, 10 * i + 4, {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'read',
      'session.id': 's',
      'input.value': json({ args: [], kwargs: args }),
      'output.value': result,
    }),
  ],
};

/** Attributes of langfuse-python 3 and 4 (`langfuse/_client/attributes.py`). */
steps['Langfuse'] = (i, args, result) => [
  span('ask', 10 * i, 10 * i + 2, {
    'langfuse.observation.type': 'generation',
    'session.id': 's',
    'langfuse.observation.input': json([{ role: 'user', content: 'look' }]),
    'langfuse.observation.output': json({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `c${String(i)}`, type: 'function', function: { name: 'read', arguments: json(args) } },
      ],
    }),
    'langfuse.observation.usage_details': json({ input: 3, output: 2 }),
  }),
  span('read', 10 * i + 3, 10 * i + 4, {
    'langfuse.observation.type': 'tool',
    'session.id': 's',
    'langfuse.observation.input': json({ args: [], kwargs: args }),
    'langfuse.observation.output': result,
  }),
];

/** Logfire (`logfire/_internal/integrations`): of the OpenAI Agents SDK, the events of an answer are named like earlier ones. */
steps['Logfire, OpenAI Agents SDK'] = (i, args, result, before) => {
  const called = (n: number, of: object) => ({
    'event.name': 'gen_ai.assistant.message',
    role: 'assistant',
    tool_calls: [functionCall(n, of)],
  });
  const history = before.flatMap(([earlier, text], n) => [
    called(n, earlier),
    {
      'event.name': 'gen_ai.tool.message',
      role: 'tool',
      id: `call_${String(n)}`,
      content: text,
      name: 'read',
    },
  ]);
  const asked = { 'event.name': 'gen_ai.user.message', content: 'look', role: 'user' };
  return [
    span('Responses API with {gen_ai.request.model!r}', 10 * i, 10 * i + 2, {
      'logfire.msg_template': 'Responses API with {gen_ai.request.model!r}',
      'gen_ai.request.model': 'gpt-4.1',
      'session.id': 's',
      events: json([asked, ...history, called(i, args)]),
    }),
    span('Function: {name}', 10 * i + 3, 10 * i + 4, {
      'logfire.msg_template': 'Function: {name}',
      name: 'read',
      input: json(args),
      output: result,
      mcp_data: 'null',
      'session.id': 's',
    }),
  ];
};

steps['Logfire, OpenAI client'] = (i, args, _result, before) => [
  span('Chat Completion with {request_data[model]!r}', 10 * i, 10 * i + 2, {
    'logfire.msg_template': 'Chat Completion with {request_data[model]!r}',
    'session.id': 's',
    request_data: json({ messages: chatHistory(before), model: 'gpt-4o' }),
    response_data: json({
      message: { role: 'assistant', content: null, tool_calls: [functionCall(i, args)] },
    }),
  }),
];

/** Spring AI 1 (`ToolCallingObservationDocumentation`); the result is converted to JSON. */
steps['Spring AI'] = (i, args, result) => [
  span('chat gpt-4o', 10 * i, 10 * i + 2, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': '25',
    'session.id': 's',
  }),
  span('tool_call read', 10 * i + 3, 10 * i + 4, {
    'gen_ai.operation.name': 'framework',
    'gen_ai.system': 'spring_ai',
    'spring.ai.kind': 'tool_call',
    'spring.ai.tool.definition.name': 'read',
    'spring.ai.tool.call.arguments': json(args),
    'spring.ai.tool.call.result': json(result),
    'spring.ai.chat.client.conversation.id': 's',
  }),
];

/** The exporter of LangSmith's SDK (`_internal/otel/_otel_exporter.py`). */
steps['LangSmith'] = (i, args, result) => {
  const id = `call_${String(i)}`;
  const message = { content: '', type: 'ai', tool_calls: [{ name: 'read', args, id, type: 'tool_call' }] };
  const asked = {
    lc: 1,
    type: 'constructor',
    id: ['HumanMessage'],
    kwargs: { content: 'look', type: 'human' },
  };
  const answer = { lc: 1, type: 'constructor', id: ['AIMessage'], kwargs: message };
  return [
    span('ChatOpenAI', 10 * i, 10 * i + 2, {
      'langsmith.span.kind': 'llm',
      'gen_ai.operation.name': 'chat',
      'langsmith.metadata.thread_id': 's',
      'gen_ai.prompt': json({ messages: [[asked]] }),
      'gen_ai.completion': json({ generations: [[{ text: '', message: answer }]] }),
    }),
    span('read', 10 * i + 3, 10 * i + 4, {
      'langsmith.span.kind': 'tool',
      'langsmith.metadata.thread_id': 's',
      'gen_ai.prompt': json({ input: json(args).replaceAll('"', "'") }),
      'gen_ai.completion': json({
        output: { content: result, type: 'tool', name: 'read', tool_call_id: id },
      }),
    }),
  ];
};

/** Semantic Kernel for .NET (`ModelDiagnostics.cs`): JSON in events, as Azure's SDKs have it; tools without content. */
steps['Semantic Kernel'] = (i, args, _result, before) => {
  const said = (name: string, content: object) => event(name, { 'gen_ai.event.content': json(content) });
  const message = { role: 'assistant', content: null, tool_calls: [functionCall(i, args)] };
  return [
    span(
      'chat gpt-4o',
      10 * i,
      10 * i + 2,
      { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 's' },
      {
        events: [
          ...chatHistory(before).map((one) => said(`gen_ai.${one.role}.message`, one)),
          said('gen_ai.choice', { index: 0, message, finish_reason: 'ToolCalls' }),
        ],
      },
    ),
    span('execute_tool read', 10 * i + 3, 10 * i + 4, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'gen_ai.conversation.id': 's',
    }),
  ];
};

/** MLflow 3 as it sends spans by OTLP: each attribute is JSON. */
steps['MLflow'] = (i, args, result) => [
  span('Completions', 10 * i, 10 * i + 2, {
    'mlflow.spanType': '"CHAT_MODEL"',
    'mlflow.trace.session': '"s"',
    'mlflow.spanInputs': json({ messages: [{ role: 'user', content: 'look' }], model: 'gpt-4o' }),
    'mlflow.spanOutputs': json({
      choices: [{ message: { role: 'assistant', tool_calls: [functionCall(i, args)] } }],
    }),
  }),
  span('read', 10 * i + 3, 10 * i + 4, {
    'mlflow.spanType': '"TOOL"',
    'mlflow.trace.session': '"s"',
    'mlflow.spanInputs': json(args),
    'mlflow.spanOutputs': json(result),
  }),
];

const inEvents = (i: number, prompt: unknown, completion: unknown) =>
  span(
    'chat gpt-4o',
    10 * i,
    10 * i + 2,
    { 'gen_ai.operation.name': 'chat', 'session.id': 's' },
    {
      events: [
        event('gen_ai.content.prompt', { 'gen_ai.prompt': prompt }),
        event('gen_ai.content.completion', { 'gen_ai.completion': completion }),
      ],
    },
  );

steps['conventions 1.27, content in events'] = (i, args, _result, before) => [
  inEvents(
    i,
    json(chatHistory(before)),
    json([{ role: 'assistant', content: null, tool_calls: [functionCall(i, args)] }]),
  ),
];

steps['Langtrace'] = (i, args, _result, before) => [
  inEvents(i, json(chatHistory(before)), json([{ role: 'assistant', content: [functionCall(i, args)] }])),
];

/** OpenLIT has all messages as one text. */
steps['OpenLIT'] = (i, args, result, before) => [
  inEvents(
    i,
    chatHistory(before)
      .map(({ role, content }) => `${role}: ${String(content)}`)
      .join('\n'),
    json([functionCall(i, args)]),
  ),
  span('execute_tool read', 10 * i + 3, 10 * i + 4, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read',
    'gen_ai.tool.call.arguments': json(args),
    'gen_ai.tool.call.result': result,
    'session.id': 's',
  }),
];

const openInference = (kind: string, i: number, name: string, more: Attributes) =>
  span(name, 10_000 * i + (kind === 'LLM' ? 0 : 3000), 10_000 * i + (kind === 'LLM' ? 2000 : 4000), {
    'openinference.span.kind': kind,
    'session.id': 's',
    ...more,
  });
const messagesAs = (name: string, messages: readonly object[]) =>
  Object.fromEntries(
    messages.flatMap((message, i) =>
      Object.entries(message).map(([key, value]) => [
        `llm.${name}.${String(i)}.message.${key}`,
        value as unknown,
      ]),
    ),
  );
const callAs = (name: string, args: object, id?: string) => ({
  'tool_calls.0.tool_call.function.name': name,
  'tool_calls.0.tool_call.function.arguments': json(args),
  ...(id !== undefined && { 'tool_calls.0.tool_call.id': id }),
});

/** `openinference-instrumentation-dspy`: each request has what was done so far in the middle of the only prompt. */
steps['DSPy by OpenInference'] = (i, args, result, before) => [
  openInference('LLM', i, 'LM.__call__', {
    ...messagesAs('input_messages', [
      {
        role: 'user',
        content: `[[ ## question ## ]]\nlook\n[[ ## trajectory ## ]]\n${before.map((one) => json(one)).join('\n')}\nRespond with next_thought.`,
      },
    ]),
    ...messagesAs('output_messages', [{ role: 'assistant', content: `next_tool_name: read ${String(i)}` }]),
  }),
  openInference('TOOL', i, 'read.__call__', {
    'input.value': json({ kwargs: args }),
    'output.value': result,
  }),
];

/** `openinference-instrumentation-bedrock`, `_attribute_extractor.py`: the response has the role of a tool. */
steps['agents of Bedrock by OpenInference'] = (i, args, result) => {
  const parameters = json(
    Object.entries(args).map(([name, value]) => ({ name, type: 'string', value: value as unknown })),
  );
  return [
    openInference('LLM', i, 'LLM', {
      ...messagesAs('input_messages', [{ role: 'user', content: 'look' }]),
      ...messagesAs('output_messages', [
        { role: 'tool', tool_call_id: `tu${String(i)}`, ...callAs('Files__read', args, `tu${String(i)}`) },
      ]),
    }),
    openInference('TOOL', i, 'action_group', {
      'tool.name': 'read',
      'tool.parameters': parameters,
      'output.value': result,
    }),
  ];
};

/** `openinference-instrumentation-haystack`: no ids, and results only in the span of the invoker, as Python writes them. */
steps['Haystack by OpenInference'] = (i, args, result, before) => [
  openInference('LLM', i, 'OpenAIChatGenerator.run', {
    ...messagesAs('input_messages', [
      { role: 'user', content: 'look' },
      ...before.flatMap((_, n) => [{ role: 'assistant', content: `Step ${String(n)}.` }, { role: 'tool' }]),
    ]),
    ...messagesAs('output_messages', [
      { role: 'assistant', content: `Step ${String(i)}.`, ...callAs('read', args) },
    ]),
  }),
  openInference('CHAIN', i, 'ToolInvoker.run', {
    'output.value': json({
      tool_messages: [
        `ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[ToolCallResult(result='${result}', origin=ToolCall(tool_name='read', arguments={}, id='call_1'), error=False)], _name=None, _meta={})`,
      ],
    }),
  }),
];

/** The events of spans that arrive one by one on a topic, or all in one request of a file. */
function eventsOf(spans: readonly object[], isOneByOne: boolean): AgentEvent[] {
  const memory = isOneByOne ? new TelemetryMemory() : undefined;
  const translator = new Translator({ format: 'otlp', memory });
  const records = isOneByOne ? spans : [{ resourceSpans: [{ scopeSpans: [{ spans }] }] }];
  const read = records.map((record) => translator.readValue(record));
  expect(read.flatMap(({ faults }) => faults)).toEqual([]);
  const known = new Set<unknown>();
  const all = [...read.flatMap(({ events }) => events), ...translator.end()];
  return all.filter(({ id }) => !known.has(id) && known.add(id));
}

describe.each(Object.keys(steps))('spans of %s', (name) => {
  describe.each([false, true])('one by one: %s', (isOneByOne) => {
    const run = (results: readonly (readonly [object, string])[]) =>
      eventsOf(
        results.flatMap(([args, result], i) => steps[name]!(i, args, result, results.slice(0, i))),
        isOneByOne,
      );
    const callsIn = (events: readonly AgentEvent[]) =>
      events.filter(({ type }) => type === 'tool_call_request' || type === 'tool_result');

    it('are exactly the calls made, each with its result', () => {
      const events = callsIn(run([1, 2, 3].map((n) => [{ path: `file ${String(n)}` }, `text ${String(n)}`])));
      const calls = events.filter(({ type }) => type === 'tool_call_request');
      const results = events.filter(({ type }) => type === 'tool_result');
      expect(calls.map(({ sessionId }) => sessionId)).toEqual(['s', 's', 's']);
      const answered = inHistory.has(name) ? calls.slice(0, -1) : calls;
      expect(calls).toHaveLength(3);
      expect(new Set(calls.map((call) => call['name']))).toEqual(new Set(['read']));
      expect(results.map((result) => [result['callId'], result['result']])).toEqual(
        answered.map(({ callId }, i) => [callId, `text ${String(i + 1)}`]),
      );
    });

    it('are a loop at the third identical call, and quiet if each differs', () => {
      const verdictsOf = (events: readonly AgentEvent[]) => {
        const analyzer = createSessionAnalyzer();
        return events
          .flatMap((one) => analyzer.push(one))
          .map(({ detector, count }) => `${detector} ${String(count)}`);
      };
      const looping = run(
        (inHistory.has(name) ? [1, 2, 3, 4] : [1, 2, 3]).map(() => [{ path: 'a' }, 'no such file']),
      );
      expect(verdictsOf(looping)).toEqual(['tool-repeat 3']);
      const healthy = run(
        [1, 2, 3, 4, 5, 6].map((n) => [{ path: `file ${String(n)}` }, `text ${String(n)}`]),
      );
      expect(verdictsOf(healthy)).toEqual([]);
    });
  });
});

describe('a span of a tool without arguments', () => {
  const tool = (i: number, more: Attributes, status: object = {}) =>
    span('execute_tool read', 10 * i, 10 * i + 1, adkTool(i, { 'gen_ai.conversation.id': 's', ...more }), {
      status,
    });

  it('is a call of its own: equal calls cannot be told from others', () => {
    const events = eventsOf(
      [1, 2, 3, 4, 5, 6].map((i) => tool(i, {})),
      false,
    );
    expect(events).toHaveLength(6);
    const analyzer = createSessionAnalyzer();
    expect(events.flatMap((one) => analyzer.push(one))).toEqual([]);
  });

  it('has its error as result', () => {
    const failed = { status_code: 'ERROR', description: 'TOOL_ERROR' };
    const events = eventsOf(
      [1, 2, 3, 4, 5, 6].map((i) => tool(i, { 'error.type': 'TOOL_ERROR' }, failed)),
      false,
    );
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(6);
    expect(events[1]).toMatchObject({ type: 'tool_result', result: 'TOOL_ERROR', isError: true });
    const analyzer = createSessionAnalyzer();
    expect(events.flatMap((one) => analyzer.push(one))[0]).toMatchObject({ detector: 'stagnation' });
  });
});

it('requests that share a memory refer to the same calls, and a repeated request gives the same events', () => {
  const memory = new TelemetryMemory();
  const spans = [0, 1, 2].flatMap((i) =>
    steps['Google ADK, a tool within the span of the model']!(i, { path: 'a' }, 'x', []),
  );
  const idsIn = (record: object) => {
    const translator = new Translator({ format: 'otlp', memory });
    return [...translator.readValue(record).events, ...translator.end()].map(({ id }) => id);
  };
  // The session is known from the first span of the model on.
  idsIn(spans[1]!);
  const first = spans.slice(2).map(idsIn);
  const calls = first.flat().filter((id) => String(id).startsWith('call:'));
  expect(new Set(calls).size).toBe(2);
  expect(spans.slice(2).map(idsIn)).toEqual(first);
});
