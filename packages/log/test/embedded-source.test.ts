import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import type { RecordBatch } from '../src/index.ts';
import { folder, follow, openLog, publish, text, topic } from './embedded-harness.ts';

describe('a source', () => {
  it('delivers what was there and then, at once, what is written', async () => {
    const log = await openLog(await folder());
    await publish(log, 'a', 'b');
    const { seen } = await follow(log.source([topic], 'g'));
    await waitFor(() => seen.length === 2);
    const started = performance.now();
    for (let index = 0; index < 50; index += 1) {
      await publish(log, `live ${index}`);
      await waitFor(() => seen.at(-1) === `live ${index}`);
    }
    expect(seen.slice(0, 3)).toEqual(['a', 'b', 'live 0']);
    // Woken, not polled: fifty rounds of any polling interval would show.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('goes on after a restart where its group committed', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    const source = log.source([topic], 'g');
    const { seen } = await follow(source);
    await waitFor(() => seen.length === 2);
    await log.close();
    const again = await openLog(dir);
    await publish(again, 'c');
    const { seen: later } = await follow(again.source([topic], 'g'));
    const { seen: other } = await follow(again.source([topic], 'other'));
    await waitFor(() => later.length === 1 && other.length === 3);
    expect(later).toEqual(['c']);
    expect(other).toEqual(['a', 'b', 'c']);
  });

  it('gets again what it did not commit', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    const seen: string[] = [];
    await log.source([topic], 'g').run(({ records }) => {
      seen.push(...records.map(text));
      return Promise.resolve();
    });
    await waitFor(() => seen.length === 2);
    await log.close();
    const { seen: again } = await follow((await openLog(dir)).source([topic], 'g'));
    await waitFor(() => again.length === 2);
    expect(again).toEqual(['a', 'b']);
  });

  it('lets several groups read, each all and in order', async () => {
    const log = await openLog(await folder());
    const worker = await follow(log.source([topic], 'worker'));
    const server = await follow(log.source([topic], 'server'));
    const numbers = Array.from({ length: 5_000 }, (_, index) => String(index));
    for (let at = 0; at < numbers.length; at += 100) await publish(log, ...numbers.slice(at, at + 100));
    await waitFor(() => worker.seen.length === 5_000 && server.seen.length === 5_000);
    expect(worker.seen).toEqual(numbers);
    expect(server.seen).toEqual(numbers);
  });

  it('delivers at most 1,000 records at a time, one batch after the other, and tells the lag', async () => {
    const log = await openLog(await folder());
    await publish(log, ...Array.from({ length: 2_500 }, (_, index) => String(index)));
    let running = 0;
    const batches: RecordBatch[] = [];
    await log.source([topic], 'g').run(async (batch) => {
      running += 1;
      expect(running).toBe(1);
      batches.push(batch);
      await batch.commit();
      running -= 1;
    });
    await waitFor(() => batches.length === 3);
    expect(batches.map(({ records, lag }) => [records.length, lag])).toEqual([
      [1_000, 1_500],
      [1_000, 500],
      [500, 0],
    ]);
  });

  it('delivers the batch again when the handler fails, and nothing else before', async () => {
    const log = await openLog(await folder());
    await publish(log, 'a', 'b');
    const tries: string[][] = [];
    const told: string[] = [];
    const again = await openLog(await folder(), { log: (_level, message) => told.push(message) });
    await publish(again, 'a', 'b');
    await again.source([topic], 'g').run(async (batch) => {
      tries.push(batch.records.map(text));
      if (tries.length < 3) throw new Error('not yet');
      await batch.commit();
    });
    await waitFor(() => tries.length === 3);
    await publish(again, 'c');
    await waitFor(() => tries.length === 4);
    expect(tries).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']]);
    expect(told).toHaveLength(2);
  });

  it('stops only when the handler in progress is done, and delivers nothing afterwards', async () => {
    const log = await openLog(await folder());
    const source = log.source([topic], 'g');
    const steps: string[] = [];
    let finish: () => void = () => undefined;
    await source.run(async (batch) => {
      steps.push('handling');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await batch.commit();
      steps.push('committed');
    });
    await publish(log, 'a');
    await waitFor(() => steps.length === 1);
    const stopped = source.stop().then(() => steps.push('stopped'));
    await publish(log, 'b');
    finish();
    await stopped;
    expect(steps).toEqual(['handling', 'committed', 'stopped']);
    const { seen } = await follow(log.source([topic], 'g'));
    await waitFor(() => seen.length === 1);
    expect(seen).toEqual(['b']);
  });

  it('refuses a second reader of the same group while there is one', async () => {
    const log = await openLog(await folder());
    const first = log.source([topic], 'g');
    await follow(first);
    await expect(follow(log.source([topic], 'g'))).rejects.toMatchObject({ code: 'group_in_use' });
    await first.stop();
    await follow(log.source([topic], 'g'));
  });

  it('tells its observer what it reads', async () => {
    const log = await openLog(await folder());
    const told: unknown[] = [];
    await log.source([topic], 'g').run(() => Promise.resolve(), {
      onAssignment: (partitions) => told.push(partitions),
      onConnection: (state) => told.push(state),
    });
    expect(told).toEqual(['up', [{ topic, partition: 0 }]]);
  });

  it('names the file of offsets that cannot be read', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    const source = log.source([topic], 'g');
    const { batches } = await follow(source);
    await publish(log, 'a');
    await waitFor(() => batches.length === 1);
    await log.close();
    const file = join(dir, 'log', 'groups', 'g.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ v: 1, offsets: { [topic]: { 0: 1 } } });
    await writeFile(file, '{"offsets":');
    await expect(follow((await openLog(dir)).source([topic], 'g'))).rejects.toMatchObject({
      code: 'corrupt_log',
      message: expect.stringContaining(file) as string,
    });
  });
});
