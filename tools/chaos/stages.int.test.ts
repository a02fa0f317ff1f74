import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { detectionSettings, settingsSchema, topicNames } from '@loopwatch/contract';
import { createKafkaSink, ensureTopics, topicSpecs } from '@loopwatch/log';
import {
  type CliProcess,
  type HeldFrame,
  type KafkaApi,
  KafkaGate,
  type ProxyDirection,
  readTopic,
  spawnCli,
  startKafkaCluster,
  type TempDir,
  type TestCluster,
  tempDir,
  uniqueName,
  waitFor,
} from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare, isExact } from './compare.ts';
import { expectedResults, foundResults } from './expected.ts';
import { Random } from './random.ts';
import { Traffic } from './traffic.ts';

/** A stage of a transaction: the owner is killed while this request is in flight. */
interface Stage {
  readonly title: string;
  readonly api: KafkaApi;
  readonly direction: ProxyDirection;
  /** Whether the transaction is committed anyway. */
  readonly durable?: true;
}

const stages: readonly Stage[] = [
  { title: 'before it fences the previous owner', api: 'InitProducerId', direction: 'requests' },
  { title: 'before the reply to fencing', api: 'InitProducerId', direction: 'replies' },
  { title: 'before the transaction begins', api: 'AddPartitionsToTxn', direction: 'requests' },
  { title: 'before anything is written', api: 'Produce', direction: 'requests' },
  { title: 'after outputs are written', api: 'Produce', direction: 'replies' },
  { title: 'before the group is part of the transaction', api: 'AddOffsetsToTxn', direction: 'requests' },
  { title: 'before the offset is written', api: 'TxnOffsetCommit', direction: 'requests' },
  { title: 'after the offset is written', api: 'TxnOffsetCommit', direction: 'replies' },
  { title: 'before the commit', api: 'EndTxn', direction: 'requests' },
  { title: 'before the reply to the commit', api: 'EndTxn', direction: 'replies', durable: true },
];

const gate = new KafkaGate();
let cluster: TestCluster;
let folder: TempDir;

beforeAll(async () => {
  cluster = await startKafkaCluster({ nodes: 1, valve: gate.valve });
  folder = await tempDir('loopwatch-stages');
});
afterAll(async () => {
  await cluster.stop();
  await folder.remove();
});

describe('a worker killed during a transaction', () => {
  it.concurrent.for(stages.map((stage) => [stage.title, stage] as const))(
    'worker killed in a transaction, %s: the next owner publishes everything exactly once',
    async ([, stage], { onTestFailed }) => {
      const lab = await Lab.create();
      onTestFailed(() => lab.tell());
      const held = gate.hold(stage.api, stage.direction, lab.transactionalId);
      const first = lab.worker();
      await lab.produce();
      await reached(held, first);
      await first.stop('SIGKILL');
      if (stage.durable) await lab.hasCommitted();
      else expect(await lab.committed()).toBe(-1);

      const second = lab.worker();
      await second.line(/Partition 0 recovered in/);
      await lab.expectEachOnce();
      expect(await second.stop()).toBe(0);
      await lab.expectEachOnce();
    },
  );

  it.concurrent('frozen worker: cannot commit after another worker took over', async ({ onTestFailed }) => {
    const lab = await Lab.create();
    onTestFailed(() => lab.tell());
    const held = gate.hold('EndTxn', 'requests', lab.transactionalId);
    const away = lab.worker();
    await lab.produce();
    await reached(held, away);
    process.kill(away.pid, 'SIGSTOP');
    const second = lab.worker();
    await lab.expectEachOnce();
    held.release();
    process.kill(away.pid, 'SIGCONT');
    await away.line(/failed and restarts|no longer|left/i);
    await lab.expectEachOnce();
    expect(await second.stop()).toBe(0);
    await away.stop('SIGKILL');
    await lab.expectEachOnce();
  });
});

/** Rejects if the worker ends by itself. */
async function reached(held: HeldFrame, worker: CliProcess): Promise<void> {
  const ended = worker.exited.then((end) =>
    Promise.reject(new Error(`the worker ended unexpectedly: ${end}`)),
  );
  await Promise.race([held.reached, ended]);
}

/** Events in a topic of one partition, and the settings of its workers. */
class Lab {
  readonly #configFile: string;
  readonly #group: string;
  readonly #settings;
  readonly #topics;
  readonly #workers: CliProcess[] = [];

  private constructor(group: string) {
    this.#group = group;
    this.#configFile = join(folder.path, `${group}.json`);
    this.#settings = settingsSchema.parse(this.#input);
    this.#topics = topicNames(this.#settings.kafka.topics);
  }

  get #input() {
    return {
      kafka: { brokers: cluster.brokers, group: this.#group, topics: { prefix: `${this.#group}.` } },
      worker: { host: '127.0.0.1', port: 0 },
      log: { level: 'info', format: 'json' },
      tool_call_loop: { max_repeats: 3 },
    };
  }

  static async create(): Promise<Lab> {
    const lab = new Lab(uniqueName('stage'));
    await writeFile(lab.#configFile, JSON.stringify(lab.#input));
    const specs = topicSpecs(lab.#topics, { partitions: 1, replicationFactor: 1 });
    await ensureTopics({ brokers: cluster.direct, clientId: 'stages' }, specs);
    return lab;
  }

  get transactionalId(): string {
    return `${this.#group}/${this.#topics.events}/0`;
  }

  worker(): CliProcess {
    const worker = spawnCli(['worker', '--config', this.#configFile]);
    this.#workers.push(worker);
    return worker;
  }

  /** The workers' latest output, to analyze a failure. */
  tell(): void {
    for (const [i, { stdout, stderr }] of this.#workers.entries())
      process.stderr.write(
        [`worker ${i + 1} of ${this.#group}`, ...stdout.slice(-30), ...stderr, ''].join('\n'),
      );
  }

  async produce(): Promise<void> {
    const traffic = new Traffic({
      startsAt: Date.now(),
      stepMs: 20,
      idleMs: 3_600_000,
      random: new Random(7),
    });
    const sink = createKafkaSink({ brokers: cluster.direct, clientId: 'stages' });
    await sink.open();
    await sink.publish(
      Array.from({ length: 600 }, () => ({ ...traffic.next(), topic: this.#topics.events })),
    );
    await sink.close();
  }

  /** The group's committed offset; -1 if there is none. */
  async committed(): Promise<number> {
    const admin = new kafkajs.Kafka({ brokers: cluster.direct, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    const [offsets] = await admin.fetchOffsets({ groupId: this.#group, topics: [this.#topics.events] });
    await admin.disconnect();
    return Number(offsets?.partitions[0]?.offset);
  }

  /** The commit is decided before the response, and visible a moment later. */
  async hasCommitted(): Promise<void> {
    await waitFor(async () => (await this.committed()) > 0, { describe: 'the commit to be seen' });
  }

  async expectEachOnce(): Promise<void> {
    const { events, verdicts, 'dead-letters': deadLetters } = this.#topics;
    const records = await readTopic(cluster.direct, events);
    const expected = await expectedResults(events, records, detectionSettings(this.#settings));
    const found = async () =>
      foundResults(
        await readTopic(cluster.direct, verdicts, { count: expected.verdicts.length }),
        await readTopic(cluster.direct, deadLetters, {
          count: expected.deadLetters.length,
        }),
      );
    const differences = compare(expected, await found());
    expect(expected.verdicts.length).toBeGreaterThan(3);
    expect(isExact(differences) ? 'exact' : differences).toBe('exact');
  }
}
