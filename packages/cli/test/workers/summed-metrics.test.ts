import { createWorkerMetrics, type WorkerMetrics } from '@loopwatch/worker';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { processRegistry } from '../../src/runtime/registry.ts';
import { summedMetrics, withEnded } from '../../src/workers/summed-metrics.ts';
import { type Snapshot, snapshotSchema } from '../../src/workers/worker-messages.ts';

/** What a worker gives for its metrics after `use` of them. */
async function snapshot(use: (metrics: WorkerMetrics) => void, sessions = 0): Promise<Snapshot> {
  const registry = new Registry();
  use(
    createWorkerMetrics(registry, {
      activeSessions: () => sessions,
      incidents: () => ({ open: [], quiet: [], detectors: [], ages: [] }),
    }),
  );
  return snapshotSchema.parse(structuredClone(await registry.getMetricsAsJSON()));
}

/** The samples by what stands before their value; those of `prefix` only. */
async function samples(snapshots: readonly Snapshot[], prefix: string): Promise<Record<string, number>> {
  const text = await summedMetrics(snapshots).metrics();
  const lines = text.split('\n').filter((line) => line.startsWith(prefix));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

describe('the metrics of several workers', () => {
  it('are the sums of counters, by label', async () => {
    const one = await snapshot(({ events }) => {
      events.inc({ type: 'content' }, 3);
      events.inc({ type: 'other' }, 1);
    });
    const two = await snapshot(({ events }) => events.inc({ type: 'content' }, 4));
    expect(await samples([one, two], 'loopwatch_events_total')).toEqual({
      'loopwatch_events_total{type="content"}': 7,
      'loopwatch_events_total{type="other"}': 1,
    });
  });

  it('are the sums of histograms, bucket by bucket and in order', async () => {
    const one = await snapshot(({ recoveryDuration }) => recoveryDuration.observe(0.02));
    const two = await snapshot(({ recoveryDuration }) => {
      recoveryDuration.observe(0.3);
      recoveryDuration.observe(100);
    });
    const found = await samples([one, two], 'loopwatch_recovery_duration_seconds');
    expect(Object.values(found)).toEqual([0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 100.32, 3]);
    expect(found['loopwatch_recovery_duration_seconds_bucket{le="+Inf"}']).toBe(3);
  });

  it('count what each of them holds, and show the lag of a partition once while it changes hands', async () => {
    const lag = (partition: string, value: number) => (metrics: WorkerMetrics) =>
      metrics.consumerLag.set({ topic: 'e', partition }, value);
    const old = await snapshot(lag('0', 40), 3);
    const owner = await snapshot(lag('0', 45), 4);
    const other = await snapshot(lag('1', 7), 5);
    expect(await samples([old, owner, other], 'loopwatch_active_sessions')).toEqual({
      loopwatch_active_sessions: 12,
    });
    expect(await samples([old, owner, other], 'loopwatch_consumer_lag')).toEqual({
      'loopwatch_consumer_lag{topic="e",partition="0"}': 45,
      'loopwatch_consumer_lag{topic="e",partition="1"}': 7,
    });
  });

  it('keep those of Node for each process, its start included', async () => {
    const workers = ['1', '2', 'supervisor'];
    const snapshots = await Promise.all(
      workers.map(async (worker) =>
        snapshotSchema.parse(structuredClone(await processRegistry({ worker }).getMetricsAsJSON())),
      ),
    );
    for (const name of [
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      const found = await samples(snapshots, `${name}{`);
      expect(Object.keys(found)).toEqual(workers.map((worker) => `${name}{worker="${worker}"}`));
    }
  });
});

describe('what an ended process counted', () => {
  it('stays in the sums, what it held does not', async () => {
    const counted = (n: number, sessions: number) =>
      snapshot((metrics) => {
        metrics.blocks.inc(n);
        metrics.batchDuration.observe(n);
        metrics.consumerLag.set({ topic: 'e', partition: '0' }, n);
      }, sessions);
    const first = await withEnded([], await counted(2, 10));
    const both = await withEnded(first, await counted(3, 20));
    const found = await samples([both, await counted(1, 5)], 'loopwatch_');
    expect(found).toMatchObject({
      loopwatch_blocks_total: 6,
      loopwatch_batch_duration_seconds_count: 3,
      loopwatch_batch_duration_seconds_sum: 6,
      loopwatch_active_sessions: 5,
      'loopwatch_consumer_lag{topic="e",partition="0"}': 1,
    });
    expect(both.map(({ name }) => name)).not.toContain('loopwatch_active_sessions');
  });
});
