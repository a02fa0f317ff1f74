import { pino } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { Supervisor } from '../../src/workers/supervisor.ts';
import { type Answers, snapshotSchema } from '../../src/workers/worker-messages.ts';
import type { ProcessEnd, WorkerProcess } from '../../src/workers/worker-process.ts';

/** A worker process that does what the test says. */
class FakeProcess implements WorkerProcess {
  readonly pid: number;
  readonly killed: string[] = [];
  readonly events: Counter;
  readonly sessions: Gauge;
  status = { connected: true, detail: 'connected' };
  hangs = false;
  markReady!: () => void;
  readonly ready = new Promise<void>((resolve) => {
    this.markReady = resolve;
  });
  end!: (how: Partial<ProcessEnd>) => void;
  readonly ended = new Promise<ProcessEnd>((resolve) => {
    this.end = (how) => resolve({ code: null, signal: null, ...how });
  });
  readonly #registry = new Registry();

  constructor(pid: number) {
    this.pid = pid;
    const registers = [this.#registry];
    this.events = new Counter({ name: 'events_total', help: 'Events.', registers });
    this.sessions = new Gauge({ name: 'sessions', help: 'Sessions.', registers });
  }

  async ask<K extends keyof Answers>(what: K): Promise<Answers[K] | undefined> {
    if (this.hangs) return undefined;
    const metrics = snapshotSchema.parse(await this.#registry.getMetricsAsJSON());
    const answers: Answers = { status: this.status, metrics };
    return answers[what];
  }

  kill(signal: NodeJS.Signals): void {
    this.killed.push(signal);
    if (signal === 'SIGKILL') this.end({ signal });
  }
}

/** A supervisor with the processes it started for each worker, and what it logged. */
function supervise(workers = 2) {
  const processes: FakeProcess[][] = Array.from({ length: workers }, () => []);
  const lines: { level: string; msg: string; worker?: number }[] = [];
  const logger = pino(
    { formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  let pid = 100;
  const supervisor = new Supervisor({
    workers,
    fork: (worker) => {
      const fake = new FakeProcess(pid++);
      processes[worker - 1]!.push(fake);
      return fake;
    },
    registry: new Registry(),
    logger,
    now: () => Date.now(),
  });
  const latest = (worker: number) => processes[worker - 1]!.at(-1)!;
  const sample = async (name: string) => {
    const text = await supervisor.metrics();
    return Number(text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1]);
  };
  supervisor.start();
  return { supervisor, processes, latest, lines, sample };
}

/** Lets what is under way come to rest. */
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a supervisor', () => {
  it('replaces a process that ended, and only that one', async () => {
    const { processes, latest, lines, sample } = supervise();
    for (const worker of [1, 2]) latest(worker).markReady();
    await settle();
    latest(2).end({ signal: 'SIGKILL' });
    await vi.advanceTimersByTimeAsync(499);
    expect(processes.map(({ length }) => length)).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(processes.map(({ length }) => length)).toEqual([1, 2]);
    expect(await sample('loopwatch_worker_restarts_total')).toBe(1);
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { worker: 2, msg: 'Worker 2 ended (SIGKILL); another one starts in 0.5 s' },
    ]);
  });

  it('waits longer after each failure, and not after a minute of good work', async () => {
    const { processes, latest } = supervise(1);
    latest(1).end({ code: 1 });
    await vi.advanceTimersByTimeAsync(500);
    latest(1).end({ code: 1 });
    await vi.advanceTimersByTimeAsync(999);
    expect(processes[0]).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(processes[0]).toHaveLength(3);
    latest(1).markReady();
    await vi.advanceTimersByTimeAsync(60_000);
    latest(1).end({ code: 1 });
    await vi.advanceTimersByTimeAsync(500);
    expect(processes[0]).toHaveLength(4);
  });

  it('gives up when no worker can use the configuration', async () => {
    const { supervisor, latest } = supervise();
    const failed = supervisor.failed.catch((error: unknown) => error);
    for (const worker of [1, 2]) latest(worker).end({ code: 2 });
    expect(await failed).toBeInstanceOf(UsageError);
    await supervisor.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says of each worker whether it is ready, and why not', async () => {
    const { supervisor, latest } = supervise(5);
    for (const worker of [1, 2, 3]) latest(worker).markReady();
    latest(2).status = { connected: false, detail: 'broker gone' };
    latest(3).hangs = true;
    latest(4).status = { connected: false, detail: 'Kafka is unavailable' };
    latest(5).end({ code: 1 });
    await settle();
    expect(await supervisor.readiness()).toEqual({
      'worker 1': { ok: true, detail: 'connected' },
      'worker 2': { ok: false, detail: 'broker gone' },
      'worker 3': { ok: false, detail: 'does not answer' },
      'worker 4': { ok: false, detail: 'Kafka is unavailable' },
      'worker 5': { ok: false, detail: 'ended (exit status 1); another one starts in 0.5 s' },
    });
  });

  it('shows sums that never fall, whatever becomes of the processes', async () => {
    const { latest, sample } = supervise();
    latest(1).events.inc(10);
    latest(1).sessions.set(3);
    latest(2).events.inc(5);
    latest(2).sessions.set(4);
    expect([await sample('events_total'), await sample('sessions')]).toEqual([15, 7]);
    latest(2).hangs = true;
    expect([await sample('events_total'), await sample('sessions')]).toEqual([15, 7]);
    latest(2).end({ signal: 'SIGKILL' });
    await settle();
    expect([await sample('events_total'), await sample('sessions')]).toEqual([15, 3]);
    await vi.advanceTimersByTimeAsync(500);
    latest(2).events.inc(1);
    expect(await sample('events_total')).toBe(16);
  });

  it('ends a process that has not answered for a minute', async () => {
    const { processes, latest, lines } = supervise();
    for (const worker of [1, 2]) latest(worker).markReady();
    latest(1).hangs = true;
    await vi.advanceTimersByTimeAsync(50_000);
    latest(1).hangs = false;
    await vi.advanceTimersByTimeAsync(10_000);
    latest(1).hangs = true;
    await vi.advanceTimersByTimeAsync(59_999);
    expect(latest(1).killed).toEqual([]);
    await vi.advanceTimersByTimeAsync(501);
    expect(processes.map(([first, ...more]) => [first!.killed, more.length])).toEqual([
      [['SIGKILL'], 1],
      [[], 0],
    ]);
    expect(lines.map(({ msg }) => msg)).toContain('Worker 1 has not answered for 60 s and is ended');
  });
});

describe('a supervisor that is stopped', () => {
  it('passes the signal on once, waits for every process, and starts none', async () => {
    const { supervisor, processes, latest } = supervise(3);
    latest(3).end({ code: 1 });
    await settle();
    let stopped = false;
    const stopping = supervisor.stop().then(() => {
      stopped = true;
    });
    expect(processes.map(([first]) => first!.killed)).toEqual([['SIGTERM'], ['SIGTERM'], []]);
    latest(1).end({ code: 0 });
    await settle();
    expect(stopped).toBe(false);
    // Still loading: the signal itself ended it.
    latest(2).end({ signal: 'SIGTERM' });
    await stopping;
    expect(supervisor.clean).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(processes.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(await supervisor.readiness()).toMatchObject({ 'worker 1': { ok: false, detail: 'stopped' } });
  });

  it('says which process did not end in order', async () => {
    const { supervisor, latest, lines } = supervise();
    const stopping = supervisor.stop();
    latest(1).end({ code: 1 });
    latest(2).end({ code: 0 });
    await stopping;
    expect(supervisor.clean).toBe(false);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      worker: 1,
      msg: 'Worker 1 did not shut down cleanly: exit status 1',
    });
  });

  it('leaves no process behind when it has to end before they have', async () => {
    const before = process.listeners('exit');
    const { supervisor, latest } = supervise();
    const stopping = supervisor.stop();
    const [onExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
    onExit!(1);
    await stopping;
    expect([latest(1).killed, latest(2).killed]).toEqual([
      ['SIGTERM', 'SIGKILL'],
      ['SIGTERM', 'SIGKILL'],
    ]);
    expect(process.listeners('exit')).toEqual(before);
  });
});
