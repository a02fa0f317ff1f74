import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topicNames, verdictSchema } from '@loopwatch/contract';
import { freePort, readTopic, spawnCli, type TempDir, tempDir, uniqueName } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { install, pack, tarball } from './install.ts';

/** The newest version that the changelog gives a date. */
const [, released] =
  /^## (\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(
    readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'),
  ) ?? [];
/** As long as no version is released, the current one takes its place: then this tests restarts only. */
const title = `upgrade from ${released ?? 'the current version, because none is released'} and downgrade to it`;

describe(title, () => {
  const dirs: TempDir[] = [];
  const newDir = async () => {
    const dir = await tempDir('loopwatch-upgrade');
    dirs.push(dir);
    return dir.path;
  };
  let installed: Record<'old' | 'new', string>;
  let data: string;
  beforeAll(async () => {
    await pack();
    data = await newDir();
    const current = await newDir();
    await install(current, [tarball('loopwatch')]);
    installed = { old: current, new: current };
    if (released === undefined) return;
    installed.old = await newDir();
    await install(installed.old, [`loopwatch@${released}`]);
  });
  afterAll(() => Promise.all(dirs.map((dir) => dir.remove())));

  const run = (version: 'old' | 'new', args: readonly string[], env: Record<string, string> = {}) => {
    const cwd = installed[version];
    return spawnCli(args, env, { command: join(cwd, 'node_modules/.bin/loopwatch'), cwd });
  };
  const call = { type: 'tool_call_request', name: 'read_file', args: { path: 'a' } };
  const calls = (sessionId: string, count: number) =>
    Array.from({ length: count }, () => JSON.stringify({ id: uniqueName('call'), sessionId, ...call }));

  it('upgrade: a data folder keeps incidents and half-seen loops', async () => {
    const port = await freePort();
    const api = `http://localhost:${port}/api/v1`;
    const args = ['start', '--no-samples', '--port', String(port), '--data-dir', data];
    const post = async (lines: readonly string[]) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await fetch(`${api}/events`, { method: 'POST', headers, body: lines.join('\n') });
      expect(response.status).toBe(202);
    };
    const incidents = async () => {
      const { items } = (await (await fetch(`${api}/incidents`)).json()) as {
        items: { sessionId: string; action: string }[];
      };
      return items.map(({ sessionId }) => sessionId).toSorted();
    };
    const poll = (expected: readonly string[]) =>
      expect.poll(incidents, { timeout: 30_000 }).toEqual(expected);

    await using first = run('old', args);
    await first.line(/ is at http/, 60_000);
    await post([...calls('half', 3), ...calls('whole', 5)]);
    await poll(['whole']);
    expect(await first.stop()).toBe(0);

    await using second = run('new', args);
    await second.line(/ is at http/, 60_000);
    await poll(['whole']);
    await post(calls('half', 1));
    await poll(['half', 'whole']);
    expect(await second.stop()).toBe(0);

    await using third = run('old', args);
    // docs/releases.md: the old version reads the state of the new one, or says why it cannot.
    const line = await third.line(
      / is at http|which this version of Loopwatch does not know|has format/,
      60_000,
    );
    if (line.includes(' is at http')) await poll(['half', 'whole']);
  });

  it('upgrade: a worker on Kafka continues a session started by the other version', async () => {
    const brokers = inject('kafkaBrokers');
    const prefix = `${uniqueName('upgrade')}.`;
    const topics = topicNames({ prefix });
    const env = {
      KAFKA_BROKERS: brokers.join(','),
      LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
      LOOPWATCH_KAFKA_GROUP: prefix,
      LOOPWATCH_WORKER_PORT: String(await freePort()),
    };
    const done = async (version: 'old' | 'new', ...args: string[]) => {
      await using cli = run(version, args, env);
      expect(await cli.exited, cli.stderr.join('\n')).toBe(0);
    };
    /** Runs a worker of a version over these events until there are `count` verdicts. @returns those of `half` */
    const work = async (version: 'old' | 'new', lines: readonly string[], count: number) => {
      const file = join(data, 'events.jsonl');
      await writeFile(file, `${lines.join('\n')}\n`);
      await done(version, 'produce', file);
      await using worker = run(version, ['worker'], env);
      const records = await readTopic(brokers, topics.verdicts, { count, timeoutMs: 60_000 });
      expect(await worker.stop()).toBe(0);
      return records
        .map(({ value }) => verdictSchema.parse(JSON.parse(value ?? '')))
        .filter(({ sessionId }) => sessionId === 'half')
        .map(({ eventIndex, action }) => `${action} at ${eventIndex}`);
    };
    await done('old', 'topics');
    expect(await work('old', [...calls('half', 3), ...calls('whole', 5)], 2)).toEqual([]);
    expect(await work('new', calls('half', 1), 3)).toEqual(['chance at 3']);
    expect(await work('old', calls('half', 1), 4)).toEqual(['chance at 3', 'block at 4']);
  });
});
