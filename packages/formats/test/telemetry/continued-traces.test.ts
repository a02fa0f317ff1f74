import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';

/*
 * Requests in traces of their own, without a session, as LiteLLM's callback `otel` exports them: recorded in November 2026 with
 * litellm 1.110, shortened.
 */

const STEPS = 4;

interface Run {
  /** Names its traces. */
  readonly name: string;
  readonly prompt?: string;
  /** Whether responses name their calls, and histories repeat them. */
  readonly hasCalls?: boolean;
  readonly session?: string;
}

/** The requests of a run, each with the conversation so far. */
function requestsOf({ name, prompt = 'look', hasCalls = false, session }: Run): object[] {
  const call = (i: number) => ({
    type: 'tool_call',
    id: `${name}_${String(i)}`,
    name: 'read',
    arguments: '{}',
  });
  const said = (i: number, parts: readonly object[]) => ({
    role: 'assistant',
    parts: [...(hasCalls ? [] : [{ type: 'text', content: `Step ${String(i)}.` }]), ...parts],
  });
  const told = (i: number) => ({
    role: 'tool',
    tool_call_id: `${name}_${String(i)}`,
    parts: [{ type: 'text', content: `text ${String(i)}` }],
  });
  return Array.from({ length: STEPS }, (_, step) => ({
    traceId: `${name}-trace-${String(step)}`,
    spanId: `${name}-span-${String(step)}`,
    name: 'litellm_request',
    startTimeUnixNano: `${String(1_795_449_636_000 + 100 * step)}000000`,
    endTimeUnixNano: `${String(1_795_449_636_000 + 100 * step + 50)}000000`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...(session !== undefined && { 'gen_ai.conversation.id': session }),
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: prompt }] },
        ...Array.from({ length: step }, (__, i) => [said(i, hasCalls ? [call(i)] : []), told(i)]).flat(),
      ]),
      'gen_ai.output.messages': JSON.stringify([said(step, hasCalls ? [call(step)] : [])]),
      ...(!hasCalls && {
        'gen_ai.completion.0.function_call.name': 'read',
        'gen_ai.completion.0.function_call.arguments': '{}',
      }),
    },
  }));
}

/** Turns, calls and results by session. */
function sessionsIn(events: readonly AgentEvent[]): Record<string, number[]> {
  const ids = [...new Set(events.map(({ sessionId }) => sessionId ?? ''))];
  const known = new Set<unknown>();
  const own = events.filter(({ sessionId, id }) => {
    const key = `${String(sessionId)} ${String(id)}`;
    return !known.has(key) && known.add(key);
  });
  const count = (session: string, type: string) =>
    own.filter((event) => event.sessionId === session && event.type === type).length;
  return Object.fromEntries(
    ids.map((id) => [
      id,
      ['turn_started', 'tool_call_request', 'tool_result'].map((type) => count(id, type)),
    ]),
  );
}

const whole = [STEPS, STEPS, STEPS - 1];

describe.each([
  ['in a file', (spans: readonly object[]) => [spans], undefined],
  ['as they end', (spans: readonly object[]) => spans.map((span) => [span]), new TelemetryMemory()],
])('traces without a session, %s', (_, requests, memory) => {
  it.each<[string, Run[], Record<string, number[]>]>([
    ['continue one conversation', [{ name: 'a' }], { 'a-trace-0': whole }],
    ['continue it by the ids of calls', [{ name: 'b', hasCalls: true }], { 'b-trace-0': whole }],
    [
      'continue two at the same time',
      [
        { name: 'c', prompt: 'look here' },
        { name: 'd', prompt: 'look there' },
      ],
      { 'c-trace-0': whole, 'd-trace-0': whole },
    ],
    [
      'continue two that say the same',
      [
        { name: 'e', prompt: 'again' },
        { name: 'f', prompt: 'again' },
      ],
      { 'e-trace-0': whole, 'f-trace-0': whole },
    ],
    ['do not if they name one', [{ name: 'g', session: 's' }], { s: whole }],
  ])('%s', (__, runs, sessions) => {
    const spans = runs.map(requestsOf);
    const inOrder = Array.from({ length: STEPS }, (___, step) =>
      spans.flatMap((run) => run[step] ?? []),
    ).flat();
    const translator = new Translator({ format: 'otlp', memory });
    const events = requests(inOrder).flatMap((list) => [
      ...translator.readValue({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] }).events,
    ]);
    expect(sessionsIn([...events, ...translator.end()])).toEqual(sessions);
  });
});
