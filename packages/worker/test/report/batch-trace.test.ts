import { settingsSchema } from '@loopwatch/contract';
import { type CollectedSpan, startModelServer, waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type Recording, recordTraces, tree } from '../../../telemetry/test/recording.ts';
import { modelClient } from '../../src/index.ts';
import { calls, records, startWorker, topics } from '../fakes.ts';

/** A worker whose batches are recorded. */
async function start() {
  const recording = await recordTraces();
  const made = await startWorker({}, 'silent');
  return { ...made, recording };
}
const named = async (recording: Recording, name: string): Promise<CollectedSpan | undefined> =>
  (await recording.spans()).find((span) => span.name === `${name} ${topics.events}`);

it('batch spans: a batch has the spans of its fetch, its processing and its commit', async () => {
  const { worker, log, recording } = await start();
  const fetch = { startedAt: Date.now() - 70, endedAt: Date.now() - 20 };
  await log.deliver(records(5, [...calls(6), 'not JSON']), { lag: 8, fetch });
  await worker.stop();
  const spans = await recording.spans();
  const batch = `batch ${topics.events}`;
  expect(tree(spans)).toEqual({
    [batch]: undefined,
    [`receive ${topics.events}`]: batch,
    [`process ${topics.events}`]: batch,
    [`commit ${topics.events}`]: batch,
  });
  const whole = await named(recording, 'batch');
  expect(whole?.attributes).toEqual({
    'messaging.system': 'kafka',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': topics.events,
    'messaging.destination.partition.id': '0',
    'messaging.batch.message_count': 7,
    'messaging.kafka.offset': 5,
    'loopwatch.batch.lag': 8,
    'loopwatch.batch.verdicts': log.verdicts.length,
    'loopwatch.batch.dead_letters': 1,
  });
  expect(log.verdicts.length).toBeGreaterThan(0);
  const receive = await named(recording, 'receive');
  expect([receive?.start, receive?.end, whole?.start]).toEqual([
    fetch.startedAt,
    fetch.endedAt,
    fetch.startedAt,
  ]);
});

it('batch spans: records fetched with an earlier batch have no fetch span', async () => {
  const { log, recording } = await start();
  await log.deliver(records(0, calls(1)));
  expect(Object.keys(tree(await recording.spans())).sort()).toEqual(
    ['batch', 'commit', 'process'].map((name) => `${name} ${topics.events}`),
  );
});

it('batch spans: their number does not depend on the number of records', async () => {
  const { log, recording } = await start();
  await log.deliver(records(0, calls(500)));
  expect(await recording.spans()).toHaveLength(3);
});

it('batch spans: a failed commit marks the batch as failed', async () => {
  const { log, recording } = await start();
  log.gate = Promise.reject(new Error('the brokers are gone'));
  await log.deliver(records(0, calls(1))).catch(() => undefined);
  for (const name of ['batch', 'commit'])
    expect((await named(recording, name))?.attributes['error.type']).toBe('not_committed');
});

it('batch spans: a partition takeover is recorded with what it restored', async () => {
  const { log, recording } = await start();
  await log.deliver(records(0, calls(2)));
  log.crash();
  await log.takeOver();
  expect((await named(recording, 'recover'))?.attributes).toMatchObject({
    'messaging.destination.name': topics.events,
    'loopwatch.recovery.records': 2,
  });
});

it('model spans: a check belongs to the batch of its event, and the call to its check', async () => {
  const usage = { promptTokens: 900, completionTokens: 40 };
  const text = JSON.stringify({ analysis: 'back and forth', confidence: 0.95 });
  const server = await startModelServer(() => ({ text, usage }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { llm } = settingsSchema.parse({ llm: { base_url: server.url, model: 'judge' } });
  const { spans } = await recordTraces();
  const detection = { preset: 'stream', semantic: { after_turns: 3 } } as const;
  const { worker, log } = await startWorker(detection, 'silent', modelClient(llm));
  await log.deliver(
    records(
      0,
      Array.from({ length: 3 }, () => ({ sessionId: 's', type: 'turn_started' })),
    ),
  );
  await waitFor(() => log.verdicts.length === 1);
  await worker.stop();
  const recorded = await spans();
  expect(tree(recorded)).toMatchObject({
    'chat judge': 'semantic check',
    'semantic check': `process ${topics.events}`,
  });
  const { hostname, port } = new URL(server.url);
  expect(recorded.find(({ name }) => name === 'chat judge')).toMatchObject({
    kind: 3,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'judge',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 40,
      'server.address': hostname,
      'server.port': Number(port),
    },
  });
  expect(JSON.stringify(recorded)).not.toContain('back and forth');
});
