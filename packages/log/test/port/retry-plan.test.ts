import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommitQueue } from '../../src/port/commit-queue.ts';
import { BytesRecord } from '../../src/port/records.ts';
import { RetryPlan } from '../../src/port/retry-plan.ts';
import type { PartitionTask, TaskBatch } from '../../src/port/task.ts';

const topicPartition = { topic: 'events', partition: 0 };

function batchOf(from: number, to: number): TaskBatch {
  const records = Array.from({ length: to - from }, (_, i) => {
    const bytes = { key: null, value: Buffer.from('v'), headers: {} };
    return new BytesRecord({ offset: from + i, timestamp: 0, ...bytes });
  });
  return { ...topicPartition, records, next: to, lag: 0 };
}

/** Runs attempts until all records are committed or the plan is stuck; `fails` names the records that cannot be processed or written. */
async function lives(
  count: number,
  fails: { process?: (offset: number) => boolean; write?: (offset: number) => boolean; letter?: boolean },
) {
  const plan = new RetryPlan();
  const durable: string[] = [];
  let position = 0;
  let failures = 0;
  while (position < count && !plan.isStuck && failures < 1_000) {
    const lane = new CommitQueue(({ outputs, position: at }) => {
      const refused = outputs.some(
        ({ key, value }) => (value === 'letter' ? fails.letter : fails.write?.(Number(key))) ?? false,
      );
      if (refused) return Promise.reject(new Error('refused'));
      durable.push(...outputs.map(({ key, value }) => `${String(key)}:${String(value)}`));
      position = at;
      plan.advanced(at);
      return Promise.resolve();
    });
    const task: PartitionTask = {
      restore: () => undefined,
      replay: () => Promise.resolve(),
      ready: () => undefined,
      close: () => undefined,
      process: ({ records, next }) => {
        const outputs = records.map(({ offset, rejection }) => {
          if (rejection === undefined && fails.process?.(offset) === true) throw new TypeError('a bug');
          return { topic: 'out', key: String(offset), value: rejection === undefined ? 'ok' : 'letter' };
        });
        lane.commit({ position: next, resumeFrom: next, outputs, state: [] }).catch(() => undefined);
        return Promise.resolve();
      },
    };
    try {
      const processing = plan.process(batchOf(position, count), task, lane);
      await Promise.race([processing, lane.failed]);
      await lane.drain();
      await Promise.race([lane.failed, Promise.resolve()]);
    } catch (error) {
      failures += 1;
      expect(['TypeError: a bug', 'Error: refused']).toContain(String(error));
      plan.failed(position, count, String(error));
    }
  }
  return { durable, position, failures, isStuck: plan.isStuck };
}

const result = (count: number, bad: ReadonlySet<number>) =>
  Array.from({ length: count }, (_, i) => `${String(i)}:${bad.has(i) ? 'letter' : 'ok'}`);

describe('RetryPlan', () => {
  it.each(['process', 'write'] as const)(
    'isolates and rejects exactly the failing records: %s',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 400 }),
          fc.uniqueArray(fc.nat(399), { maxLength: 4 }),
          async (count, offsets) => {
            const bad = new Set(offsets.filter((offset) => offset < count));
            const { durable, position, failures } = await lives(count, {
              [kind]: (offset: number) => bad.has(offset),
            });
            expect(position).toBe(count);
            expect(durable).toEqual(result(count, bad));
            expect(failures).toBeLessThanOrEqual(bad.size * 10);
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('stops the partition without skipping records when their dead letters cannot be written either', async () => {
    const { durable, position, isStuck } = await lives(100, {
      write: (offset) => offset === 60,
      letter: true,
    });
    expect(isStuck).toBe(true);
    expect(position).toBe(60);
    expect(durable).toEqual(result(60, new Set()));
  });

  it('needs ten attempts to isolate one of 5,000 records', async () => {
    const { failures } = await lives(5_000, { process: (offset) => offset === 4_321 });
    expect(failures).toBeLessThanOrEqual(10);
  });
});
