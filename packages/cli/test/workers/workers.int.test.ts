import { type CliProcess, readTopic, spawnCli, waitFor } from '@loopwatch/testkit';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { fileOf, interleavedSamples, ownTopics, publishedIds, replayed } from '../worker-runs.ts';

interface Line {
  readonly msg: string;
  readonly worker?: number;
  readonly pid?: number;
  readonly partitions?: number;
}

/** A cluster of workers, with its processes, partitions and metrics. */
function startCluster(env: Record<string, string>, workers: number) {
  const running = spawnCli(['worker', '--threads', String(workers)], env);
  const lines = () => running.stdout.map((line) => JSON.parse(line) as Line);
  const pid = (worker: number) =>
    lines().findLast((line) => line.worker === worker && line.pid !== undefined)?.pid ?? -1;
  onTestFinished(async () => {
    for (let worker = 1; worker <= workers; worker += 1) end(pid(worker));
    await running.stop('SIGKILL');
  });
  /** The last reported partitions of each worker. */
  const owned = () =>
    Array.from({ length: workers }, (_, i) => {
      const own = lines().findLast(
        ({ worker, msg }) => worker === i + 1 && msg.startsWith('Partitions assigned'),
      );
      return own?.partitions ?? 0;
    });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${env['LOOPWATCH_WORKER_PORT']!}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const samples = async (name: string, label = '') => {
    const { text } = await get('/metrics');
    const rows = text
      .split('\n')
      .filter((row) => row.startsWith(`${name}{`) || row.startsWith(`${name} `))
      .filter((row) => row.includes(label));
    return rows.map((row) => Number(row.slice(row.lastIndexOf(' '))));
  };
  const sum = async (name: string, label?: string) =>
    (await samples(name, label)).reduce((total, value) => total + value, 0);
  const until = (what: string, condition: () => boolean | Promise<boolean>) =>
    waitFor(condition, {
      timeoutMs: 90_000,
      describe: () => `${what}; it said:\n${[...running.stdout, ...running.stderr].slice(-30).join('\n')}`,
    });
  return { running, pid, owned, get, samples, sum, until };
}

function end(pid: number): void {
  if (pid > 0 && alive(pid)) process.kill(pid, 'SIGKILL');
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function produced(events: readonly string[], env: Record<string, string>): Promise<void> {
  const produce: CliProcess = spawnCli(['produce', await fileOf(events)], env);
  expect(await produce.exited, produce.stderr.join('\n')).toBe(0);
}

/** Each worker process loads everything again, and the brokers notice the loss of one only after a while. */
describe('worker --threads', { timeout: 240_000 }, () => {
  let brokers: string[] = [];
  beforeAll(() => {
    brokers = inject('kafkaBrokers');
  });

  it('worker --threads: workers share the partitions, a killed one is restarted, and each verdict is published once', async () => {
    const { topics, env } = await ownTopics(brokers, 4);
    const events = interleavedSamples();
    const half = Math.floor(events.length / 2);
    const expected = await replayed(await fileOf(events));
    expect(expected.length).toBeGreaterThan(10);
    const { running, pid, owned, get, samples, sum, until } = startCluster(env, 2);
    await until('two partitions each', () => owned().every((partitions) => partitions === 2));
    await until('readiness', async () => (await get('/readyz')).status === 200);
    expect(JSON.parse((await get('/readyz')).text)).toEqual({
      status: 'ready',
      checks: {
        'worker 1': { ok: true, detail: 'connected' },
        'worker 2': { ok: true, detail: 'connected' },
      },
    });

    await produced(events.slice(0, half), env);
    await until('the first half', async () => (await sum('loopwatch_events_total')) === half);
    expect(await samples('loopwatch_consumer_lag')).toEqual([0, 0, 0, 0]);
    expect(await samples('process_resident_memory_bytes')).toHaveLength(2);

    const lost = await sum('loopwatch_events_total', 'worker="2"');
    const [victim, other] = [pid(2), pid(1)];
    process.kill(victim, 'SIGKILL');
    await until('the loss to be seen', async () => (await get('/readyz')).status === 503);
    await produced(events.slice(half), env);
    await until('another process', () => pid(2) !== victim);
    const ids = await publishedIds(brokers, topics.verdicts, expected.length);
    await until('two partitions each', () => owned().every((partitions) => partitions === 2));
    // The counters of a restarted worker start from 0, as those of any restarted process do.
    await until(
      'the second half',
      async () => (await sum('loopwatch_events_total')) === events.length - lost,
    );
    expect(await sum('loopwatch_worker_restarts_total')).toBe(1);
    expect(pid(1)).toBe(other);

    const [one, two] = [pid(1), pid(2)];
    expect(await running.stop('SIGTERM'), running.stderr.join('\n')).toBe(0);
    expect([one, two].filter(alive)).toEqual([]);
    expect(ids.toSorted()).toEqual(expected.toSorted());
    expect(await readTopic(brokers, topics.verdicts)).toHaveLength(expected.length);
  });

  it('worker --threads: workers shut down cleanly when their primary process is killed', async () => {
    const { env } = await ownTopics(brokers, 2);
    const { running, owned, pid, until } = startCluster(env, 2);
    await until('one partition each', () => owned().every((partitions) => partitions === 1));
    const pids = [pid(1), pid(2)];
    // The outputs are those of the workers too: they close with the last process.
    expect(await running.stop('SIGKILL')).toBe('SIGKILL');
    await until('all ended', () => !pids.some(alive));
    const said = running.stdout.map((line) => JSON.parse(line) as Line);
    for (const worker of [1, 2]) {
      expect(said.filter((line) => line.worker === worker).map(({ msg }) => msg)).toContain('Stopped');
    }
  });

  it('worker --threads: a warning names idle workers when there are more workers than partitions', async () => {
    const { env } = await ownTopics(brokers, 1);
    const { running } = startCluster(env, 2);
    expect(await running.line(/2 workers for 1 partition of/, 90_000)).toContain('"level":"warn"');
    expect(await running.stop('SIGINT')).toBe(0);
  });
});
