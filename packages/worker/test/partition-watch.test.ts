import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createWorkerMetrics } from '../src/metrics.ts';
import { PartitionWatch, stuckDetail } from '../src/partition-watch.ts';
import { metric, records, startWorker, topics } from './fakes.ts';

const place = { topic: 'events', partition: 2 };

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
  watch.assign([place]);
  const at = (seconds: number, position: number | undefined, end: number | undefined) => {
    clock.now = seconds * 1000;
    watch.note({ ...place, position, end });
  };
  const sample = (name: string) => metric(registry, `loopwatch_${name}{topic="events",partition="2"}`);
  return { watch, at, lag: () => sample('consumer_lag'), stuck: () => sample('partition_stuck_seconds') };
}

describe('the watch over partitions', () => {
  it('tells the lag of one that stands still, from its last known position and the end as it grows', async () => {
    const { watch, at, lag, stuck } = watching();
    at(0, 10, 10);
    at(5, 10, 12);
    at(35, 10, 40);
    watch.interrupted(place, 'the record is too large');
    expect([await lag(), await stuck(), watch.stuck]).toEqual([30, 35, []]);
    at(64, undefined, undefined);
    expect([await lag(), await stuck()]).toEqual([30, 64]);
    expect(watch.stuck.map(stuckDetail)).toEqual([
      'events/2 has stood still at offset 10 for 64 s: the record is too large',
    ]);
  });

  it('heals when it moves, and when nothing is left to be read', async () => {
    const { watch, at, stuck } = watching();
    at(0, 10, 20);
    at(90, 11, 20);
    expect([await stuck(), watch.stuck]).toEqual([0, []]);
    at(180, 11, 20);
    expect(watch.stuck).toHaveLength(1);
    at(185, 11, 11);
    expect([await stuck(), watch.stuck]).toEqual([0, []]);
  });

  it('counts one that was never taken over', () => {
    const { watch, at } = watching();
    at(61, undefined, 5);
    expect(watch.stuck).toMatchObject([{ position: undefined, seconds: 61 }]);
  });

  it('forgets one that went to another worker, also when its last steps become durable later', async () => {
    const { watch, at, lag, stuck } = watching();
    at(0, 1, 9);
    watch.assign([]);
    at(90, 2, 9);
    expect([await lag(), await stuck(), watch.stuck]).toEqual([undefined, undefined, []]);
  });
});

describe('a worker with a partition that stands still', () => {
  it('is not ready, and says which, where and why, until it moves', async () => {
    const { worker, log, clock, registry } = await startWorker();
    const call = { sessionId: 's', type: 'content', text: 'x' };
    await log.deliver(records(0, [call]));
    log.ends.set(0, 7);
    await worker.look();
    clock.now += 61_000;
    await worker.look();
    expect(worker.status).toEqual({
      connected: false,
      detail: expect.stringMatching(/^test\.events\/0 has stood still at offset 1 for 61 s: /),
    });
    expect(await metric(registry, `loopwatch_consumer_lag{topic="${topics.events}",partition="0"}`)).toBe(6);
    await log.deliver(records(1, [call]));
    expect(worker.status.connected).toBe(true);
  });
});
