import { readTopic, uniqueName, waitFor } from '@loopwatch/testkit';
import { expect, inject, it } from 'vitest';
import { dataDir, runServer, untilThereAre } from '../../server/test/server-runs.ts';
import { runGateway, typesIn } from './gateway-runs.ts';
import { ownTopics, worker } from './worker-runs.ts';

it('gateway with Kafka: publishes events and verdicts, which workers skip and the dashboard shows and controls', async () => {
  const brokers = inject('kafkaBrokers');
  const { topics, env: own } = await ownTopics(brokers);
  // With the gateway's preset the worker would publish the same verdicts again.
  const env = { ...own, LOOPWATCH_PRESET: 'proxy' };
  const running = await worker(env);
  const server = await runServer(env, '--data-dir', await dataDir());
  const gateway = await runGateway(env);
  expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  const events = await typesIn(brokers, topics.events, 14);
  expect(events).toHaveLength(14);
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
  await gateway.cli.line(/Settings of server now override the configuration/);
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
});

it('gateway with Kafka: limits its buffer during an outage, and logs what is lost', async () => {
  const env = {
    KAFKA_BROKERS: '127.0.0.1:9',
    LOOPWATCH_KAFKA_TOPICS_PREFIX: `${uniqueName('none')}.`,
    LOOPWATCH_GATEWAY_MAX_BUFFERED_RECORDS: '10',
  };
  const gateway = await runGateway(env);
  expect(await gateway.asks('s-1', 4)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  await gateway.cli.line(/Dropped events and verdicts/);
  await waitFor(async () => (await gateway.metric('loopwatch_gateway_dropped_records_total')) === 5);
  expect(await gateway.metric('loopwatch_gateway_buffered_records')).toBe(10);
  expect(await gateway.cli.stop()).toBe(0);
});
