import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { topicNames, verdictSchema } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { freePort, readTopic, spawnCli, uniqueName } from '@loopwatch/testkit';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import * as z from 'zod';

/** Runs of real agents and streams of real models, which are not in the repository. */
const data = resolve(process.env['LOOPWATCH_SHARED_DATA'] ?? '../shared/data');
const trajectories = join(data, 'trajectories');

function events(): string[] {
  if (!existsSync(trajectories))
    throw new Error(`No traces in ${data}: set LOOPWATCH_SHARED_DATA to their folder`);
  return readdirSync(trajectories).filter((name) => name.endsWith('.events.jsonl.gz'));
}

function jsonLines(file: string): unknown[] {
  const text = gunzipSync(readFileSync(join(data, file))).toString('utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const ids = (lines: readonly string[]) =>
  lines.map((line) => verdictSchema.parse(JSON.parse(line)).id).toSorted();

describe('real runs of agents', () => {
  it.each(events())('%s: a worker on Kafka publishes the verdicts of a replay', async (name) => {
    const file = join(trajectories, name);
    const replay = spawnCli(['replay', file, '--json']);
    expect([0, 3]).toContain(await replay.exited);

    const brokers = inject('kafkaBrokers');
    const prefix = `${uniqueName('traces')}.`;
    const topics = topicNames({ prefix });
    await ensureTopics({ brokers, clientId: 'test' }, topicSpecs(topics, { partitions: 3 }));
    const env = {
      KAFKA_BROKERS: brokers.join(','),
      LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
      LOOPWATCH_KAFKA_GROUP: prefix,
      LOOPWATCH_WORKER_PORT: String(await freePort()),
    };
    const worker = spawnCli(['worker'], env);
    onTestFinished(async () => {
      await worker.stop('SIGKILL');
    });
    await worker.line(/Watching /);
    expect(await spawnCli(['produce', file], env).exited).toBe(0);
    const count = replay.stdout.length;
    const published = await readTopic(brokers, topics.verdicts, { count });
    expect(await worker.stop()).toBe(0);
    expect(published.map(({ value }) => verdictSchema.parse(JSON.parse(value ?? '')).id).toSorted()).toEqual(
      ids(replay.stdout),
    );
  });
});

describe('real streams of small models', () => {
  const stream = z.object({ chunks: z.array(z.string()), seedRuleFires: z.boolean() });
  const streams = jsonLines('streams/small-models.jsonl.gz').map((line) => stream.parse(line));

  it.each(streams.map((entry, i) => [i, entry] as const))(
    'model stream %i: fires only where the seed rule fires',
    (_, { chunks, seedRuleFires }) => {
      const analyzer = createSessionAnalyzer({ preset: 'stream' });
      const verdicts = chunks.flatMap((text) => analyzer.push({ type: 'content', text }));
      expect(verdicts.some(({ phase }) => phase === 'opened')).toBe(seedRuleFires);
    },
  );
});
