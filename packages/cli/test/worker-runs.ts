import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { topicNames, verdictSchema } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { freePort, readTopic, spawnCli, tempDir, uniqueName } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';

const samplesDir = fileURLToPath(new URL('../../../samples', import.meta.url));

/** All sample sessions, a line of each in turn. */
export function interleavedSamples(): string[] {
  const files = readdirSync(samplesDir).filter((name) => name.endsWith('.events.jsonl'));
  const sessions = files.map((name) => readFileSync(join(samplesDir, name), 'utf8').trim().split('\n'));
  const longest = Math.max(...sessions.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => sessions.flatMap((lines) => lines[i] ?? [])).flat();
}

/** A file with these lines; removed after the test. */
export async function fileOf(lines: readonly string[]): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const file = join(dir.path, 'events.jsonl');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

/** Creates topics for one test. @returns their names and the settings for them */
export async function ownTopics(brokers: readonly string[], partitions = 3) {
  const prefix = `${uniqueName('cli')}.`;
  const topics = topicNames({ prefix });
  await ensureTopics({ brokers, clientId: 'test' }, topicSpecs(topics, { partitions }));
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
    LOOPWATCH_KAFKA_GROUP: prefix,
    LOOPWATCH_WORKER_PORT: String(await freePort()),
  };
  return { topics, env };
}

/** A connected worker; stopped after the test. */
export async function worker(env: Record<string, string>, ...flags: readonly string[]) {
  const process = spawnCli(['worker', ...flags], env);
  onTestFinished(async () => {
    await process.stop('SIGKILL');
  });
  await process.line(/Watching /);
  return process;
}

/** Verdict ids of a replay, by session. */
export async function replayed(file: string): Promise<string[]> {
  const replay = spawnCli(['replay', file, '--json']);
  await replay.exited;
  return replay.stdout.map((line) => verdictSchema.parse(JSON.parse(line)).id);
}

export async function publishedIds(
  brokers: readonly string[],
  topic: string,
  count: number,
): Promise<string[]> {
  const records = await readTopic(brokers, topic, { count });
  return records.map(({ value }) => verdictSchema.parse(JSON.parse(value ?? '')).id);
}
