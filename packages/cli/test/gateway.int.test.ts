import { analyzedByHeader } from '@loopwatch/contract';
import {
  modelReply,
  readTopic,
  spawnCli,
  startKafka,
  startScriptedUpstream,
  uniqueName,
  waitFor,
} from '@loopwatch/testkit';
import { expect, inject, it, onTestFinished } from 'vitest';
import { dataDir, runServer, untilThereAre } from '../../server/test/server-runs.ts';
import { ownTopics, worker } from './worker-runs.ts';

/** A gateway for a model that always makes the same call. */
async function runGateway(env: Record<string, string>, ...flags: readonly string[]) {
  const upstream = await startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const args = [
    'gateway',
    '--upstream',
    upstream.url,
    '--port',
    '0',
    '--data-dir',
    await dataDir(),
    ...flags,
  ];
  const cli = spawnCli(args, env);
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  const line = await cli.line(/The gateway is at/, 120_000);
  const url = (/http:\/\/localhost:\d+/.exec(line)?.[0] ?? '').replace('localhost', '127.0.0.1');
  return {
    cli,
    /** Repeats the request. @returns the finish reason */
    async ask(session: string, content = 'Fix it'): Promise<unknown> {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-session-id': session },
        body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
      });
      const { choices } = (await response.json()) as { choices: { finish_reason: unknown }[] };
      return choices[0]?.finish_reason;
    },
    async asks(session: string, times: number): Promise<unknown[]> {
      const ends: unknown[] = [];
      for (let i = 0; i < times; i += 1) ends.push(await this.ask(session));
      return ends;
    },
    async checks(): Promise<Record<string, { ok: boolean; detail: string }>> {
      const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: never };
      return ready.checks;
    },
    async metric(name: string): Promise<number> {
      const line = (await (await fetch(`${url}/metrics`)).text())
        .split('\n')
        .find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
  };
}

const typesIn = async (brokers: readonly string[], topic: string, count: number) =>
  (await readTopic(brokers, topic, { count, timeoutMs: 60_000 })).map(({ key, value, headers }) => ({
    session: key,
    type: (JSON.parse(value ?? '') as { type: string }).type,
    judged: headers[analyzedByHeader],
  }));

it('gateway with Kafka: publishes events and verdicts, which workers skip and the dashboard shows and controls', async () => {
  const brokers = inject('kafkaBrokers');
  const { topics, env: own } = await ownTopics(brokers);
  // With the gateway's preset the worker would publish the same verdicts again.
  const env = { ...own, LOOPWATCH_PRESET: 'proxy' };
  const running = await worker(env);
  const server = await runServer(env, '--data-dir', await dataDir());
  const gateway = await runGateway(env);
  expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  const events = await typesIn(brokers, topics.events, 13);
  expect(events).toHaveLength(13);
  expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(4);
  expect(events.every(({ session, judged }) => session === 's-1' && judged === 'gateway')).toBe(true);
  await untilThereAre(server, '/incidents', 1);
  // The worker has processed everything once it has published the session.
  await untilThereAre(server, '/sessions', 1);
  await waitFor(async () => {
    const [session] = await server.all('/sessions');
    return session?.['toolCalls'] === 4;
  });

  expect(await server.send('PUT', '/settings/server', { set: { 'tool_call_loop.max_repeats': 2 } })).toBe(
    200,
  );
  await gateway.cli.line(/Settings of server now override the configuration/, 30_000);
  expect(await gateway.asks('s-2', 2)).toEqual(['tool_calls', 'error']);
  expect(
    await server.send('PUT', `/settings/${encodeURIComponent('session:s-1')}`, { set: { enabled: false } }),
  ).toBe(200);
  await waitFor(
    async () =>
      (await gateway.ask('s-1', 'Now')) === 'tool_calls' &&
      (await gateway.ask('s-1', 'Now')) === 'tool_calls',
  );
  await gateway.ask('s-3', '!/set(tool-loop-max-repeats=7)');
  await waitFor(async () => {
    const { set } = await server.get<{ set: object }>(`/settings/${encodeURIComponent('session:s-3')}`);
    return JSON.stringify(set) === '{"tool_call_loop.max_repeats":7}';
  });

  expect(await gateway.cli.stop()).toBe(0);
  await waitFor(async () => (await server.all('/incidents')).length >= 2);
  expect(await running.stop()).toBe(0);
  const verdicts = (await readTopic(brokers, topics.verdicts)).map(
    ({ value }) => JSON.parse(value ?? '') as Record<string, unknown>,
  );
  // Whichever process sees that a setting ended it reports that.
  const found = verdicts.filter(({ phase }) => phase !== 'resolved');
  expect(found.map(({ sessionId, phase, count }) => [sessionId, phase, count]).toSorted()).toEqual([
    ['s-1', 'opened', 4],
    ['s-2', 'opened', 2],
  ]);
  // A worker would add the position of the event in the topic.
  expect(found.every(({ source }) => source === undefined)).toBe(true);
}, 240_000);

it('gateway with Kafka: fails no request during outages, and publishes everything afterwards', async () => {
  const kafka = await startKafka({ own: true });
  onTestFinished(() => kafka.stop());
  const { topics, env } = await ownTopics(kafka.brokers, 1);
  await kafka.stopBroker();
  const gateway = await runGateway(env);
  expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  await waitFor(async () => !(await gateway.checks())['log']?.ok, { timeoutMs: 60_000 });
  expect((await gateway.checks())['settings']?.ok).toBe(false);
  expect(await gateway.metric('loopwatch_gateway_buffered_records')).toBe(14);
  await kafka.startBroker();
  expect(await typesIn(kafka.brokers, topics.events, 13)).toHaveLength(13);
  await waitFor(async () => (await gateway.checks())['settings']?.ok === true, { timeoutMs: 60_000 });

  await kafka.stopBroker();
  expect(await gateway.asks('s-2', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  await waitFor(async () => !(await gateway.checks())['log']?.ok, { timeoutMs: 60_000 });
  await kafka.startBroker();
  const events = await typesIn(kafka.brokers, topics.events, 26);
  const of = (session: string) => events.filter((event) => event.session === session).map(({ type }) => type);
  expect(of('s-2')).toEqual(of('s-1'));
  await waitFor(async () => (await gateway.checks())['log']?.ok === true, { timeoutMs: 60_000 });
  expect(await gateway.cli.stop()).toBe(0);
  const verdicts = await readTopic(kafka.brokers, topics.verdicts);
  expect(verdicts.map(({ key }) => key)).toEqual(['s-1', 's-2']);
}, 240_000);

it('gateway with Kafka: limits its buffer during an outage, and logs what is lost', async () => {
  const env = {
    KAFKA_BROKERS: '127.0.0.1:9',
    LOOPWATCH_KAFKA_TOPICS_PREFIX: `${uniqueName('none')}.`,
    LOOPWATCH_GATEWAY_MAX_BUFFERED_RECORDS: '10',
  };
  const gateway = await runGateway(env);
  expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  await gateway.cli.line(/Dropped events and verdicts/, 60_000);
  await waitFor(async () => (await gateway.metric('loopwatch_gateway_dropped_records_total')) === 4, {
    timeoutMs: 60_000,
  });
  expect(await gateway.metric('loopwatch_gateway_buffered_records')).toBe(10);
  expect(await gateway.cli.stop()).toBe(0);
}, 240_000);
