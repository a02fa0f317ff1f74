import { expect, it } from 'vitest';
import { BytesRecord, type PartitionTask, type Step } from '../../src/index.ts';
import { TaskLoop } from '../../src/port/task-loop.ts';

const record = new BytesRecord({ offset: 0, timestamp: 0, key: null, value: Buffer.from('a'), headers: {} });
const never = () => new Promise<never>(() => undefined);

/** A partition with one record, on which this is done with the steps of each attempt. */
async function attempts(...writes: readonly ((step: Step) => Promise<void>)[]) {
  const reasons: string[] = [];
  const written: Step[] = [];
  let opened = 0;
  const loop = new TaskLoop(
    { topic: 't', partition: 0 },
    {
      log: undefined,
      observer: { onInterrupted: (_, reason) => reasons.push(reason) },
      stalledAfterMs: 50,
      open: (_, lane): PartitionTask => ({
        restore: () => undefined,
        replay: () => Promise.resolve(),
        ready: () => undefined,
        process: ({ next }) => {
          const outputs = [{ topic: 'out', key: 'k', value: 'v' }];
          void lane.commit({ position: next, resumeFrom: next, outputs, state: [] }).catch(() => undefined);
          return Promise.resolve();
        },
        close: () => undefined,
      }),
      openPartition: (signal) => {
        const write = writes[opened] ?? (() => Promise.resolve());
        opened += 1;
        let left = [{ records: [record], next: 1, lag: 0 }];
        return Promise.resolve({
          position: 0,
          resumeFrom: 0,
          saved: new Map(),
          start: () => Promise.resolve(),
          next: async () => {
            const [first] = left.splice(0);
            if (first !== undefined || signal.aborted) return first;
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
            left = [];
            return undefined;
          },
          write: async (step) => {
            await write(step);
            written.push(step);
          },
          close: () => Promise.resolve(),
        });
      },
    },
  );
  await expect.poll(() => written.length).toBe(1);
  await loop.close();
  return { reasons, written };
}

it('task loop: a commit that is never answered fails, and the next attempt commits', async () => {
  const { reasons, written } = await attempts(never);
  expect(reasons).toEqual([expect.stringContaining('Nothing was committed for')]);
  expect(written).toHaveLength(1);
});
