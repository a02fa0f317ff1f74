import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';

const delta = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const finished = 'data: [DONE]\n\n';

/** A streamed request over a connection that stays open, whose answer has begun. */
async function begun(url: string, keepAlive: boolean): Promise<IncomingMessage> {
  const agent = new HttpAgent({ keepAlive });
  const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent });
  sent.setHeader('content-type', 'application/json');
  sent.end(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

it.each([true, false])(
  'draining: a stream that is open when the gateway stops goes on to its end (keep-alive: %s)',
  async (keepAlive) => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    await using bench = await GatewayBench.start(
      () => ({ chunks: [delta('one '), held, delta('two'), finished] }),
      { 'gateway.drain_seconds': 600 },
    );
    const answer = await begun(bench.url, keepAlive);
    const stopped = bench.stop();
    await expect(fetch(`${bench.url}/healthz`)).rejects.toThrow('fetch failed');
    finish();
    expect(await text(answer)).toBe(`${delta('one ')}${delta('two')}${finished}`);
    await stopped;
    expect(bench.texts('info', 'warn')).toContain(
      'info Waiting for 1 request to finish, at most 600 s (gateway.drain_seconds)',
    );
    expect(bench.texts('warn')).toEqual([]);
    expect(bench.events.map(({ type }) => type)).toContain('turn_finished');
  },
);

it('draining: streams that take longer are cut off, and the upstream is not blamed', async () => {
  await using bench = await GatewayBench.start(() => ({ chunks: [delta('one ')], then: 'hang' }), {
    'gateway.drain_seconds': 0.2,
  });
  const answers = await Promise.all([begun(bench.url, true), begun(bench.url, false)]);
  const read = answers.map((answer) => expect(text(answer)).rejects.toThrow('aborted'));
  await bench.stop();
  await Promise.all(read);
  expect(bench.texts('warn')).toEqual([
    'warn Cut off 2 requests that did not finish within 0.2 s (gateway.drain_seconds)',
  ]);
  expect(await bench.registry.metrics()).not.toMatch(/upstream_failures_total\{[^}]*\} [1-9]/);
  expect(bench.upstream.requests).toHaveLength(2);
});

it('draining: an answer that has not begun is the last on its connection', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await using bench = await GatewayBench.start(async () => {
    await held;
    return { json: { choices: [] } };
  });
  const sent = fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  await waitFor(() => bench.upstream.requests.length === 1);
  const stopped = bench.stop();
  answer();
  const response = await sent;
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.json()).toEqual({ choices: [] });
  await stopped;
});
