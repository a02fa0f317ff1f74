import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { WorkerCluster, type WorkerProcess } from '../../src/workers/worker-cluster.ts';

/** A worker process under the control of a test. */
class FakeProcess extends EventEmitter implements WorkerProcess {
  readonly signals: string[] = [];
  readonly process: WorkerProcess['process'];

  constructor(pid: number) {
    super();
    this.process = {
      pid,
      kill: (signal) => {
        this.signals.push(signal);
        if (signal === 'SIGKILL') this.exit(null, signal);
        return true;
      },
    };
  }

  report(ok = true, detail = 'connected'): void {
    this.emit('message', { kind: 'worker-report', ok, detail });
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
  }
}

/** A started cluster, the processes it forked for each worker, and the lines it logged. */
function startCluster(workers: number) {
  const processes: FakeProcess[][] = Array.from({ length: workers }, () => []);
  const lines: { level: string; msg: string; worker?: number }[] = [];
  const logger = pino(
    { formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  let pid = 100;
  const cluster = new WorkerCluster({
    workers,
    fork: (number) => {
      const fake = new FakeProcess(pid++);
      processes[number - 1]!.push(fake);
      return fake;
    },
    logger,
  });
  cluster.start();
  const latest = (number: number) => processes[number - 1]!.at(-1)!;
  const forks = () => processes.map(({ length }) => length);
  const errors = () => lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
  return { cluster, latest, forks, errors };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('worker cluster: restarts only the worker that exited, and counts the restart', async () => {
  const { cluster, latest, forks, errors } = startCluster(2);
  for (const number of [1, 2]) latest(number).report();
  await cluster.firstConnected;
  latest(2).exit(null, 'SIGKILL');
  await vi.advanceTimersByTimeAsync(499);
  expect(forks()).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(forks()).toEqual([1, 2]);
  expect(errors()).toEqual(['Worker 2 exited (SIGKILL), restarting in 0.5 s']);
  expect(await cluster.metrics()).toContain('loopwatch_worker_restarts_total 1');
});

it('worker cluster: doubles the restart delay up to 30 s', async () => {
  const { latest, errors } = startCluster(1);
  for (let exits = 0; exits < 8; exits += 1) {
    latest(1).exit(1);
    await vi.advanceTimersByTimeAsync(30_000);
  }
  const delays = errors().map((line) => Number(/in (.*) s$/.exec(line)?.[1]));
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
});

it('worker cluster: restarts quickly again after a minute of stable work', async () => {
  const { latest, errors } = startCluster(1);
  latest(1).exit(1);
  await vi.advanceTimersByTimeAsync(500);
  latest(1).exit(1);
  await vi.advanceTimersByTimeAsync(1_000);
  for (let second = 0; second < 61; second += 1) {
    latest(1).report();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  latest(1).exit(1);
  expect(errors().at(-1)).toBe('Worker 1 exited (exit status 1), restarting in 0.5 s');
});

it('worker cluster: fails when every worker rejects the configuration', async () => {
  const { cluster, latest } = startCluster(2);
  const failed = cluster.failed.catch((error: unknown) => error);
  for (const number of [1, 2]) latest(number).exit(2);
  expect(await failed).toBeInstanceOf(UsageError);
  await cluster.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it.each<[what: string, isFirstConnected: boolean, firstCode: number, secondCode: number | null]>([
  ['a worker was connected before', true, 2, 2],
  ['a worker exits for another reason', false, 2, 1],
  ['a signal ends a worker', false, 2, null],
])('worker cluster: keeps restarting when %s', async (_what, isFirstConnected, firstCode, secondCode) => {
  const { latest, forks } = startCluster(2);
  if (isFirstConnected) latest(1).report();
  latest(1).exit(firstCode);
  latest(2).exit(secondCode, secondCode === null ? 'SIGKILL' : null);
  await vi.advanceTimersByTimeAsync(500);
  expect(forks()).toEqual([2, 2]);
});

it('worker cluster: readiness names each worker and why it is not ready', async () => {
  const { cluster, latest } = startCluster(5);
  latest(3).report();
  await vi.advanceTimersByTimeAsync(5_500);
  latest(1).report();
  latest(2).report(false, 'Kafka is unavailable');
  latest(4).exit(1);
  expect(await cluster.readiness()).toEqual({
    'worker 1': { ok: true, detail: 'connected' },
    'worker 2': { ok: false, detail: 'Kafka is unavailable' },
    'worker 3': { ok: false, detail: 'not responding' },
    'worker 4': { ok: false, detail: 'exited (exit status 1), restarting in 0.5 s' },
    'worker 5': { ok: false, detail: 'starting' },
  });
});

it('worker cluster: kills a worker that has not reported for a minute', async () => {
  const { latest, forks, errors } = startCluster(2);
  latest(1).report();
  latest(2).report();
  for (let second = 0; second < 61; second += 1) {
    latest(2).report();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(errors()[0]).toBe('Worker 1 has not responded for 60 s; killing it');
  expect(forks()).toEqual([2, 1]);
});

it('worker cluster: stop passes SIGTERM on once, waits for every process, and restarts none', async () => {
  const { cluster, latest, forks } = startCluster(3);
  latest(3).exit(1);
  const stopping = cluster.stop();
  expect([1, 2, 3].map((number) => latest(number).signals)).toEqual([['SIGTERM'], ['SIGTERM'], []]);
  latest(1).exit(0);
  await vi.advanceTimersByTimeAsync(28_000);
  const waiting = Promise.resolve('still waiting');
  await expect(Promise.race([stopping, waiting])).resolves.toBe('still waiting');
  // The signal itself ends a worker that is still loading.
  latest(2).exit(null, 'SIGTERM');
  await stopping;
  expect(cluster.stoppedCleanly).toBe(true);
  expect(forks()).toEqual([1, 1, 1]);
  expect(vi.getTimerCount()).toBe(0);
});

it('worker cluster: stop kills a worker that does not exit', async () => {
  const { cluster, latest, errors } = startCluster(1);
  const stopping = cluster.stop();
  await vi.advanceTimersByTimeAsync(29_000);
  await stopping;
  expect(latest(1).signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(errors()).toEqual(['Worker 1 did not shut down cleanly: SIGKILL']);
});

it('worker cluster: stop reports a worker that did not shut down cleanly', async () => {
  const { cluster, latest, errors } = startCluster(2);
  const stopping = cluster.stop();
  latest(1).exit(1);
  latest(2).exit(0);
  await stopping;
  expect(cluster.stoppedCleanly).toBe(false);
  expect(errors()).toEqual(['Worker 1 did not shut down cleanly: exit status 1']);
});

it('worker cluster: passes the debug signal only to workers that are connected', () => {
  const { cluster, latest } = startCluster(2);
  latest(1).report();
  cluster.passDebugSignal();
  expect([latest(1).signals, latest(2).signals]).toEqual([['SIGUSR2'], []]);
});
