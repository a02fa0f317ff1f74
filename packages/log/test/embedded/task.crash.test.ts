import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tempDir, waitFor } from '@loopwatch/testkit';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LogStore } from '../../src/embedded/store.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../src/index.ts';
import { Copier, caughtUp, expectCopied, live, topics, valuesOf } from './copier.ts';
import { folder } from './harness.ts';

afterEach(() => vi.restoreAllMocks());

/** The contents of a log’s files, and how many bytes of the write-ahead log are synced. */
interface Image {
  readonly database: Buffer;
  readonly wal: Buffer;
  readonly synced: number;
  /** How many step outputs readers could see. */
  readonly readable: number;
}

const walOf = (dir: string) => join(dir, 'log', 'log.db-wal');

/** Calls `onSync` instead of each fsync of a write-ahead log. */
async function interceptSync(onSync: (sync: () => Promise<void>) => Promise<void>): Promise<void> {
  const file = await open(fileURLToPath(import.meta.url));
  await file.close();
  const handle = Object.getPrototypeOf(file) as FileHandle;
  const datasync = Reflect.get(handle, 'datasync');
  vi.spyOn(handle, 'datasync').mockImplementation(function (this: FileHandle) {
    return onSync(() => datasync.call(this));
  });
}

function write(dir: string, { database, wal }: Image, walBytes: number): void {
  mkdirSync(join(dir, 'log'));
  writeFileSync(join(dir, 'log', 'log.db'), database);
  writeFileSync(walOf(dir), wal.subarray(0, walBytes));
}

/** Another process that copies records until it is killed, once it has published this many. */
async function copyUntilKilled(dir: string, published: number): Promise<void> {
  const script = `
    import { openEmbeddedLog } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
    import { Copier, topics } from ${JSON.stringify(new URL('./copier.ts', import.meta.url).href)};
    const log = await openEmbeddedLog({ dir: ${JSON.stringify(dir)}, topics: Object.values(topics) });
    const sink = log.sink();
    await sink.open();
    const faults = [];
    await log.tasks([topics.input], 'g').run((topicPartition, lane) => new Copier(lane, faults));
    console.log('running');
    for (let index = 0; faults.length === 0; index += 1) {
      await sink.publish([{ topic: topics.input, key: null, value: String(index) }]);
      if (index + 1 === ${published}) console.log('published');
      await new Promise(setImmediate);
    }
    console.log(faults[0]);
  `;
  const node = ['--import', 'tsx', '--conditions=@loopwatch/source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, node, {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  await waitFor(() => lines.length >= 2 || child.exitCode !== null);
  const exited = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await exited;
  expect(lines).toEqual(['running', 'published']);
}

describe('EmbeddedTaskRunner: copies each record exactly once, with consistent state and position', () => {
  it('when its process is killed again and again', async () => {
    const dir = await folder();
    for (const published of [5, 50, 200, 500]) {
      await copyUntilKilled(dir, published);
      await live(dir, `after ${published} records `, 1);
    }
  });

  it('when the power fails at any sync, with any part of the unsynced data', async () => {
    const images: Image[] = [];
    await using dir = await tempDir();
    let synced = 0;
    let log: EmbeddedLog | undefined;
    const readable = () => {
      try {
        return log?.endOffset(topics.some) ?? 0;
      } catch {
        // The log is being closed.
        return 0;
      }
    };
    const take = () => {
      images.push({
        database: readFileSync(join(dir.path, 'log', 'log.db')),
        wal: readFileSync(walOf(dir.path)),
        synced,
        readable: readable(),
      });
    };
    await interceptSync(async (sync) => {
      const { length } = readFileSync(walOf(dir.path));
      take();
      await sync();
      synced = Math.max(synced, length);
      take();
    });
    await live(dir.path, 'a', 12, (opened) => {
      log = opened;
    });
    vi.restoreAllMocks();
    expect(images.some(({ wal, ...image }) => wal.length > image.synced)).toBe(true);
    expect(images.some((image) => image.readable > 0)).toBe(true);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(images.length - 1),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (at, share) => {
          const image = images[at]!;
          await using left = await tempDir();
          write(left.path, image, image.synced + Math.floor(share * (image.wal.length - image.synced)));
          await live(left.path, 'b', 1, (opened) => {
            expect(opened.endOffset(topics.some)).toBeGreaterThanOrEqual(image.readable);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('when any syncs fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.integer({ min: 1, max: 4 }), async (first, count) => {
        let syncs = 0;
        await interceptSync((sync) => {
          syncs += 1;
          // The first sync belongs to `open`, which does not retry.
          const fails = syncs > 1 + first && syncs <= 1 + first + count;
          return fails ? Promise.reject(new Error('no sync on this disk')) : sync();
        });
        await using dir = await tempDir();
        await live(dir.path, 'a').catch((error: unknown) => {
          // Only `close` may fail, because it does not retry either.
          expect(String(error)).toContain('no sync on this disk');
        });
        vi.restoreAllMocks();
        await live(dir.path, 'b', 1);
      }),
      { numRuns: 20 },
    );
  });

  it('when any statements fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 4 }), async (first, count) => {
        await using dir = await tempDir();
        await live(dir.path, 'a', 1);
        const run = Reflect.get(LogStore.prototype, 'run');
        let runs = 0;
        vi.spyOn(LogStore.prototype, 'run').mockImplementation(function (this: LogStore, sql, parameters) {
          run.call(this, sql, parameters);
          if (!/^(insert into (records|state)|delete)/.test(sql)) return;
          runs += 1;
          if (runs > first && runs <= first + count) throw new Error('no space on this disk');
        });
        await live(dir.path, 'b').finally(() => vi.restoreAllMocks());
        await live(dir.path, 'c', 1);
      }),
      { numRuns: 20 },
    );
  });
});

it('EmbeddedLog: outputs of a step, and records after them, are readable only once the step is on disk', async () => {
  const log = await openEmbeddedLog({ dir: await folder(), topics: Object.values(topics) });
  onTestFinished(() => log.close());
  const sink = log.sink();
  await sink.open();
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let syncs = 0;
  await log.tasks([topics.input], 'g').run((_place, lane) => new Copier(lane, []));
  await waitFor(async () => (await log.tasks([topics.some], 'other').positions()).length === 0);
  await interceptSync(async (sync) => {
    syncs += 1;
    await held;
    await sync();
  });
  await sink.publish([{ topic: topics.input, key: null, value: 'a' }]);
  await waitFor(() => syncs > 0);
  const foreign = sink.publish([{ topic: topics.all, key: null, value: 'foreign' }]);
  // The write of 'foreign' waits for a sync of its own, so it has been committed.
  await waitFor(() => syncs > 1);
  expect(await valuesOf(log, topics.all)).toEqual([]);
  goOn();
  await foreign;
  await caughtUp(log);
  expect(await valuesOf(log, topics.all)).toEqual(['a', 'foreign']);
  await expectCopied(log);
});
