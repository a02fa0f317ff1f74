import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@loopwatch/testkit';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { folder, openLog, publish, topic, values } from './harness.ts';

describe('EmbeddedLog', () => {
  it('returns the written records, with offsets from 0', async () => {
    const log = await openLog(await folder());
    await publish(log, 'a', 'b');
    await publish(log, 'c');
    expect(await values(log)).toEqual(['a', 'b', 'c']);
    expect((await log.read(topic, 1, 1)).map(({ offset }) => offset)).toEqual([1]);
    expect(log.endOffset(topic)).toBe(3);
  });

  it('preserves keys, headers, timestamps, tombstones and binary values', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    const bytes = Buffer.from([0xff, 0, 0x80]);
    const headers = { plain: Buffer.from('é'), odd: bytes, __proto__x: Buffer.alloc(0) };
    await publish(
      log,
      { topic, key: 's-1', value: bytes, headers, timestamp: 1_763_757_600_000 },
      { topic, key: bytes, value: null },
    );
    const before = await log.read(topic, 0, 10);
    await log.close();
    const after = await (await openLog(dir)).read(topic, 0, 10);
    for (const [first, second] of [before, after]) {
      expect(first?.key).toEqual(Buffer.from('s-1'));
      expect(first?.value).toEqual(bytes);
      expect(first?.timestamp).toBe(1_763_757_600_000);
      expect(Object.entries(first!.headers).map(([name, value]) => [name, Buffer.from(value)])).toEqual(
        Object.entries(headers),
      );
      expect(second?.key).toEqual(bytes);
      expect(second?.value).toBeNull();
    }
  });

  it('continues the offsets after a restart', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    await log.close();
    const again = await openLog(dir);
    await publish(again, 'c');
    expect((await again.read(topic, 0, 10)).map(({ offset, value }) => `${offset}${String(value)}`)).toEqual([
      '0a',
      '1b',
      '2c',
    ]);
  });

  it('keeps the order of concurrent publish calls', async () => {
    const log = await openLog(await folder());
    const sink = log.sink();
    await sink.open();
    const numbers = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(numbers.map((value) => sink.publish([{ topic, key: null, value }])));
    expect(await values(log)).toEqual(numbers);
  });

  it('reads more records than fit into one read', async () => {
    const log = await openLog(await folder());
    const numbers = Array.from({ length: 25_000 }, (_, index) => `value ${index}`);
    await publish(log, ...numbers);
    expect(await values(log)).toEqual(numbers);
    expect((await log.read(topic, 14_321, 2)).map(({ value }) => String(value))).toEqual(
      numbers.slice(14_321, 14_323),
    );
  });

  it('rejects a record that is too large, and keeps working', async () => {
    const log = await openLog(await folder(), { maxRecordBytes: 1_000 });
    await expect(publish(log, 'x'.repeat(2_000))).rejects.toMatchObject({ code: 'record_too_large' });
    await publish(log, 'small');
    expect(await values(log)).toEqual(['small']);
  });

  it('reads records larger than the limit of one read', async () => {
    const log = await openLog(await folder());
    const large = 'x'.repeat(10_000_000);
    await publish(log, 'a', large, large, 'b');
    expect((await values(log)).map(({ length }) => length)).toEqual([1, 10_000_000, 10_000_000, 1]);
  });

  it('names the existing topics when asked for an unknown one', async () => {
    const log = await openLog(await folder());
    await expect(publish(log, { topic: 'nope', key: null, value: '' })).rejects.toMatchObject({
      code: 'topic_missing',
      message: expect.stringContaining('loopwatch.events, loopwatch.verdicts') as string,
    });
    expect(() => log.reader('nope')).toThrow(expect.objectContaining({ code: 'topic_missing' }) as Error);
  });

  it.each(['../up', '', 'a/b', '..'])('rejects %j as a topic name', async (name) => {
    const dir = await folder();
    await expect(openLog(dir, { topics: [name] })).rejects.toMatchObject({ code: 'invalid_name' });
    const log = await openLog(dir);
    expect(() => log.tasks([topic], name)).toThrow(
      expect.objectContaining({ code: 'invalid_name' }) as Error,
    );
  });

  it('reports that it is closed', async () => {
    const log = await openLog(await folder());
    const sink = log.sink();
    await expect(sink.publish([])).rejects.toMatchObject({ code: 'log_closed' });
    await sink.open();
    await log.close();
    await expect(sink.publish([{ topic, key: null, value: 'a' }])).rejects.toMatchObject({
      code: 'log_closed',
    });
    await expect(log.read(topic, 0, 1)).rejects.toMatchObject({ code: 'log_closed' });
  });
});

describe('EmbeddedLog: files', () => {
  const databaseOf = (dir: string) => join(dir, 'log', 'log.db');

  it('a closed log is a single SQLite database file', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a');
    await log.close();
    expect((await readFile(databaseOf(dir))).subarray(0, 15).toString()).toBe('SQLite format 3');
    expect((await stat(`${databaseOf(dir)}-wal`)).size).toBe(0);
  });

  it('files of a later version are rejected', async () => {
    const dir = await folder();
    await (await openLog(dir)).close();
    const database = new Database(databaseOf(dir));
    database.exec('pragma user_version=99');
    database.close();
    await expect(openLog(dir)).rejects.toMatchObject({
      code: 'corrupt_log',
      message: expect.stringContaining('has format 99') as string,
    });
  });
});

describe('EmbeddedLog: retention', () => {
  const limits = { retentionBytes: 50_000 };

  it('deletes the oldest records, and reads continue at the oldest remaining one', async () => {
    const dir = await folder();
    const log = await openLog(dir, limits);
    const numbers = Array.from({ length: 5_000 }, (_, index) => `value ${index}`);
    for (let at = 0; at < numbers.length; at += 100) await publish(log, ...numbers.slice(at, at + 100));
    const start = log.startOffset(topic);
    const kept = await values(log);
    expect(kept).toEqual(numbers.slice(start));
    // A record takes 32 bytes more than its value.
    const bytes = kept.reduce((sum, { length }) => sum + length + 32, 0);
    expect(bytes).toBeGreaterThan(limits.retentionBytes / 2);
    expect(bytes).toBeLessThanOrEqual(limits.retentionBytes);
    await log.close();
    expect((await openLog(dir, limits)).startOffset(topic)).toBe(start);
  });

  it('reuses the space of deleted records', async () => {
    const dir = await folder();
    const log = await openLog(dir, limits);
    for (let round = 0; round < 40; round += 1)
      await publish(log, ...Array.from({ length: 500 }, () => 'x'.repeat(100)));
    await log.close();
    expect((await stat(join(dir, 'log', 'log.db'))).size).toBeLessThan(1_000_000);
  });

  it('keeps the last record however large it is, and continues with the next offset', async () => {
    const dir = await folder();
    const log = await openLog(dir, limits);
    await publish(log, 'a', 'x'.repeat(100_000));
    expect(log.startOffset(topic)).toBe(1);
    await log.close();
    const again = await openLog(dir, limits);
    await publish(again, 'b');
    expect(await values(again)).toEqual(['b']);
    expect(again.endOffset(topic)).toBe(3);
  });

  it('lets a reader that fell behind continue with the oldest record', async () => {
    const log = await openLog(await folder(), limits);
    const offsets: number[] = [];
    await log.reader(topic).run(async ({ records }) => {
      offsets.push(...records.map(({ offset }) => offset));
      if (offsets.length < 2_000)
        await publish(log, ...Array.from({ length: 3_000 }, (_, index) => `value ${index}`));
    });
    await publish(log, 'first');
    await waitFor(() => offsets.at(-1) === log.endOffset(topic) - 1 && offsets.length >= 2_000);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(log.startOffset(topic)).toBeGreaterThan(0);
  });
});
