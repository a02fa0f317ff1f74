import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { type EmbeddedLog, repairEmbeddedLog, type TaskBatch } from '../../src/index.ts';
import { folder, openLog, publish, text, topic, values } from './harness.ts';

const verdicts = 'loopwatch.verdicts';
const segment = (dir: string, name = topic) => join(dir, 'log', name, '0', `${'0'.repeat(20)}.jsonl`);
const journal = (dir: string) => join(dir, 'log', 'groups', 'g.journal');
const repair = (dir: string, apply = true) => repairEmbeddedLog(dir, { apply, stamp: 'now' });

/** Damages lines, numbered from 0. */
async function spoil(path: string, ...lines: readonly number[]): Promise<void> {
  const all = (await readFile(path, 'utf8')).split('\n');
  for (const line of lines) all[line] = 'x'.repeat(all[line]?.length ?? 0);
  await writeFile(path, all.join('\n'));
}

/** A group that copies values to the verdicts; returns what it was handed once it has come as far as `position`. */
async function copyUpTo(log: EmbeddedLog, position: number): Promise<string[]> {
  const handed: string[] = [];
  let committed = 0;
  const runner = log.tasks([topic], 'g');
  await runner.run(
    (_place, lane) => ({
      restore: () => undefined,
      replay: () => Promise.resolve(),
      ready: (at) => {
        committed = Math.max(committed, at);
      },
      process: ({ records, next }: TaskBatch) => {
        handed.push(...records.map(text));
        const outputs = records.map((record) => ({ topic: verdicts, key: null, value: text(record) }));
        void lane.commit({ position: next, resumeFrom: next, outputs, state: [] }).then(() => {
          committed = next;
        });
        return Promise.resolve();
      },
      close: () => undefined,
    }),
    {},
  );
  await waitFor(() => committed >= position);
  await runner.stop();
  return handed;
}

async function filled(dir: string, ...records: readonly string[]): Promise<void> {
  const log = await openLog(dir);
  await publish(log, ...records);
  await log.close();
}

describe('the repair of an embedded log', () => {
  it('finds nothing in a sound log', async () => {
    const dir = await folder();
    await filled(dir, 'a', 'b');
    expect(await repair(dir)).toMatchObject({ topics: [], journals: [] });
  });

  it('is what the error of a damaged line asks for', async () => {
    const dir = await folder();
    await filled(dir, 'a', 'b', 'c');
    await spoil(segment(dir), 1);
    await expect(openLog(dir)).rejects.toThrow('loopwatch repair --data-dir');
  });

  it('says what is lost and changes nothing until it is told to', async () => {
    const dir = await folder();
    await filled(dir, 'a', 'b', 'c');
    await spoil(segment(dir), 1);
    const before = await readFile(segment(dir));
    const { topics } = await repair(dir, false);
    expect(topics).toMatchObject([
      { topic, readable: 2, lost: [{ range: { from: 1, to: 2 }, isAtMost: false }] },
    ]);
    expect(await readFile(segment(dir))).toEqual(before);
    const { aside } = await repair(dir);
    expect(await readFile(join(aside, topic, '0', `${'0'.repeat(20)}.jsonl`))).toEqual(before);
  });

  it('lets groups and readers pass over the gap, each record once', async () => {
    const dir = await folder();
    await filled(dir, 'a', 'b', 'c', 'd');
    await spoil(segment(dir), 1);
    await repair(dir);
    const log = await openLog(dir);
    expect(await values(log)).toEqual(['a', 'c', 'd']);
    expect(await copyUpTo(log, 4)).toEqual(['a', 'c', 'd']);
    const read: string[] = [];
    await log.reader(topic).run(({ records }) => void read.push(...records.map(text)));
    expect(read).toEqual(['a', 'c', 'd']);
    await publish(log, 'e');
    expect((await log.read(topic, 1, 9)).map(({ offset }) => offset)).toEqual([2, 3, 4]);
    expect(await copyUpTo(log, 5)).toEqual(['e']);
    expect(await values(log, verdicts)).toEqual(['a', 'c', 'd', 'e']);
  });

  it('gives no offset twice when the end is damaged, so that no new record is passed over', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    await publish(log, 'a', 'b', 'c', 'd');
    await copyUpTo(log, 4);
    await log.close();
    const bytes = await readFile(segment(dir), 'utf8');
    await writeFile(segment(dir), bytes.slice(0, bytes.indexOf('\n') + 1));
    expect((await repair(dir)).topics).toMatchObject([{ topic, lost: [{ range: { from: 1, to: 4 } }] }]);
    const again = await openLog(dir);
    expect(again.endOffset(topic)).toBe(4);
    const read: string[] = [];
    await again.reader(topic).run(({ records }) => void read.push(...records.map(text)));
    expect(read).toEqual(['a']);
    await publish(again, 'e');
    expect(await copyUpTo(again, 5)).toEqual(['e']);
  });

  it('keeps what follows on lines that are missing as a whole', async () => {
    const dir = await folder();
    await filled(dir, 'a', 'b', 'c', 'd');
    const lines = (await readFile(segment(dir), 'utf8')).split('\n');
    await writeFile(segment(dir), lines.toSpliced(1, 1).join('\n'));
    expect((await repair(dir)).topics).toMatchObject([
      { readable: 3, lost: [{ range: { from: 1, to: 2 } }] },
    ]);
    expect(await values(await openLog(dir))).toEqual(['a', 'c', 'd']);
  });

  it('takes a group back to the step before a damaged one', async () => {
    const dir = await folder();
    const log = await openLog(dir);
    for (const [index, value] of ['a', 'b', 'c'].entries()) {
      await publish(log, value);
      await copyUpTo(log, index + 1);
    }
    await log.close();
    await spoil(journal(dir), 1);
    await expect(openLog(dir)).rejects.toThrow('loopwatch repair --data-dir');
    const { journals } = await repair(dir);
    expect(journals).toMatchObject([{ group: 'g', line: 2 }]);
    expect(journals[0]?.positions).toEqual(new Map([[topic, { from: 1, reached: 3 }]]));
    const again = await openLog(dir);
    expect(await copyUpTo(again, 3)).toEqual(['b', 'c']);
  });

  it('leaves the log of a running process alone', async () => {
    const dir = await folder();
    await openLog(dir);
    await expect(repair(dir)).rejects.toMatchObject({ code: 'data_dir_locked' });
  });

  it('says that a folder holds no log', async () => {
    await expect(repair(await folder())).rejects.toThrow('There is no embedded log in');
  });
});
