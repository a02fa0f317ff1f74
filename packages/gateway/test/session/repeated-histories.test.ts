import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { expect, it } from 'vitest';
import { ask } from '../agent.ts';
import { GatewayBench } from '../harness.ts';

const callOf = (n: number, path = `src/${String(n)}.ts`) => ({
  id: `call-${String(n)}`,
  type: 'function' as const,
  function: { name: 'read_file', arguments: JSON.stringify({ path }) },
});
/** A history with calls, each with its result. */
const history = (calls: number, path?: string): ChatCompletionMessageParam[] => [
  { role: 'user', content: 'Fix the rounding' },
  ...Array.from({ length: calls }, (_, n): ChatCompletionMessageParam[] => [
    { role: 'assistant', content: null, tool_calls: [callOf(n, path)] },
    {
      role: 'tool',
      tool_call_id: `call-${String(n)}`,
      content: `file ${path === undefined ? String(n) : path}`,
    },
  ]).flat(),
];

const answering = (text: string) =>
  GatewayBench.start((request) => modelReply(request, { text }), { preset: 'balanced' });

it.each([false, true])('equal requests report their history once (at once: %s)', async (isBurst) => {
  await using bench = await answering('I have read it.');
  const requests = 40;
  const send = () => ask(bench, false, null, history(30));
  if (isBurst) await Promise.all(Array.from({ length: requests }, send));
  else for (let n = 0; n < requests; n += 1) await send();
  await bench.stop();
  const count = (wanted: string) => bench.events.filter(({ type }) => type === wanted).length;
  expect(count('tool_call_request')).toBe(30);
  expect(count('tool_result')).toBe(30);
  // Each request is a conversation of its own, with its prompt and its answer.
  expect(new Set(bench.events.map(({ sessionId }) => sessionId)).size).toBe(requests);
  expect(count('prompt_started')).toBe(requests);
  expect(bench.events.length).toBeLessThan(3 * 30 + 6 * requests);
});

it('growing histories that are sent several times report each result once', async () => {
  await using bench = await answering('Let me go on.');
  for (let calls = 1; calls <= 20; calls += 1)
    await Promise.all(Array.from({ length: 3 }, () => ask(bench, false, null, history(calls))));
  await bench.stop();
  const results = bench.events.flatMap(({ type, callId }) => (type === 'tool_result' ? [callId] : []));
  // Several conversations may each be shown a new result, but none the whole history again.
  expect(new Set(results).size).toBe(20);
  expect(results.length).toBeLessThanOrEqual(3 * 20);
});

it('a history that another conversation has reported is evidence all the same', async () => {
  await using bench = await GatewayBench.start((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );
  const got = await Promise.all([1, 2, 3].map(() => ask(bench, false, null, history(3, 'a'))));
  expect(got.map(({ finish }) => finish)).toEqual(['error', 'error', 'error']);
});

it('a request waits while a long one of its session is judged', async () => {
  await using bench = await answering('I have read it.');
  const messages = history(6_000);
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5', messages }));
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-session-id': 'one',
  };
  const start = () => request(`${bench.url}/v1/chat/completions`, { method: 'POST', headers, agent: false });
  const first = start();
  const second = start();
  second.write(body.subarray(0, -1));
  const publish = bench.sink.publish.bind(bench.sink);
  bench.sink.publish = (records) => {
    if (!second.writableEnded) second.end(body.subarray(-1));
    return publish(records);
  };
  first.end(body);
  for (const [response] of await Promise.all([once(first, 'response'), once(second, 'response')]))
    await (response as IncomingMessage).resume().toArray();
  await bench.stop();
  const types = bench.events.map(({ type }) => type);
  expect(types.filter((type) => type === 'tool_result')).toHaveLength(6_000);
  expect(types.filter((type) => type === 'turn_finished')).toHaveLength(2);
  expect(types.indexOf('turn_finished')).toBeGreaterThan(types.lastIndexOf('tool_result'));
});
