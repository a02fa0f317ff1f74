import { delay } from '@loopwatch/platform';
import { waitFor } from '@loopwatch/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EmbeddedLog } from '../../src/index.ts';
import { folder, openLog, publish, text, topic, values } from './harness.ts';

const verdicts = 'loopwatch.verdicts';
const limits = { retentionBytes: 20_000, maxBytes: 100_000, read: [topic, verdicts] };
const FULL = { code: 'log_full' };

function numbered(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `value ${String(from + n)} ${'.'.repeat(100)}`);
}

/** Publishes until the log is full. @returns what it took */
async function fill(log: EmbeddedLog): Promise<string[]> {
  const taken: string[] = [];
  for (let at = 0; at < 100_000; at += 50) {
    const more = numbered(at, 50);
    try {
      await publish(log, ...more);
    } catch (error) {
      expect(error).toMatchObject(FULL);
      return taken;
    }
    taken.push(...more);
  }
  throw new Error('it was never full');
}

it('unread records: stay until a reader has started and taken them, also after a restart', async () => {
  const dir = await folder();
  const first = await openLog(dir, limits);
  const taken = await fill(first);
  expect(taken.length).toBeGreaterThan(500);
  expect(await values(first)).toEqual(taken);
  await first.close();
  const log = await openLog(dir, limits);
  await expect(publish(log, 'more')).rejects.toMatchObject(FULL);
  const read: string[] = [];
  let isOpen = false;
  const reader = log.reader(topic);
  await reader.run(
    async ({ records }) => {
      await waitFor(() => isOpen);
      read.push(...records.map(text));
    },
    { from: (_, { start }) => start, resolveWhen: 'started' },
  );
  await expect(publish(log, 'more')).rejects.toMatchObject(FULL);
  isOpen = true;
  await waitFor(() => read.length === taken.length);
  expect(read).toEqual(taken);
  await publish(log, ...numbered(0, 10));
  await waitFor(() => read.length === taken.length + 10);
  // What everyone has taken goes, down to the retention.
  expect((await values(log)).length).toBeLessThan(200);
});

it('unread records: the slowest of several readers counts, and one that stopped keeps its place', async () => {
  const log = await openLog(await folder(), limits);
  const fast = log.reader(topic);
  await fast.run(() => undefined);
  const slow = log.reader(topic);
  await slow.run(() => undefined, { from: () => 0 });
  await slow.stop();
  const taken = await fill(log);
  expect(await values(log)).toEqual(taken);
});

it('unread records: without a reader in this process, retention alone counts', async () => {
  const log = await openLog(await folder(), { ...limits, read: [] });
  for (let at = 0; at < 2_000; at += 50) await publish(log, ...numbered(at, 50));
  expect((await values(log)).length).toBeLessThan(200);
});

it('unread records: a task waits while its outputs are not taken, and loses none', async () => {
  const log = await openLog(await folder(), limits);
  const runner = log.tasks([topic], 'g');
  let processed = 0;
  await runner.run((_, lane) => ({
    restore: () => undefined,
    replay: () => Promise.resolve(),
    ready: () => undefined,
    process: ({ records, next }) => {
      processed += records.length;
      const outputs = records.map((record) => ({
        topic: verdicts,
        key: null,
        value: text(record).repeat(3),
      }));
      return lane.commit({ position: next, resumeFrom: next, outputs, state: [] });
    },
    close: () => undefined,
  }));
  const taken: string[] = [];
  // Until the chain of both topics is full.
  for (let at = 0; ; at += 50) {
    const more = numbered(at, 50);
    const failure = await publish(log, ...more).catch((error: unknown) => error);
    if (failure !== undefined) {
      expect(failure).toMatchObject(FULL);
      break;
    }
    taken.push(...more);
    await delay(1);
  }
  expect(processed).toBeLessThan(taken.length);
  const read: string[] = [];
  await log.reader(verdicts).run(({ records }) => void read.push(...records.map(text)), {
    from: () => 0,
    resolveWhen: 'started',
  });
  await waitFor(() => read.length === taken.length);
  expect(read).toEqual(taken.map((value) => value.repeat(3)));
  await runner.stop();
});

it('unread records: whatever the sizes and limits, a reader gets each accepted record once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 5, maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (sizes, every) => {
        const log = await openLog(await folder(), { retentionBytes: 2_000, maxBytes: 9_000, read: [topic] });
        const read: string[] = [];
        const reader = log.reader(topic);
        let isSlow = true;
        await reader.run(
          async ({ records }) => {
            await waitFor(() => !isSlow);
            read.push(...records.map(text));
          },
          { from: () => 0, resolveWhen: 'started' },
        );
        const taken: string[] = [];
        for (const [n, size] of sizes.entries()) {
          const value = `${String(n)} ${'x'.repeat(size)}`;
          isSlow = n % every !== 0;
          const failure = await publish(log, value).catch((error: unknown) => error);
          if (failure === undefined) taken.push(value);
          else expect(failure).toMatchObject(FULL);
        }
        isSlow = false;
        await waitFor(() => read.length === taken.length);
        expect(read).toEqual(taken);
        await log.close();
      },
    ),
    { numRuns: 15 },
  );
});
