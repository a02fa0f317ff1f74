import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { folder, openLog, publish, topic, values } from './harness.ts';

const partition = (dir: string) => join(dir, 'log', topic, '0');
const firstFile = (dir: string) => join(partition(dir), `${'0'.repeat(20)}.jsonl`);

describe('writing and reading', () => {
  it('gives back what was written, with offsets from 0', async () => {
    const log = await openLog(await folder());
    await publish(log, 'a', 'b');
    await publish(log, 'c');
    expect(await values(log)).toEqual(['a', 'b', 'c']);
    expect((await log.read(topic, 1, 1)).map(({ offset }) => offset)).toEqual([1]);
    expect(log.endOffset(topic)).toBe(3);
  });

  it('keeps keys, headers, timestamps, tombstones and bytes that are no text', async () => {
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

  it('writes lines a person can read', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, { topic, key: 's-1', value: '{"type":"content"}', timestamp: 5 });
    expect(await readFile(firstFile(dir), 'utf8')).toBe(
      '{"offset":0,"timestamp":5,"key":"s-1","value":"{\\"type\\":\\"content\\"}"}\n',
    );
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

  it('keeps the order of calls that were not waited for', async () => {
    const log = await openLog(await folder());
    const sink = log.sink();
    await sink.open();
    const numbers = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(numbers.map((value) => sink.publish([{ topic, key: null, value }])));
    expect(await values(log)).toEqual(numbers);
  });

  it('reads what has left the memory from the files, across segments', async () => {
    const log = await openLog(await folder(), { segmentBytes: 100_000 });
    const numbers = Array.from({ length: 10_000 }, (_, index) => `value ${index}`);
    await publish(log, ...numbers);
    expect(await values(log)).toEqual(numbers);
    expect((await log.read(topic, 4_321, 2)).map(({ value }) => String(value))).toEqual(
      numbers.slice(4_321, 4_323),
    );
  });

  it('refuses a record that is too large, and keeps working', async () => {
    const log = await openLog(await folder(), { maxRecordBytes: 1_000 });
    await expect(publish(log, 'x'.repeat(2_000))).rejects.toMatchObject({ code: 'record_too_large' });
    await publish(log, 'small');
    expect(await values(log)).toEqual(['small']);
  });

  it('takes a record larger than a segment', async () => {
    const dir = await folder();
    const log = await openLog(dir, { segmentBytes: 1_000 });
    const large = 'x'.repeat(600_000);
    await publish(log, 'a', large, 'b');
    await log.close();
    expect(await values(await openLog(dir, { segmentBytes: 1_000 }))).toEqual(['a', large, 'b']);
  });

  it('names the topics there are when asked for another', async () => {
    const log = await openLog(await folder());
    await expect(publish(log, { topic: 'nope', key: null, value: '' })).rejects.toMatchObject({
      code: 'topic_missing',
      message: expect.stringContaining('loopwatch.events, loopwatch.verdicts') as string,
    });
    expect(() => log.reader('nope')).toThrow(expect.objectContaining({ code: 'topic_missing' }) as Error);
  });

  it.each(['../up', 'groups', '', 'a/b', '..'])('refuses %j as a name', async (name) => {
    const dir = await folder();
    await expect(openLog(dir, { topics: [name] })).rejects.toMatchObject({ code: 'invalid_name' });
    const log = await openLog(dir);
    expect(() => log.tasks([topic], name)).toThrow(
      expect.objectContaining({ code: 'invalid_name' }) as Error,
    );
  });

  it('says that it is closed', async () => {
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

describe('after a crash', () => {
  it.each([
    ['a line without its end', '{"offset":2,"timestamp":1,"key":null,"val'],
    ['a line that is complete but for the line feed', '{"offset":2,"timestamp":1,"key":null,"value":"torn"}'],
    ['a last line of rubbish', '\0\0\0\0\n'],
  ])('cuts off %s', async (_what, torn) => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    await log.close();
    const { size } = await stat(firstFile(dir));
    await appendFile(firstFile(dir), torn);
    const told: unknown[] = [];
    const again = await openLog(dir, { log: (_level, _message, fields) => told.push(fields) });
    expect(told).toEqual([{ file: firstFile(dir), bytes: torn.length }]);
    expect((await stat(firstFile(dir))).size).toBe(size);
    await publish(again, 'c');
    expect(await values(again)).toEqual(['a', 'b', 'c']);
  });

  it('names file and line of a corrupt line in the middle', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b', 'c');
    await log.close();
    const lines = (await readFile(firstFile(dir), 'utf8')).split('\n');
    lines[1] = 'rubbish';
    await writeFile(firstFile(dir), lines.join('\n'));
    await expect(openLog(dir)).rejects.toMatchObject({
      code: 'corrupt_log',
      message: expect.stringMatching(/^Line 2 of .*00000000000000000000\.jsonl cannot be read: /) as string,
    });
    // The folder is free again.
    await writeFile(firstFile(dir), '');
    await openLog(dir);
  });

  it.each([
    ['a missing line', (lines: string[]) => lines.splice(5, 1), 'Line 6'],
    ['a missing last line', (lines: string[]) => lines.splice(-2, 1), 'the file ends before it'],
  ])('finds %s in an old file when it is read', async (_what, damage, message) => {
    const dir = await folder();
    const log = await openLog(dir, { segmentBytes: 10_000 });
    await publish(log, ...Array.from({ length: 1_000 }, (_, index) => `value ${index}`));
    await log.close();
    const lines = (await readFile(firstFile(dir), 'utf8')).split('\n');
    damage(lines);
    await writeFile(firstFile(dir), lines.join('\n'));
    const again = await openLog(dir, { segmentBytes: 10_000 });
    await expect(values(again)).rejects.toMatchObject({
      code: 'corrupt_log',
      message: expect.stringContaining(message) as string,
    });
  });

  it('goes on when it died between creating a segment and writing to it', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b');
    await log.close();
    await writeFile(join(partition(dir), `${'2'.padStart(20, '0')}.jsonl`), '');
    const again = await openLog(dir);
    await publish(again, 'c');
    expect(await values(again)).toEqual(['a', 'b', 'c']);
  });
});

describe('retention', () => {
  const limits = { segmentBytes: 10_000, retentionBytes: 50_000 };

  it('drops the oldest files and reads on from what is left', async () => {
    const dir = await folder();
    const log = await openLog(dir, limits);
    const numbers = Array.from({ length: 5_000 }, (_, index) => `value ${index}`);
    await publish(log, ...numbers);
    const start = log.startOffset(topic);
    expect(start).toBeGreaterThan(0);
    expect(await values(log)).toEqual(numbers.slice(start));
    const sizes = await Promise.all(
      (await readdir(partition(dir))).map(async (file) => (await stat(join(partition(dir), file))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(
      limits.retentionBytes + 2 * limits.segmentBytes,
    );
    await log.close();
    expect((await openLog(dir, limits)).startOffset(topic)).toBe(start);
  });

  it('never fails a read whose file goes meanwhile', async () => {
    // More than is kept in memory, in files small enough to go one after the other.
    const log = await openLog(await folder(), { segmentBytes: 5_000, retentionBytes: 400_000 });
    const sink = log.sink();
    await sink.open();
    const some = (count: number) =>
      Array.from({ length: count }, () => ({ topic, key: null, value: 'value' }));
    await sink.publish(some(8_000));
    const write = { done: false };
    const written = sink.publish(some(5_000)).finally(() => (write.done = true));
    const starts = new Set<number>();
    while (!write.done) {
      await setImmediate();
      const [first, second] = await log.read(topic, 0, 2);
      starts.add(first!.offset);
      expect(second?.offset).toBe(first!.offset + 1);
    }
    await written;
    expect(starts.size).toBeGreaterThan(1);
  });

  it('lets a reader that fell behind go on with the oldest record there is', async () => {
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
