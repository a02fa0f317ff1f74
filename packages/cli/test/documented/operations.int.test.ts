import { readTopic, requireJars, waitFor } from '@loopwatch/testkit';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, inject } from 'vitest';
import { folderOf } from '../scan/histories.ts';
import { ownTopics, worker } from '../worker-runs.ts';
import { type Check, once, shellBlocks, testBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';

const call = (sessionId: string): string =>
  JSON.stringify({ sessionId, type: 'tool_call_request', name: 'read_file', args: { path: 'a' } });

/** Topics of a test, with what maps a page's commands to them. */
async function kafkaOf(partitions: number) {
  const brokers = inject('kafkaBrokers');
  const { topics, env } = await ownTopics(brokers, partitions);
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  return {
    brokers,
    topics,
    env: { ...env, KAFKA_JARS: await requireJars() },
    mapped: (commands: string) =>
      commands
        .replaceAll('localhost:9092', brokers.join(','))
        .replaceAll(/\bloopwatch\.(?=events|dead-letters)/g, env.LOOPWATCH_KAFKA_TOPICS_PREFIX),
    send: async (topic: string, partition: number, values: readonly string[], headers = {}) => {
      await producer.send({ topic, messages: values.map((value) => ({ value, partition, headers })) });
    },
    [Symbol.asyncDispose]: () => producer.disconnect(),
  };
}

const inspectDeadLetters = once(async (commands) => {
  await using kafka = await kafkaOf(1);
  const headers = { 'loopwatch-error-code': 'not_json' };
  await kafka.send(kafka.topics['dead-letters'], 0, ['no JSON'], headers);
  const ran = await runDocumented(kafka.mapped(commands), {
    folder: await folderOf({}),
    env: kafka.env,
    running: { output: /loopwatch-error-code:not_json\tno JSON/, check: () => Promise.resolve() },
  });
  expect(ran.stderr).not.toMatch(/exception/i);
});

const monitoring: Record<string, Check> = {
  'Log lines': async (commands) => {
    const { env } = await ownTopics(inject('kafkaBrokers'), 1);
    const running = await worker(env);
    const folder = await folderOf({});
    const logged = () =>
      [...running.stdout, ...running.stderr].filter((text) => text.includes('logging at level debug'));
    // In a pod, the process has the id 1.
    const signals = commands
      .replace("-USR2 1'", `-USR2 ${String(running.pid)}'`)
      .replace('PID', String(running.pid));
    const [first = '', second = ''] = signals.trim().split('\n');
    expect((await runDocumented(first, { folder })).nonZero).toEqual([]);
    await running.line(/logging at level debug/);
    expect((await runDocumented(second, { folder })).nonZero).toEqual([]);
    await waitFor(() => logged().length === 2);
  },
};

const operations: Record<string, Check> = {
  'Dead letters': async (commands) => {
    await using kafka = await kafkaOf(6);
    const { events } = kafka.topics;
    // The printed offset is that of the event of session 399.
    await kafka.send(
      events,
      4,
      Array.from({ length: 700 }, (_, i) => call(String(i))),
    );
    const ran = await runDocumented(kafka.mapped(commands), { folder: await folderOf({}), env: kafka.env });
    expect(ran.nonZero).toEqual([]);
    const resent = (await readTopic(kafka.brokers, events, { count: 950 })).filter(({ key }) => key !== null);
    const sessions = resent.map(({ key }) => Number(key)).toSorted((a, b) => a - b);
    expect(sessions).toEqual(Array.from({ length: 250 }, (_, i) => 399 + i));
  },
  'Dead letters (2)': inspectDeadLetters,
};

const runbooks: Record<string, Check> = {
  Runbooks: async (commands) => {
    const { env } = await ownTopics(inject('kafkaBrokers'), 6);
    const folder = await folderOf({});
    const ran = await runDocumented(commands, {
      folder,
      env: { ...env, LOOPWATCH_STORAGE_DATA_DIR: folder },
    });
    expect(ran.stdout).toMatch(/^ok +Kafka on .* answers$/m);
    expect(ran.nonZero).toEqual([]);
  },
  DeadLetters: inspectDeadLetters,
};

/** Two sessions, of which one loops. */
const recorded = [...Array.from({ length: 5 }, () => call('loops')), call('works')].join('\n');
const labels = ['{"sessionId":"loops","verdict":"loop"}', '{"sessionId":"works","verdict":"not_loop"}'].join(
  '\n',
);

const balanced: Record<string, Check> = {
  'How to measure': async (commands) => {
    const data = { 'FOLDER/own.events.jsonl': recorded };
    const folder = await folderOf({ ...data, 'events.jsonl': recorded, 'labels.jsonl': labels });
    const ran = await runDocumented(commands, { folder, env: { LOOPWATCH_SHARED_DATA: `${folder}/FOLDER` } });
    expect(ran.nonZero).toEqual([]);
    expect(ran.stdout.match(/^\| tool-repeat +\| [01] /gm)).toHaveLength(3);
    expect(ran.stdout).toMatch(/^\| tool-repeat +\| 1 .* 100\.0 % +\| 100\.0 % /m);
  },
};

const loopbench: Record<string, Check> = {
  'Run it': async (commands) => {
    // The other tools and the public runs are large downloads.
    const lines = commands.split('\n').filter((line) => !/--rivals|-- fetch/.test(line));
    expect(lines.length).toBe(commands.split('\n').length - 2);
    const folder = await folderOf({ 'FOLDER/own.events.jsonl': recorded });
    const ran = await runDocumented(lines.join('\n'), { folder });
    expect(ran.nonZero).toEqual([]);
    expect(ran.stdout).toMatch(/^\| Loopwatch, balanced \|[\s\S]*^\{"contender":/m);
  },
};

const pages = [
  { page: 'docs/monitoring.md', checks: monitoring },
  { page: 'docs/operations.md', checks: operations },
  { page: 'docs/runbooks.md', checks: runbooks },
  { page: 'docs/detectors/balanced.md', checks: balanced },
  { page: 'docs/loopbench.md', checks: loopbench },
];

describe.each(pages)('commands in $page', ({ page, checks }) =>
  testBlocks(checks, shellBlocks(import.meta.url, page)),
);
