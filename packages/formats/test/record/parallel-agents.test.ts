import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { readAll } from '../read-all.ts';

const agents = ['north', 'east', 'south', 'west', 'centre'];
const found = (records: readonly unknown[]) => {
  const analyzer = createSessionAnalyzer();
  return readAll('auto', records)
    .events.flatMap((event) => analyzer.push(event))
    .map(({ detector }) => detector);
};

it('events in our own format stay as they are', () => {
  const of = (type: string, agent: string) => ({ sessionId: 's', type, agent, callId: agent, name: 'read' });
  const records = agents.flatMap((agent) => [of('turn_started', agent), of('tool_call_request', agent)]);
  expect(readAll('auto', records).events).toEqual(records);
});

type Write = (agent: string, id: string, path: string) => readonly [call: object, result: object];

const langGraph: Write = (agent, id, path) => [
  { type: 'ai', name: agent, content: '', tool_calls: [{ id, name: 'read', args: { path } }] },
  { type: 'tool', name: 'read', tool_call_id: id, content: 'none' },
];
const autogen: Write = (agent, id, path) => {
  const message = { source: agent, models_usage: null, metadata: {} };
  const call = { id, name: 'read', arguments: JSON.stringify({ path }) };
  return [
    { ...message, type: 'ToolCallRequestEvent', content: [call] },
    { ...message, type: 'ToolCallExecutionEvent', content: [{ call_id: id, name: 'read', content: 'none' }] },
  ];
};
const adk: Write = (agent, id, path) => {
  const event = { author: agent, invocation_id: 'i' };
  const response = { id, name: 'read', response: { result: 'none' } };
  return [
    { ...event, content: { role: 'model', parts: [{ functionCall: { id, name: 'read', args: { path } } }] } },
    { ...event, content: { role: 'user', parts: [{ functionResponse: response }] } },
  ];
};

describe.each<[string, Write, (messages: readonly object[]) => readonly unknown[]]>([
  ['LangGraph', langGraph, (messages) => [{ values: { messages } }]],
  ['AutoGen', autogen, (messages) => messages],
  ['Google ADK', adk, (messages) => messages],
])('agents of %s that work at the same time', (_, write, recordsOf) => {
  const round = (names: readonly string[], i: number) => {
    const written = names.map((name) => write(name, `${name}${String(i)}`, 'map'));
    return [...written.map(([call]) => call), ...written.map(([, result]) => result)];
  };

  it('do not repeat the calls of each other', () => {
    expect(found(recordsOf(round(agents, 0)))).toEqual([]);
  });

  it('loop if each repeats its own', () => {
    const rounds = [0, 1, 2, 3].flatMap((i) => round(agents.slice(0, 2), i));
    expect(found(recordsOf(rounds))).toContain('tool-repeat');
  });
});
