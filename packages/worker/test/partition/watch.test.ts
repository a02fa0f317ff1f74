import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { PartitionWatch, stuckDetail } from '../../src/partition/watch.ts';
import { createWorkerMetrics } from '../../src/report/metrics.ts';
import { metric, records, startWorker, topics } from '../fakes.ts';

const topicPartition = { topic: 'events', partition: 2 };

function watching() {
  const registry = new Registry();
  const clock = { now: 0 };
  const watch = new PartitionWatch(
    createWorkerMetrics(registry, {
      activeSessions: () => 0,
      incidents: () => ({ open: [], quiet: [], detectors: [], ages: [] }),
    }),
    () => clock.now,
  );
  watch.assign([topicPartition]);
  const at = (seconds: number, position: number | undefined, end: number | undefined) => {
    clock.now = seconds * 1000;
    watch.note({ ...topicPartition, position, end });
  };
  const sample = (name: string) => metric(registry, `loopwatch_${name}{topic="events",partition="2"}`);
  return { watch, at, lag: () => sample('consumer_lag'), stuck: () => sample('partition_stuck_seconds') };
}

describe('partition watch', () => {
  it('partition watch: while records are waiting it says up to when all are processed', () => {
    const { watch } = watching();
    expect(watch.readTo).toBeNull();
    watch.note({ ...topicPartition, position: 10, end: 40 }, 5_000);
    expect(watch.readTo).toBe(5_000);
    watch.note({ ...topicPartition, position: undefined, end: 50 });
    expect(watch.readTo).toBe(5_000);
    watch.note({ ...topicPartition, position: 50, end: 50 }, 9_000);
    expect(watch.readTo).toBeNull();
  });

  it('partition watch: lag of a stuck partition grows with the end of the log', async () => {
    const { watch, at, lag, stuck } = watching();
    at(0, 10, 10);
    at(5, 10, 12);
    at(35, 10, 40);
    watch.interrupted(topicPartition, 'the record is too large');
    expect([await lag(), await stuck(), watch.stuck]).toEqual([30, 35, []]);
    at(64, undefined, undefined);
    expect([await lag(), await stuck()]).toEqual([30, 64]);
    expect(watch.stuck.map(stuckDetail)).toEqual([
      'events/2 has been stuck at offset 10 for 64 s: the record is too large',
    ]);
  });

  it('partition watch: says for what reading waits', () => {
    const { watch, at } = watching();
    at(0, 10, 20);
    watch.note({
      ...topicPartition,
      position: 10,
      end: 20,
      waitsFor: 'a producer has not ended its transaction',
    });
    at(70, 10, 20);
    expect(watch.stuck.map(stuckDetail)).toEqual([
      'events/2 has been stuck at offset 10 for 70 s: a producer has not ended its transaction',
    ]);
  });

  it('partition watch: a stuck partition recovers when it moves or has no lag', async () => {
    const { watch, at, stuck } = watching();
    at(0, 10, 20);
    at(90, 11, 20);
    expect([await stuck(), watch.stuck]).toEqual([0, []]);
    at(180, 11, 20);
    expect(watch.stuck).toHaveLength(1);
    at(185, 11, 11);
    expect([await stuck(), watch.stuck]).toEqual([0, []]);
  });

  it('partition watch: a partition that never recovered is stuck', () => {
    const { watch, at } = watching();
    at(61, undefined, 5);
    expect(watch.stuck).toMatchObject([{ position: undefined, seconds: 61 }]);
  });

  it('partition watch: a revoked partition is removed, even if its last steps are committed later', async () => {
    const { watch, at, lag, stuck } = watching();
    at(0, 1, 9);
    watch.assign([]);
    at(90, 2, 9);
    expect([await lag(), await stuck(), watch.stuck]).toEqual([undefined, undefined, []]);
  });
});

describe('a worker with a stuck partition', () => {
  it('a worker with a stuck partition is not ready and reports partition, offset and reason', async () => {
    const { worker, log, clock, registry } = await startWorker();
    const call = { sessionId: 's', type: 'content', text: 'x' };
    await log.deliver(records(0, [call]));
    log.ends.set(0, 7);
    await worker.updatePositions();
    clock.now += 61_000;
    await worker.updatePositions();
    expect(worker.status).toEqual({
      connected: false,
      detail: expect.stringMatching(/^test\.events\/0 has been stuck at offset 1 for 61 s: /),
    });
    expect(await metric(registry, `loopwatch_consumer_lag{topic="${topics.events}",partition="0"}`)).toBe(6);
    await log.deliver(records(1, [call]));
    expect(worker.status.connected).toBe(true);
  });
});
