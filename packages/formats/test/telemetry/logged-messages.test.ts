import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';
import { outline } from '../read-all.ts';

/*
 * Messages in log records, as opentelemetry-instrumentation-openai-v2 2 writes them (`message_to_event` and
 * `choice_to_event` in its `utils.py`): each repeats the history of its request.
 */

type Exchange = readonly [args: object, result: string];

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
const traceId = '0118047b99bda74fb0e69ea1dd014da2';
const nanos = (ms: number) => `${String(1_795_449_636_000 + ms)}000000`;
const spanIdOf = (i: number) => `8286e09aa75958${String(i + 10)}`;

function anyValue(value: unknown): object {
  if (typeof value === 'number') return { intValue: String(value) };
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: pairs(value as object) } };
}

function pairs(value: object): object[] {
  return Object.entries(value).map(([key, inner]) => ({ key, value: anyValue(inner) }));
}

/** The name of an event is an attribute at first, later a field of the record. */
function log(i: number, at: number, name: string, body: object, hasField: boolean) {
  return {
    timeUnixNano: nanos(1000 * i + at),
    body: anyValue(body),
    attributes: pairs({ 'gen_ai.system': 'openai', ...(!hasField && { 'event.name': name }) }),
    ...(hasField && { eventName: name }),
    traceId,
    spanId: spanIdOf(i),
  };
}

const callOf = (i: number, args: object | undefined) => ({
  id: `call_${String(i)}`,
  type: 'function',
  function: { name: 'get_order', ...(args !== undefined && { arguments: JSON.stringify(args) }) },
});

/** The log records and the span of the request after some exchanges. */
function requestsOf(exchanges: readonly Exchange[], { hasField = true, hasContent = true } = {}) {
  return exchanges.map(([args], i) => {
    const said = (at: number, name: string, body: object) => log(i, at, name, body, hasField);
    const given = (text: string) => (hasContent ? { content: text } : {});
    const made = (n: number, of: object) => ({ tool_calls: [callOf(n, hasContent ? of : undefined)] });
    const history = exchanges
      .slice(0, i)
      .flatMap(([before, result], n) => [
        said(2, 'gen_ai.assistant.message', made(n, before)),
        said(3, 'gen_ai.tool.message', { id: `call_${String(n)}`, ...given(result) }),
      ]);
    const answer = {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', ...made(i, args) },
    };
    const logRecords = [
      said(1, 'gen_ai.user.message', given('Where is my order?')),
      ...history,
      said(700, 'gen_ai.choice', answer),
    ];
    const span = {
      traceId,
      spanId: spanIdOf(i),
      name: 'chat gpt-4o',
      startTimeUnixNano: nanos(1000 * i),
      endTimeUnixNano: nanos(1000 * i + 701),
      attributes: pairs({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 20,
        'gen_ai.usage.output_tokens': 2,
      }),
    };
    return {
      logs: { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] },
      spans: { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] },
    };
  });
}

type Request = ReturnType<typeof requestsOf>[number];

const arrivals: Readonly<Record<string, (requests: readonly Request[]) => readonly object[]>> = {
  'with their spans': (all) => all.map(({ logs, spans }) => ({ ...logs, ...spans })),
  'before their spans': (all) => all.flatMap(({ logs, spans }) => [logs, spans]),
  'after their spans': (all) => all.flatMap(({ logs, spans }) => [spans, logs]),
  'before all spans': (all) => [...all.map(({ logs }) => logs), ...all.map(({ spans }) => spans)],
  'after all spans': (all) => [...all.map(({ spans }) => spans), ...all.map(({ logs }) => logs)],
  'without spans': (all) => all.map(({ logs }) => logs),
  'without spans, one by one': (all) =>
    all.flatMap(({ logs }) =>
      logs.resourceLogs[0]!.scopeLogs[0]!.logRecords.map((one) => ({
        resourceLogs: [{ resource, scopeLogs: [{ logRecords: [one] }] }],
      })),
    ),
};

/** @param isShared whether each request has its own reader, as at the endpoint, instead of one for the file */
function eventsOf(records: readonly object[], isShared: boolean): AgentEvent[] {
  const memory = isShared ? new TelemetryMemory() : undefined;
  let translator = new Translator({ format: 'otlp', memory });
  const events = records.flatMap((record) => {
    if (isShared) translator = new Translator({ format: 'otlp', memory });
    const { events: read, faults, ignored } = translator.readValue(record);
    expect([...faults, ...ignored]).toEqual([]);
    return [...read, ...(isShared ? translator.end() : [])];
  });
  const known = new Set<unknown>();
  return [...events, ...translator.end()].filter(({ id }) => !known.has(id) && known.add(id));
}

function verdictsOf(events: readonly AgentEvent[]): string[] {
  const analyzer = createSessionAnalyzer();
  return events
    .flatMap((event) => analyzer.push(event))
    .map(({ detector, count }) => `${detector} ${String(count)}`);
}

const looping = [1, 2, 3, 4].map((): Exchange => [{ order: 'A-17' }, 'no record']);
const healthy = [1, 2, 3, 4, 5, 6].map((n): Exchange => [{ order: String(n) }, `order ${String(n)}`]);
const ofType = (events: readonly AgentEvent[], type: string) => events.filter((event) => event.type === type);

describe.each(Object.keys(arrivals))('messages in log records that arrive %s', (arrival) => {
  describe.each([false, true])('each request with its own reader: %s', (isShared) => {
    const run = (exchanges: readonly Exchange[], more = {}) =>
      eventsOf(arrivals[arrival]!(requestsOf(exchanges, more)), isShared);

    it.each([false, true])(
      'are the calls made and their results, with the name in a field: %s',
      (hasField) => {
        const events = run(healthy, { hasField });
        const calls = ofType(events, 'tool_call_request');
        expect(calls.map(({ args }) => args)).toEqual(healthy.map(([args]) => JSON.stringify(args)));
        expect(new Set(calls.map(({ sessionId }) => sessionId))).toEqual(new Set([traceId]));
        const results = ofType(events, 'tool_result');
        expect(results.map(({ callId, result }) => [callId, result])).toEqual(
          healthy.slice(0, -1).map(([, result], i) => [`call_${String(i)}`, result]),
        );
        expect(ofType(events, 'prompt_started')).toHaveLength(1);
        // Of spans before the first log record, nothing tells yet that their messages are in such, except in a file.
        const early = { 'after their spans': 1, 'after all spans': healthy.length }[arrival] ?? 0;
        const repeated = isShared ? early : 0;
        expect(ofType(events, 'turn_started')).toHaveLength(healthy.length + repeated);
        const finished = ofType(events, 'turn_finished');
        expect(finished).toHaveLength(arrival.startsWith('without') ? 0 : healthy.length);
        expect(finished.every(({ usage }) => JSON.stringify(usage).includes('20'))).toBe(true);
      },
    );

    it('are a loop at the third identical call, and quiet if each differs', () => {
      expect(verdictsOf(run(looping))).toContain('tool-repeat 3');
      expect(verdictsOf(run(healthy))).toEqual([]);
    });

    it('tell no calls apart whose arguments are not recorded', () => {
      const events = run(looping, { hasContent: false });
      expect(ofType(events, 'tool_call_request')).toHaveLength(looping.length);
      expect(ofType(events, 'prompt_started')).toEqual([]);
      expect(verdictsOf(events)).toEqual([]);
    });
  });
});

describe('log records of a request without an answer', () => {
  const [last] = requestsOf(looping.slice(0, 2)).slice(-1);
  const { logRecords } = last!.logs.resourceLogs[0]!.scopeLogs[0]!;
  const record = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: logRecords.slice(0, -1) }] }] };

  it('are read at the end of a file, since the request can have failed', () => {
    expect(outline(eventsOf([record], false))).toEqual([
      'prompt_started Where is my order?',
      'tool_call_request get_order',
      'tool_result no record',
      'turn_started',
    ]);
  });

  it('are kept at the endpoint, up to a size', () => {
    const memory = new TelemetryMemory();
    const read = (value: object) => {
      const translator = new Translator({ format: 'otlp', memory });
      return [...translator.readValue(value).events, ...translator.end()];
    };
    const long = (i: number) => {
      const body = { content: 'x'.repeat(1_000_000) };
      const logs = [log(i, 1, 'gen_ai.user.message', body, true)];
      return { resourceLogs: [{ scopeLogs: [{ logRecords: logs }] }] };
    };
    const answer = (i: number) => {
      const body = { message: { role: 'assistant', content: 'done' } };
      return { resourceLogs: [{ scopeLogs: [{ logRecords: [log(i, 9, 'gen_ai.choice', body, true)] }] }] };
    };
    for (let i = 0; i < 20; i += 1) expect(read(long(i))).toEqual([]);
    expect(read(answer(0)).map(({ type }) => type)).toEqual(['turn_started', 'content']);
    expect(read(answer(19)).map(({ type }) => type)).toEqual(['prompt_started', 'turn_started', 'content']);
  });
});

/*
 * CloudWatch, into which the distribution of AWS (ADOT) writes one span or log record per record, newest first. Shapes of
 * a Bedrock AgentCore runtime, recorded in November 2025.
 */
describe('records of CloudWatch', () => {
  const bare = { resource: { attributes: { 'service.name': 'agent.DEFAULT' } } };
  const at = (i: number, ms: number) => (1_795_449_636_000 + 1000 * i + ms) * 1e6;
  const strands = { name: 'strands.telemetry.tracer', version: '' };
  const spanOf = (i: number, spanId: string, name: string, from: number, attributes: object) => ({
    ...bare,
    scope: strands,
    traceId,
    spanId,
    name,
    kind: 'INTERNAL',
    startTimeUnixNano: at(i, from),
    endTimeUnixNano: at(i, from + 100),
    durationNano: 100_000_000,
    attributes: { 'gen_ai.system': 'strands-agents', 'session.id': 's', ...attributes },
    status: { code: 'OK' },
  });
  const logOf = (i: number, spanId: string, ms: number, scope: string, event: string, body: object) => ({
    ...bare,
    scope: { name: scope },
    timeUnixNano: at(i, ms),
    observedTimeUnixNano: at(i, ms + 1),
    body,
    attributes: { 'event.name': event },
    traceId,
    spanId,
  });
  const json = (value: unknown) => JSON.stringify(value);
  const said = (role: string, content: object) => ({ role, content });
  const used = (i: number, args: object) => [
    { toolUse: { toolUseId: `t${String(i)}`, name: 'read', input: args } },
  ];
  const gave = (i: number, result: string) => [
    { toolResult: { toolUseId: `t${String(i)}`, status: 'success', content: [{ text: result }] } },
  ];

  /** Strands: the messages of a request without their order, and the content of its tool. */
  const ofStrands = (exchanges: readonly Exchange[]) =>
    exchanges.flatMap(([args, result], i) => {
      const before = exchanges.slice(0, i);
      const input = [
        said('user', { content: json([{ text: 'look' }]) }),
        ...before.map(([, text], n) => said('user', { content: json(gave(n, text)) })),
      ];
      const earlier = before.map(([of], n) => said('assistant', { content: json(used(n, of)) }));
      const answer = said('assistant', { message: json(used(i, args)), finish_reason: 'tool_use' });
      const asked = said('tool', { role: 'tool', content: json(args), id: `t${String(i)}` });
      const told = said('assistant', { message: json([{ text: result }]), id: `t${String(i)}` });
      const scope = strands.name;
      const [chat, tool, agent] = [`c${spanIdOf(i)}`, `t${spanIdOf(i)}`, `a${spanIdOf(i)}`];
      const use = { 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 2 };
      return [
        spanOf(i, chat, 'chat', 0, { 'gen_ai.operation.name': 'chat', ...use }),
        logOf(i, chat, 100, scope, scope, {
          input: { messages: input },
          output: { messages: [...earlier, answer] },
        }),
        spanOf(i, tool, 'execute_tool read', 200, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'read',
          'gen_ai.tool.call.id': `t${String(i)}`,
        }),
        logOf(i, tool, 300, scope, scope, { input: { messages: [asked] }, output: { messages: [told] } }),
        logOf(i, agent, 310, scope, scope, {
          input: { messages: [said('user', { content: json([{ text: 'look' }]) })] },
          output: { messages: [said('assistant', { message: 'done', finish_reason: 'end_turn' })] },
        }),
      ];
    });

  /** OpenTelemetry's instrumentation of botocore, which has each result twice. */
  const ofBedrock = (exchanges: readonly Exchange[]) =>
    exchanges.flatMap(([args], i) => {
      const scope = 'opentelemetry.instrumentation.botocore.bedrock-runtime';
      const of = (ms: number, event: string, body: object) => logOf(i, spanIdOf(i), ms, scope, event, body);
      const callIn = (n: number, input: object) => ({
        tool_calls: [{ type: 'function', id: `t${String(n)}`, function: { name: 'read', arguments: input } }],
      });
      return [
        of(1, 'gen_ai.user.message', { content: [{ text: 'look' }] }),
        ...exchanges
          .slice(0, i)
          .flatMap(([before, result], n) => [
            of(3 * n + 2, 'gen_ai.assistant.message', { content: used(n, before), ...callIn(n, before) }),
            of(3 * n + 3, 'gen_ai.tool.message', { content: [{ text: result }], id: `t${String(n)}` }),
            of(3 * n + 4, 'gen_ai.user.message', { content: gave(n, result) }),
          ]),
        of(900, 'gen_ai.choice', { index: 0, message: { role: 'assistant', ...callIn(i, args) } }),
      ];
    });

  describe.each([
    ['Strands', ofStrands, true],
    ['Bedrock', ofBedrock, false],
  ] as const)('by %s', (_name, recordsOf, hasSpans) => {
    describe.each([false, true])('newest first: %s', (isReversed) => {
      const run = (exchanges: readonly Exchange[]) => {
        const records = recordsOf(exchanges);
        return eventsOf(isReversed ? records.toReversed() : records, false);
      };

      it('are the calls made, each with its result, and one prompt', () => {
        const events = run(healthy);
        expect(ofType(events, 'tool_call_request').map(({ callId }) => callId)).toEqual(
          healthy.map((_, i) => `t${String(i)}`),
        );
        const answered = hasSpans ? healthy : healthy.slice(0, -1);
        expect(ofType(events, 'tool_result').map(({ callId, result }) => [callId, result])).toEqual(
          answered.map(([, result], i) => [`t${String(i)}`, result]),
        );
        expect(outline(ofType(events, 'prompt_started'))).toEqual(['prompt_started look']);
        expect(ofType(events, 'turn_started')).toHaveLength(healthy.length);
        expect(ofType(events, 'turn_finished')).toHaveLength(hasSpans ? healthy.length : 0);
      });

      it('are a loop at the third identical call, and quiet if each differs', () => {
        expect(verdictsOf(run(looping))).toContain('tool-repeat 3');
        expect(verdictsOf(run(healthy))).toEqual([]);
      });
    });

    it('are read also if they are posted to the endpoint', () => {
      const translator = new Translator({ format: 'auto', memory: new TelemetryMemory() });
      const read = recordsOf(looping).flatMap((record) => translator.readValue(record).events);
      const events = [...read, ...translator.end()];
      expect(verdictsOf(events)).toContain('tool-repeat 3');
    });
  });

  it('are read in parts if they are too many to keep', () => {
    const many = Array.from({ length: 600 }, (_, i): Exchange => [{ order: String(i) }, String(i)]);
    const records = many.flatMap(([args], i) =>
      ofStrands([[args, 'x']]).map((one) => ({ ...one, traceId: String(i) })),
    );
    const translator = new Translator({ format: 'otlp', memory: new TelemetryMemory() });
    const early = records.flatMap((record) => translator.readValue(record).events);
    expect(ofType(early, 'tool_result').length).toBeGreaterThan(400);
    expect(ofType([...early, ...translator.end()], 'tool_result')).toHaveLength(many.length);
  });
});
