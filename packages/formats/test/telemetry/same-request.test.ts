import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';

/*
 * Spans of two instrumentations of one request, and histories that name its calls otherwise, shortened; recorded in November 2026 with a
 * scripted model: anthropic 1, which makes spans of its own, under opentelemetry-instrumentation-anthropic and
 * openinference-instrumentation-anthropic; opentelemetry-instrumentation-openai 0.62; openlit 1.
 */

type Attributes = Readonly<Record<string, unknown>>;

const json = (value: unknown) => JSON.stringify(value);
const call = (i: number, id = `call_${String(i)}`) => ({
  type: 'tool_call',
  id,
  name: 'read',
  arguments: { path: 'a' },
});
const text = { type: 'text', content: 'Let me look.' };
const said = (...parts: readonly object[]) => ({ role: 'assistant', parts });
const told = (i: number) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id: `call_${String(i)}`, response: 'none' }],
});
const asked = { role: 'user', parts: [{ type: 'text', content: 'look' }] };
const REQUESTS = 4;
const before = (i: number) => Array.from({ length: i }, (_, n) => n);

/** A request to a model and what else reports it, in the order of time. */
type Producer = (i: number) => readonly object[];

function span(i: number, id: string, parent: string, ms: number, attributes: Attributes) {
  const start = 1_790_000_000_000 + 1_000 * i + (id === 'inner' ? 1 : 0);
  return {
    name: 'chat',
    context: { trace_id: 't', span_id: `${id}-${String(i)}` },
    parent_id: parent === '' ? null : `${parent}-${String(i)}`,
    start_time: start,
    end_time: start + ms,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'session.id': 's',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 5,
      ...attributes,
    },
  };
}

/** The messages of a request; by default as the conventions have them. */
const content = (i: number, answer = said(text, call(i)), history = (n: number) => said(text, call(n))) => ({
  'gen_ai.input.messages': json([asked, ...before(i).flatMap((n) => [history(n), told(n)])]),
  'gen_ai.output.messages': json([answer]),
});
const response = (i: number) => ({ 'gen_ai.response.id': `msg_${String(i)}` });

const producers: Record<string, Producer> = {
  'a span without content inside one with content': (i) => [
    span(i, 'inner', 'outer', 100, {}),
    span(i, 'outer', '', 200, content(i)),
  ],
  'a span with content inside one without': (i) => [
    span(i, 'inner', 'outer', 100, content(i)),
    span(i, 'outer', '', 200, {}),
  ],
  'a span with content inside one with the same, which names no ids': (i) => [
    span(i, 'inner', 'outer', 100, content(i)),
    span(i, 'outer', '', 200, content(i, said(text, { ...call(i), id: undefined }))),
  ],
  'two spans of one response at the same time': (i) => [
    span(i, 'inner', '', 100, response(i)),
    span(i, 'outer', '', 200, { ...response(i), ...content(i) }),
  ],
  'two spans in one at the same time, with the same usage, one of which has content': (i) => [
    { ...span(i, 'inner', '', 100, {}), parent_id: 'agent' },
    { ...span(i, 'outer', '', 90, content(i)), parent_id: 'agent' },
  ],
  'a span without content, and a log record of its details': (i) => [
    span(i, 'outer', '', 200, {}),
    {
      body: null,
      event_name: 'gen_ai.client.inference.operation.details',
      trace_id: 't',
      span_id: `outer-${String(i)}`,
      observed_timestamp: 1_790_000_000_200 + 1_000 * i,
      attributes: { ...span(i, 'outer', '', 0, content(i)).attributes },
    },
  ],
  'a span with content, and a log record of its details': (i) => [
    span(i, 'outer', '', 200, content(i)),
    {
      body: null,
      event_name: 'gen_ai.client.inference.operation.details',
      trace_id: 't',
      span_id: `outer-${String(i)}`,
      observed_timestamp: 1_790_000_000_200 + 1_000 * i,
      attributes: { ...span(i, 'outer', '', 0, content(i)).attributes },
    },
  ],
  'a history that names calls by the ids of their items': (i) => [
    span(i, 'outer', '', 200, {
      ...content(i, said(text, call(i, `fc_${String(i)}`))),
      'gen_ai.input.messages': json([
        asked,
        ...before(i).flatMap((n) => [said(text), said(call(n, `fc_${String(n)}`)), told(n)]),
      ]),
    }),
  ],
  'a history without calls': (i) => [
    span(
      i,
      'outer',
      '',
      200,
      content(i, said(text, call(i)), () => said(text)),
    ),
  ],
  'an answer whose calls are beside its messages': (i) => [
    span(i, 'outer', '', 200, {
      ...content(i, said(text)),
      'gen_ai.completion.0.function_call.name': 'read',
      'gen_ai.completion.0.function_call.arguments': '{"path":"a"}',
    }),
  ],
  'blocks with their calls beside them': (i) => [
    span(i, 'outer', '', 200, {
      ...content(i),
      'gen_ai.output.messages': undefined,
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.contents.0.message_content.type': 'text',
      'llm.output_messages.0.message.contents.0.message_content.text': 'Let me look.',
      'llm.output_messages.0.message.contents.1.message_content.type': 'tool_use',
      'llm.output_messages.0.message.contents.1.tool_call.id': `call_${String(i)}`,
      'llm.output_messages.0.message.contents.1.tool_call.function.name': 'read',
      'llm.output_messages.0.message.contents.1.tool_call.function.arguments': '{"path":"a"}',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': `call_${String(i)}`,
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'read',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"path":"a"}',
    }),
  ],
  'an operation that has a name of its own': (i) => [
    span(i, 'outer', '', 200, {
      ...content(i),
      'gen_ai.operation.name': 'responses',
      'gen_ai.request.model': 'm',
    }),
  ],
};

/** The events of records that come one by one, or of those of a file; each once. */
function eventsOf(records: readonly object[], isOneByOne: boolean): AgentEvent[] {
  const memory = isOneByOne ? new TelemetryMemory() : undefined;
  const whole = new Translator({ format: 'otlp', memory });
  const read = records.flatMap((record) => {
    const translator = isOneByOne ? new Translator({ format: 'otlp', memory }) : whole;
    return [...translator.readValue(record).events, ...(isOneByOne ? translator.end() : [])];
  });
  const known = new Set<unknown>();
  return [...read, ...(isOneByOne ? [] : whole.end())].filter(({ id }) => !known.has(id) && known.add(id));
}

const requests = Array.from({ length: REQUESTS }, (_, i) => i);

describe.each(Object.entries(producers))('a request to a model with %s', (name, producer) => {
  it.each([
    ['in a file', false, (records: readonly object[]) => records],
    ['in a file, in the opposite order', false, (records: readonly object[]) => records.toReversed()],
    ['one by one', true, (records: readonly object[]) => records],
    ['one by one, twice', true, (records: readonly object[]) => records.flatMap((one) => [one, one])],
  ])(`counts once (${name}): %s`, (_, isOneByOne, inOrder) => {
    const events = eventsOf(
      requests.flatMap((i) => inOrder(producer(i))),
      isOneByOne,
    );
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of('prompt_started')).toHaveLength(1);
    expect(of('turn_started')).toHaveLength(REQUESTS);
    expect(of('content')).toHaveLength(REQUESTS);
    const calls = of('tool_call_request');
    expect(calls.map((one) => one['name'])).toEqual(requests.map(() => 'read'));
    expect(of('tool_result').map(({ callId }) => callId)).toEqual(
      calls.slice(0, -1).map(({ callId }) => callId),
    );
    const usage = of('turn_finished').flatMap((end) => end['usage'] ?? []);
    expect(usage).toEqual(
      requests.map(() => expect.objectContaining({ inputTokens: 20, outputTokens: 5 }) as unknown),
    );
  });
});

it('requests at the same time with the same usage are requests of their own if one instrumentation reports them', () => {
  for (const content of [{}, { 'gen_ai.output.messages': json([said(text)]) }]) {
    const spans = ['a', 'b'].map((id) => ({ ...span(0, id, '', 100, content), parent_id: 'agent' }));
    expect(eventsOf(spans, true).filter(({ type }) => type === 'turn_started')).toHaveLength(2);
  }
});

it('responses with one id, one after another, are requests of their own: a cache can answer them', () => {
  const events = eventsOf(
    requests.map((i) => span(i, 'outer', '', 200, { ...content(i), ...response(0) })),
    true,
  );
  expect(events.filter(({ type }) => type === 'turn_started')).toHaveLength(REQUESTS);
});
