import { detectionSchema, topicNames, type Verdict } from '@loopwatch/contract';
import {
  createKafkaSink,
  createKafkaTaskRunner,
  createKafkaTopicReader,
  ensureTopics,
  openEmbeddedLog,
  type PartitionTask,
  type StepPosition,
  type TaskRunner,
  topicSpecs,
} from '@loopwatch/log';
import { tempDir, uniqueName, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { Worker } from '../../src/index.ts';

const logs = {
  async embedded() {
    const topics = topicNames({ prefix: 'damaged.' });
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    const log = await openEmbeddedLog({ dir: dir.path, topics: Object.values(topics) });
    onTestFinished(() => log.close());
    const sink = log.sink();
    const runner = () => log.tasks([topics.events], 'worker');
    return { topics, sink, runner, reader: () => log.reader(topics.verdicts) };
  },
  async Kafka() {
    const kafka = { brokers: inject('kafkaBrokers'), clientId: 'worker-test' };
    const topics = topicNames({ prefix: `${uniqueName('damaged')}.` });
    await ensureTopics(kafka, topicSpecs(topics, { partitions: 1 }));
    const runner = () =>
      createKafkaTaskRunner({
        ...kafka,
        topics: [topics.events],
        stateTopic: topics.state,
        groupId: topics.events,
        delivery: 'exactly_once',
      });
    const reader = () => createKafkaTopicReader({ ...kafka, topic: topics.verdicts });
    return { topics, sink: createKafkaSink(kafka), runner, reader };
  },
};

/** Commits other values under the keys of all snapshots, as if the log's files were damaged. @returns how many */
async function damageSnapshots(runner: TaskRunner): Promise<number> {
  const keys: string[] = [];
  let committed: StepPosition = { position: 0, resumeFrom: 0 };
  const done = new Promise<number>((resolve, reject) => {
    const open = runner.run((_, lane): PartitionTask => {
      return {
        restore: ({ key }) => {
          if (key.startsWith('session/')) keys.push(key);
        },
        replayFrom: (opened) => {
          committed = { ...opened };
          return Promise.resolve(opened.resumeFrom);
        },
        replay: () => Promise.resolve(),
        ready: (position) => {
          const state = keys.map((key, n) => ({ key, value: n % 2 === 0 ? '' : '{"v":1,"settings":"' }));
          lane.commit({ ...committed, position, outputs: [], state }).then(() => {
            resolve(keys.length);
          }, reject);
        },
        process: () => Promise.resolve(),
        close: () => undefined,
      };
    });
    open.catch(reject);
  });
  const damaged = await done;
  await runner.stop();
  return damaged;
}

it.each(Object.entries(logs))('recovery: damaged snapshots in the %s log cost no call', async (_, make) => {
  const { topics, sink, runner, reader } = await make();
  const lines: string[] = [];
  const start = async () => {
    const log = runner();
    const worker = new Worker({
      runner: log,
      system: 'kafka',
      topics,
      detection: detectionSchema.parse({ preset: 'balanced' }),
      registry: new Registry(),
      logger: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
      maxReplayRecords: 0,
    });
    onTestFinished(() => worker.stop());
    await worker.start();
    return {
      worker,
      processed: (end: number) => waitFor(async () => (await log.positions())[0]?.position === end),
    };
  };
  await sink.open();
  onTestFinished(() => sink.close());
  const call = (n: number) => ({
    topic: topics.events,
    key: `s-${String(n)}`,
    value: JSON.stringify({
      sessionId: `s-${String(n)}`,
      type: 'tool_call_request',
      name: 'ls',
      args: { n },
    }),
  });
  const calls = [0, 1, 2, 3].map(call);
  const first = await start();
  await sink.publish([...calls, ...calls, ...calls]);
  // Fewer are replayed, and need no snapshots.
  const other = JSON.stringify({ sessionId: 'other', type: 'turn_started' });
  for (let at = 12; at < 6_012; at += 500)
    await sink.publish(
      Array.from({ length: 500 }, () => ({ topic: topics.events, key: 'other', value: other })),
    );
  await first.processed(6_012);
  await first.worker.stop();
  expect(await damageSnapshots(runner())).toBeGreaterThanOrEqual(4);
  const second = await start();
  await sink.publish(calls);
  await second.processed(6_016);
  const verdicts: Verdict[] = [];
  const reading = reader();
  onTestFinished(() => reading.stop());
  await reading.run(
    ({ records }) => {
      verdicts.push(...records.map(({ text }) => JSON.parse(text ?? '') as Verdict));
    },
    { resolveWhen: 'caught_up' },
  );
  // Readers see a transaction once its markers are written, which may be after its commit is acknowledged.
  await waitFor(() => verdicts.length >= 4);
  expect(verdicts.map(({ sessionId, phase, count }) => [sessionId, phase, count]).sort()).toEqual(
    [0, 1, 2, 3].map((n) => [`s-${String(n)}`, 'opened', 4]),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('The stored state of the analysis is damaged');
});
