import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { readKept, TelemetryMemory, Translator } from '../../src/index.ts';

/*
 * Conventions of GenAI: only the spans of the agent and of the model name the conversation, and a span is exported when it
 * ends, the agent's last.
 */

const CALLS = 6;
const json = (value: unknown) => JSON.stringify(value);
const all = Array.from({ length: CALLS }, (_, i) => i);

type Attributes = Readonly<Record<string, string | number>>;

function span(trace: string, id: string, at: number, ms: number, attributes: Attributes, more: object = {}) {
  return {
    traceId: trace,
    spanId: `${trace}-${id}`,
    parentSpanId: id === 'agent' ? '' : `${trace}-agent`,
    name: id,
    startTimeUnixNano: `${String(1_795_449_636_000 + at)}000000`,
    endTimeUnixNano: `${String(1_795_449_636_000 + at + ms)}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    })),
    ...more,
  };
}

const conversation = { 'gen_ai.conversation.id': 'conv-1' };
const asked = { role: 'user', parts: [{ type: 'text', content: 'find it' }] };
const made = (i: number) => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id: `call_${String(i)}`, name: 'search', arguments: { query: 'x' } }],
});
const told = (i: number) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id: `call_${String(i)}`, response: 'no match' }],
});

/** @param named attributes that name the conversation, or none */
const chat = (trace: string, i: number, named: Attributes) =>
  span(trace, `chat ${String(i)}`, 1000 * i, 300, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': json([asked, ...all.slice(0, i).flatMap((n) => [made(n), told(n)])]),
    'gen_ai.output.messages': json([made(i)]),
    'gen_ai.usage.input_tokens': 20,
    'gen_ai.usage.output_tokens': 5,
    ...named,
  });
const tool = (trace: string, i: number) =>
  span(
    trace,
    `tool ${String(i)}`,
    1000 * i + 400,
    300,
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.id': `call_${String(i)}`,
      'gen_ai.tool.call.arguments': json({ query: 'x' }),
    },
    { status: { code: 2, message: 'no match' } },
  );
const agent = (trace: string, from = 0) =>
  span(trace, 'agent', 1000 * from - 10, 1000 * CALLS, {
    'gen_ai.operation.name': 'invoke_agent',
    ...conversation,
  });
const message = (trace: string, i: number, ms: number, name: string, body: object) => ({
  timeUnixNano: `${String(1_795_449_636_000 + 1000 * i + ms)}000000`,
  traceId: trace,
  spanId: `${trace}-chat ${String(i)}`,
  eventName: name,
  body: { stringValue: json(body) },
  attributes: [],
});
const logsOf = (trace: string, i: number) => [
  message(trace, i, 1, 'gen_ai.user.message', { content: 'find it' }),
  message(trace, i, 200, 'gen_ai.choice', {
    message: {
      role: 'assistant',
      tool_calls: [
        {
          id: `call_${String(i)}`,
          type: 'function',
          function: { name: 'search', arguments: '{"query":"x"}' },
        },
      ],
    },
  }),
];
const withoutContent = (of: ReturnType<typeof span>) => ({
  ...of,
  attributes: of.attributes.filter(({ key }) => !key.endsWith('.messages')),
});
const spans = (...of: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: of }] }] });
const logs = (...of: readonly object[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: of }] }] });
const half = CALLS / 2;

/** Requests in the order of their arrival. */
const arrivals: Readonly<Record<string, readonly object[]>> = {
  'the agent last': [
    ...all.flatMap((i) => [spans(chat('a', i, {})), spans(tool('a', i))]),
    spans(agent('a')),
  ],
  'tools before all models': [
    ...all.map((i) => spans(tool('a', i))),
    ...all.map((i) => spans(chat('a', i, conversation))),
  ],
  'models before all tools': [
    ...all.map((i) => spans(chat('a', i, conversation))),
    ...all.map((i) => spans(tool('a', i))),
  ],
  'neighbors swapped': all.flatMap((i) => [spans(tool('a', i)), spans(chat('a', i, conversation))]),
  'the latest first': all
    .flatMap((i) => [spans(chat('a', i, conversation)), spans(tool('a', i))])
    .toReversed(),
  'messages in log records before their spans': all.flatMap((i) => [
    logs(...logsOf('a', i)),
    spans(withoutContent(chat('a', i, conversation))),
    spans(tool('a', i)),
  ]),
};
/** Two traces of one conversation, the second of which repeats the calls of the first. */
const twoTraces = [
  ...all.slice(0, half).flatMap((i) => [spans(chat('a', i, {})), spans(tool('a', i))]),
  spans(agent('a')),
  ...all.slice(half).flatMap((i) => [spans(chat('b', i, {})), spans(tool('b', i))]),
  spans(agent('b', half)),
];

function once(events: readonly AgentEvent[]): AgentEvent[] {
  const known = new Set<string>();
  const keyOf = ({ sessionId, id }: AgentEvent) => json([sessionId, id]);
  return events.filter((event) => !known.has(keyOf(event)) && known.add(keyOf(event)));
}

const ofType = (events: readonly AgentEvent[], type: string) => events.filter((event) => event.type === type);
const tokensIn = (events: readonly AgentEvent[]) =>
  ofType(events, 'turn_finished').reduce(
    (sum, { usage }) => sum + ((usage as { inputTokens?: number } | undefined)?.inputTokens ?? 0),
    0,
  );

/** Expects exactly the calls of one session, each failed, in order of time. */
function expectWhole(events: readonly AgentEvent[]): void {
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['conv-1']));
  expect(ofType(events, 'tool_call_request').map(({ callId }) => callId)).toEqual(
    all.map((i) => `call_${String(i)}`),
  );
  expect(ofType(events, 'tool_result').map(({ isError }) => isError)).toEqual(all.map(() => true));
  expect(tokensIn(events)).toBe(20 * CALLS);
  const times = events.map(({ time }) => Number(time));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const analyzer = createSessionAnalyzer();
  const found = events.flatMap((event) => analyzer.push(event)).filter(({ phase }) => phase === 'opened');
  expect(found.map(({ detector, count }) => `${detector} ${String(count)}`)).toEqual(['tool-repeat 3']);
}

describe('spans and log records of a file are one session, with each call once and in order of time', () => {
  it.each(Object.entries({ ...arrivals, 'two traces of a conversation': twoTraces }))(
    '%s',
    (_name, requests) => {
      const translator = new Translator({ format: 'otlp' });
      const read = requests.flatMap((request) => translator.readValue(request).events);
      expectWhole(once([...read, ...translator.end()]));
    },
  );

  it('in files of their own, one for each signal', () => {
    const memory = new TelemetryMemory('files');
    const files = ['resourceLogs', 'resourceSpans'].map((key) =>
      arrivals['messages in log records before their spans']!.filter((request) => key in request),
    );
    const read = files.flatMap((requests, i) => {
      const translator = new Translator({ format: 'otlp', session: `file ${String(i)}`, memory });
      return [...requests.flatMap((request) => translator.readValue(request).events), ...translator.end()];
    });
    expect(read).toEqual([]);
    expectWhole(once(readKept(memory)));
  });

  it('in parts, if it is too long to keep', () => {
    const translator = new Translator({ format: 'otlp' });
    const filler = 'x'.repeat(1_000_000);
    const requests = Array.from({ length: 70 }, (_, i) =>
      spans(chat(`t${String(i)}`, 0, { 'gen_ai.request.note': filler })),
    );
    const early = requests.flatMap((request) => translator.readValue(request).events);
    expect(ofType(early, 'tool_call_request').length).toBeGreaterThan(30);
    expect(ofType([...early, ...translator.end()], 'tool_call_request')).toHaveLength(requests.length);
  });

  it('unless they name several: a span belongs to the agent around it', () => {
    const inner = { ...tool('a', 1), parentSpanId: 'a-inner' };
    const other = span('a', 'inner', 900, 900, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'conv-2',
    });
    const translator = new Translator({ format: 'otlp' });
    translator.readValue(spans(tool('a', 0), inner, tool('a', 2), other, agent('a')));
    const calls = ofType(translator.end(), 'tool_call_request');
    expect(calls.map(({ sessionId }) => sessionId)).toEqual(['conv-1', 'conv-2', 'conv-1']);
  });
});

describe('spans and log records of a topic have each call once, whenever the session is named', () => {
  it.each(Object.entries(arrivals))('%s', (_name, requests) => {
    const translator = new Translator({ format: 'otlp', memory: new TelemetryMemory() });
    const events = once(requests.flatMap((request) => translator.readValue(request).events));
    const calls = ofType(events, 'tool_call_request');
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(CALLS);
    expect(calls).toHaveLength(CALLS);
    // A result is in the session of its call.
    const sessions = new Map(calls.map(({ callId, sessionId }) => [callId, sessionId]));
    for (const { callId, sessionId } of ofType(events, 'tool_result'))
      expect(sessionId).toBe(sessions.get(callId));
  });
});

it('reads a document of more spans than a call can have arguments', () => {
  const query = span('a', 'SELECT', 500, 1, {});
  const many = Array.from({ length: 150_000 }, () => query);
  const translator = new Translator({ format: 'otlp' });
  const document = { resourceSpans: [{ scopeSpans: [{ spans: many }] }] };
  expect(translator.readValue(document).ignored).toHaveLength(many.length);
  translator.readValue(spans(...all.map((i) => tool('a', i)), agent('a')));
  expect(ofType(translator.end(), 'tool_call_request')).toHaveLength(CALLS);
});
