import { cp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedLog, openEmbeddedLog } from '../../src/embedded/log.ts';
import { repairEmbeddedLog } from '../../src/embedded/repair.ts';

const topic = 'events';
const RECORDS = 4_000;
const value = (number: number) => `value ${String(number)} ${'x'.repeat(200)}`;
const expected = Array.from({ length: RECORDS }, (_, number) => value(number));

/** Data folders to copy: of a log that was closed, and of one whose process was killed. */
const made = { closed: '', killed: '' };
let remove: (() => Promise<void>)[] = [];

beforeAll(async () => {
  for (const how of ['closed', 'killed'] as const) {
    const dir = await tempDir();
    remove.push(() => dir.remove());
    const copy = join(dir.path, 'copy');
    const original = join(dir.path, 'original');
    // Half of the records are in the database, half in the write-ahead log.
    const first = await openEmbeddedLog({ dir: original, topics: [topic] });
    await publish(first, 0, RECORDS / 2);
    await first.close();
    const second = await openEmbeddedLog({ dir: original, topics: [topic] });
    await publish(second, RECORDS / 2, RECORDS);
    if (how === 'closed') await second.close();
    // A connection of the closed log that is garbage-collected meanwhile takes its empty write-ahead log with it.
    const copied = () => cp(original, copy, { recursive: true });
    await copied().catch(copied);
    if (how === 'killed') await second.close();
    await rm(join(copy, 'log', '.lock'), { recursive: true, force: true });
    if (how === 'killed') await rm(join(copy, 'log', 'owner.json'), { force: true });
    made[how] = copy;
  }
});

afterAll(async () => {
  for (const one of remove) await one();
  remove = [];
});

async function publish(log: EmbeddedLog, from: number, to: number): Promise<void> {
  const sink = log.sink();
  await sink.open();
  for (let at = from; at < to; at += 100)
    await sink.publish(
      Array.from({ length: Math.min(100, to - at) }, (_, index) => ({
        topic,
        key: 's',
        value: value(at + index),
      })),
    );
}

const damages = {
  flipped: async (path: string) => {
    const { size } = await stat(path);
    // The header of a page, or of a frame.
    const at = size > 8192 ? Math.floor(size / 2 / 4096) * 4096 : Math.floor(size / 2);
    const file = await open(path, 'r+');
    const bytes = Buffer.alloc(Math.min(16, size - at));
    await file.read(bytes, 0, bytes.length, at);
    await file.write(
      bytes.map((byte) => byte ^ 0xff),
      0,
      bytes.length,
      at,
    );
    await file.close();
  },
  truncated: async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2)),
  'zeroed in its middle': async (path: string) => {
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(Math.ceil(size / 4)), 0, Math.ceil(size / 4), Math.floor(size / 2));
    await file.close();
  },
  zeroed: async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size)),
  empty: async (path: string) => truncate(path, 0),
  gone: async (path: string) => rm(path),
};

async function damaged(how: keyof typeof made, file: string, damage: keyof typeof damages): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  await cp(made[how], dir.path, { recursive: true });
  await damages[damage](join(dir.path, 'log', file));
  return dir.path;
}

/** What opening says, and the values that can be read. */
async function opened(dir: string): Promise<{ error: string; logged: string; values: string[] }> {
  const logged: string[] = [];
  try {
    const log = await openEmbeddedLog({
      dir,
      topics: [topic],
      log: (level, message) => {
        if (level === 'error') logged.push(message);
      },
    });
    onTestFinished(() => log.close());
    const records = await log.read(topic, 0, RECORDS * 2);
    return {
      error: '',
      logged: logged.join('\n'),
      values: records.map((record) => record.value?.toString() ?? ''),
    };
  } catch (error) {
    return { error: String(error), logged: logged.join('\n'), values: [] };
  }
}

describe.each([
  ['closed', 'log.db', Object.keys(damages)],
  ['killed', 'log.db', Object.keys(damages)],
] as const)('EmbeddedLog: damage after a process was %s', (how, file, kinds) => {
  it.each(kinds as (keyof typeof damages)[])(
    `${file} %s: opening names it and the command that repairs it`,
    async (kind) => {
      const dir = await damaged(how, file, kind);
      const { error } = await opened(dir);
      expect(error).toContain(`The embedded log in ${join(dir, 'log')} is damaged: ${file}`);
      expect(error).toContain(`run: loopwatch repair log --data-dir ${dir}`);
      const repaired = await repairEmbeddedLog(dir);
      expect((await readFile(join(repaired.damaged, file)).catch(() => undefined)) === undefined).toBe(
        kind === 'gone',
      );
      const { values, ...messages } = await opened(dir);
      expect(messages).toEqual({ error: '', logged: '' });
      // What is not there is reported as lost; flipped bytes may be inside a record that is still readable.
      const [events] = repaired.topics;
      const lost = expected.filter((one, offset) => {
        const isReported =
          events === undefined ||
          events.lost.some(([from, to]) => offset >= from && (to === null || offset < to));
        return !isReported && !values.includes(one);
      });
      expect(lost.length).toBeLessThanOrEqual(1);
      expect(values.length).toBe(events?.records ?? 0);
    },
  );
});

it('EmbeddedLog: what a version without checksums has changed is no damage', async () => {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  await cp(made.closed, dir.path, { recursive: true });
  const database = new Database(join(dir.path, 'log', 'log.db'));
  database.exec('update records_1 set key = null where offset = 7');
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  await rm(join(dir.path, 'log', 'owner.json'));
  expect(await opened(dir.path)).toEqual({ error: '', logged: '', values: expected });
});

describe('EmbeddedLog: damage to the files of a killed process', () => {
  it.each(Object.keys(damages) as (keyof typeof damages)[])(
    'log.db-wal %s: opening says that what follows is lost, and keeps the rest',
    async (kind) => {
      const dir = await damaged('killed', 'log.db-wal', kind);
      const { error, logged, values } = await opened(dir);
      expect(error).toBe('');
      expect(logged).toContain(
        `The write-ahead log ${join(dir, 'log', 'log.db-wal')} is damaged or cut off at byte `,
      );
      expect(values.length).toBeGreaterThanOrEqual(RECORDS / 2);
      expect(values.length).toBeLessThan(RECORDS);
      expect(values).toEqual(expected.slice(0, values.length));
    },
  );

  it.each(Object.keys(damages) as (keyof typeof damages)[])(
    'log.db-shm %s: SQLite builds it again',
    async (kind) => {
      const { error, values } = await opened(await damaged('killed', 'log.db-shm', kind));
      expect({ error, values }).toEqual({ error: '', values: expected });
    },
  );

  it('without damage, nothing is said', async () => {
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    await cp(made.killed, dir.path, { recursive: true });
    expect(await opened(dir.path)).toEqual({ error: '', logged: '', values: expected });
  });

  it.each(Object.keys(damages) as (keyof typeof damages)[])(
    'checksums %s after a proper close: the log is checked as if its process had been killed',
    async (kind) => {
      expect(await opened(await damaged('closed', 'checksums', kind))).toEqual({
        error: '',
        logged: '',
        values: expected,
      });
    },
  );
});
