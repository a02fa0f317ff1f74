import {
  type KafkaApi,
  KafkaGate,
  readTopic,
  startKafkaCluster,
  type TestCluster,
  uniqueName,
  waitFor,
} from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKafkaTaskRunner, ensureTopics, type OutputRecord } from '../../src/index.ts';
import { createKafkaCluster } from '../../src/kafka/internals/cluster.ts';
import { committedPosition } from '../../src/kafka/task/state.ts';
import { TransactionalStepWriter } from '../../src/kafka/task/step-writer.ts';
import { follow, numbered, openSink, publish, restarts } from './harness.ts';
import { editMetadata, type PartitionAnswer } from './metadata-answer.ts';

const gate = new KafkaGate();
let kafka: TestCluster;

beforeAll(async () => {
  kafka = await startKafkaCluster({ nodes: 1, valve: gate.valve });
});
afterAll(() => kafka.stop());

/** A key that the partitioner maps to the first of two partitions. */
const key = 'k3';

/** An output topic and a step writer for an events partition; the writer's client id is the group. */
async function lab() {
  const group = uniqueName('answers');
  const topicPartition = { topic: `${group}.events`, partition: 0 };
  const outputs = `${group}.verdicts`;
  const direct = { brokers: kafka.direct, clientId: 'test' };
  await ensureTopics(direct, [
    { name: topicPartition.topic, partitions: 1, config: {} },
    { name: outputs, partitions: 2, config: {} },
  ]);
  const cluster = createKafkaCluster(direct);
  await cluster.connect();
  onTestFinished(() => cluster.disconnect());
  const options = { brokers: kafka.brokers, clientId: group };
  return {
    group,
    outputs,
    options,
    transactionalId: `${group}/${topicPartition.topic}/0`,
    writer: async () => {
      const writer = new TransactionalStepWriter(options, {
        topicPartition,
        groupId: group,
        state: { records: () => [] },
      });
      onTestFinished(() => writer.close());
      await writer.open();
      return writer;
    },
    step: (position: number, ...values: string[]) => ({
      position,
      resumeFrom: position,
      state: [],
      outputs: values.map((value): OutputRecord => ({ topic: outputs, key, value })),
    }),
    /** The values that read-committed readers see, and the position at which the next owner starts. */
    found: async (count: number) => {
      // A commit is acknowledged before its records are visible.
      await readTopic(kafka.direct, outputs, { count });
      const records = await readTopic(kafka.direct, outputs);
      const committed = await committedPosition(cluster, group, topicPartition);
      return { values: records.map(({ value }) => value), position: committed?.position };
    },
  };
}

type Edit = (partition: PartitionAnswer) => PartitionAnswer | undefined;

const metadataAnswers: readonly [string, Edit][] = [
  ['omits a partition', () => undefined],
  ['names no leader for a partition', (partition) => ({ ...partition, leader: -1 })],
  ['reports that a partition has no leader', (partition) => ({ ...partition, error: 5, leader: -1 })],
  ['names a leader that does not exist', (partition) => ({ ...partition, leader: 9 })],
];

/** Edits the metadata of a topic’s first partition for clients with this id; `answered` waits for the number of edits. */
function misinform(clientId: string, topic: string, edit: Edit) {
  let answers = 0;
  const restore = gate.rewrite('Metadata', 'replies', clientId, (answer) => {
    answers += 1;
    return editMetadata(answer, (each) => (each.topic === topic && each.partition === 0 ? edit(each) : each));
  });
  return { restore, answered: (times: number) => waitFor(() => answers >= times) };
}

describe('when metadata', () => {
  it.each(metadataAnswers)('%s, no step is committed without its outputs', async (_, edit) => {
    const { group, outputs, writer, step, found } = await lab();
    const first = await writer();
    const { restore, answered } = misinform(group, outputs, edit);
    const written = first.write(step(7, 'a')).then(
      () => true,
      () => false,
    );
    await Promise.race([written, answered(4)]);
    restore();
    if (!(await written)) {
      expect(await found(0)).toEqual({ values: [], position: undefined });
      await (await writer()).write(step(7, 'a'));
    }
    expect(await found(1)).toEqual({ values: ['a'], position: 7 });
  });

  it('omits a partition, a sink confirms only written records', async () => {
    const { group, outputs, options } = await lab();
    const { restore, answered } = misinform(group, outputs, () => undefined);
    const sink = await openSink(options);
    const published = sink.publish([{ topic: outputs, key, value: 'a' }]);
    await Promise.race([published, answered(4)]);
    restore();
    await published;
    expect((await readTopic(kafka.direct, outputs)).map(({ value }) => value)).toEqual(['a']);
  });
});

/** Responses without an error and without any partition, in the versions that kafkajs uses. */
const empty: readonly [KafkaApi, (answer: Buffer) => Buffer][] = [
  // Correlation id; topics; throttle time.
  ['Produce', (answer) => Buffer.concat([answer.subarray(0, 4), Buffer.alloc(8)])],
  // Correlation id, throttle time; topics.
  ['AddPartitionsToTxn', (answer) => Buffer.concat([answer.subarray(0, 8), Buffer.alloc(4)])],
  ['TxnOffsetCommit', (answer) => Buffer.concat([answer.subarray(0, 8), Buffer.alloc(4)])],
];

describe('a step', () => {
  it.each(empty)('fails when the response to %s omits the requested partitions', async (api, answer) => {
    const { transactionalId, writer, step, found } = await lab();
    const first = await writer();
    const restore = gate.rewrite(api, 'replies', transactionalId, answer);
    await expect(first.write(step(7, 'a'))).rejects.toMatchObject({ code: 'not_written' });
    restore();
    expect(await found(0)).toEqual({ values: [], position: undefined });
    await (await writer()).write(step(7, 'a'));
    expect(await found(1)).toEqual({ values: ['a'], position: 7 });
  });

  it('fails when a coordinator that lost its state makes brokers take its outputs for duplicates', async () => {
    const { transactionalId, writer, step, found } = await lab();
    let identity: Buffer | undefined;
    // Correlation id, throttle time, error, producer id and epoch.
    const recall = gate.rewrite('InitProducerId', 'replies', transactionalId, (answer) => {
      identity ??= Buffer.from(answer.subarray(10));
      return Buffer.concat([answer.subarray(0, 10), identity]);
    });
    const first = await writer();
    await first.write(step(7, 'a'));
    await first.close();
    // The coordinator is not asked for a new epoch, as if it had forgotten the latest one it assigned.
    const forget = gate.rewrite('InitProducerId', 'requests', transactionalId, (request) => {
      const other = Buffer.from(request);
      other.write('X', request.indexOf(transactionalId));
      return other;
    });
    const second = await writer();
    forget();
    recall();
    const written = await second.write(step(8, 'b')).then(
      () => true,
      () => false,
    );
    if (!written) {
      expect(await found(1)).toEqual({ values: ['a'], position: 7 });
      await (await writer()).write(step(8, 'b'));
    }
    expect(await found(2)).toEqual({ values: ['a', 'b'], position: 8 });
  });
});

it('a reader passes each record on once when a partition has no leader yet', async () => {
  const topic = uniqueName('leaderless');
  const clientId = uniqueName('reader');
  const direct = { brokers: kafka.direct, clientId };
  await ensureTopics(direct, [{ name: topic, partitions: 2, config: {} }]);
  await publish(direct, numbered(topic, 100));
  const notLeader = 6;
  let refused = 0;
  const restore = gate.rewrite('ListOffsets', 'replies', clientId, (answer) => {
    // Correlation id, throttle time, one topic with its name, one partition with its number; error.
    const partition = 18 + answer.readInt16BE(12);
    if (answer.readInt32BE(partition) === 1 && refused < 4) {
      refused += 1;
      answer.writeInt16BE(notLeader, partition + 4);
    }
    return answer;
  });
  onTestFinished(restore);
  const { values } = await follow({ brokers: kafka.brokers, clientId }, topic);
  await waitFor(() => values().length >= 100);
  expect(refused).toBe(4);
  expect(values().toSorted()).toEqual(Array.from({ length: 100 }, (_, index) => String(index)).toSorted());
});

it('KafkaTaskRunner: loses no outputs when partitions are added to the output topic at runtime', async () => {
  const group = uniqueName('grown');
  const [events, verdicts, checks, state] = ['events', 'verdicts', 'checks', 'state'].map(
    (name) => `${group}.${name}`,
  ) as [string, string, string, string];
  const options = { brokers: kafka.direct, clientId: group };
  const topic = (name: string, partitions: number) => ({ name, partitions, config: {} });
  await ensureTopics(options, [topic(events, 2), topic(verdicts, 1), topic(checks, 1), topic(state, 1)]);
  const runner = createKafkaTaskRunner({
    ...options,
    groupId: group,
    topics: [events],
    stateTopic: state,
    delivery: 'exactly_once',
  });
  onTestFinished(() => runner.stop());
  let done = 0;
  await runner.run((_, lane) => ({
    restore: () => undefined,
    replay: () => Promise.resolve(),
    ready: () => undefined,
    process: ({ records, next }) => {
      // Each event names the output partition.
      const outputs = records.map(({ value }) => {
        const [to = '', text = ''] = String(value).split(' ');
        return { topic: `${group}.${to}`, key: text, value: text };
      });
      void lane.commit({ position: next, resumeFrom: next, outputs, state: [] }).then(() => {
        done += records.length;
      }, restarts);
      return Promise.resolve();
    },
    close: () => undefined,
  }));
  const keyOf = (partition: number) => (partition === 0 ? 'k3' : 'k0');
  const say = (partition: number, text: string) =>
    publish(options, [{ topic: events, key: keyOf(partition), value: text }]);
  await say(0, 'verdicts a');
  await say(1, 'verdicts b');
  await waitFor(() => done === 2);
  const admin = new kafkajs.Kafka({ ...options, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createPartitions({ topicPartitions: [{ topic: verdicts, count: 8 }] });
  await admin.disconnect();
  // A topic that is new to this process triggers a refresh of all metadata.
  await say(0, 'checks c');
  await waitFor(() => done === 3);
  const more = Array.from({ length: 20 }, (_, i) => `v${i}`);
  for (const text of more) await say(1, `verdicts ${text}`);
  await waitFor(() => done === 23);
  const found = await readTopic(kafka.direct, verdicts, { count: 22 });
  expect(found.map(({ value }) => value).toSorted()).toEqual(['a', 'b', ...more].toSorted());
});
