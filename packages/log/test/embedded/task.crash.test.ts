import { join } from 'node:path';
import { tempDir, waitFor } from '@loopwatch/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedLog,
  type OutputRecord,
  openEmbeddedLog,
  type TaskBatch,
  type TaskLane,
} from '../../src/index.ts';
import { type Choose, FragileDisk, type Image, interceptFiles, watch } from './fragile-disk.ts';
import { text } from './harness.ts';

let letFiles: () => void;
beforeAll(() => {
  letFiles = interceptFiles();
});
afterAll(() => letFiles());

const topics = { input: 'in', all: 'out-all', some: 'out-some' };
const reach = 2;

/**
 * Copies each record, every third one also to a second topic. Its kept state says how many records it has seen, and what
 * it has to get again by replay are the last few of them: so each new life can tell whether all three fit together.
 */
class Copier {
  readonly #lane: TaskLane;
  readonly #said: string[];
  readonly #kept = new Map<string, string>();
  readonly #replayed: number[] = [];

  constructor(lane: TaskLane, said: string[]) {
    this.#lane = lane;
    this.#said = said;
  }

  restore({ key, value }: { key: string; value: string }): void {
    this.#kept.set(key, value);
  }

  replay({ records }: TaskBatch): Promise<void> {
    this.#replayed.push(...records.map(({ offset }) => offset));
    return Promise.resolve();
  }

  ready(position: number): void {
    const seen = Number(this.#kept.get('seen') ?? 0);
    const expected = Array.from({ length: reach }, (_, index) => position - reach + index);
    if (seen !== position) this.#said.push(`at ${position} with the state of ${seen}`);
    if (this.#kept.has('gone')) this.#said.push('an entry that was taken away is there');
    const wanted = expected.filter((offset) => offset >= 0).join();
    if (this.#replayed.join() !== wanted) this.#said.push(`replayed ${this.#replayed.join()}, not ${wanted}`);
  }

  process({ records, next }: TaskBatch): Promise<void> {
    const outputs: OutputRecord[] = records.flatMap((record) => {
      const value = text(record);
      const copy = { topic: topics.all, key: null, value };
      return record.offset % 3 === 0 ? [copy, { ...copy, topic: topics.some }] : [copy];
    });
    const more =
      next % 2 === 0
        ? [
            { key: 'gone', value: 'x' },
            { key: 'gone', value: null },
          ]
        : [];
    const state = [{ key: 'seen', value: String(next) }, ...more];
    void this.#lane
      .commit({ position: next, resumeFrom: Math.max(0, next - reach), outputs, state })
      .catch(() => undefined);
    return Promise.resolve();
  }

  close(): void {
    this.#kept.clear();
  }
}

async function valuesOf(log: EmbeddedLog, topic: string): Promise<string[]> {
  return (await log.read(topic, 0, Number.MAX_SAFE_INTEGER)).map(text);
}

/** Those of the records that the copier wrote. */
const ours = (values: readonly string[]) => values.filter((value) => !value.startsWith('foreign'));

/**
 * One life of a process: begins with what an image left, has a few records written and copied while others write too, and
 * ends in order. @returns what it did to the disk, in steps
 */
async function live(
  image: Image,
  name: string,
  options: { onBoundary?: (disk: FragileDisk) => void; fails?: FragileDisk['fails']; records?: number } = {},
): Promise<Image> {
  await using dir = await tempDir();
  const disk = new FragileDisk(dir.path, image);
  disk.onBoundary = () => options.onBoundary?.(disk);
  watch(disk);
  const said: string[] = [];
  try {
    const log = await openEmbeddedLog({
      dir: dir.path,
      topics: Object.values(topics),
      segmentBytes: 700,
      journalBytes: 400,
    });
    try {
      const sink = log.sink();
      await sink.open();
      const runner = log.tasks([topics.input], 'g');
      await runner.run((_place, lane) => new Copier(lane, said));
      disk.fails = options.fails ?? disk.fails;
      for (let index = 0; index < (options.records ?? 4); index += 1) {
        await stubborn(() => sink.publish([{ topic: topics.input, key: null, value: `${name}${index}` }]));
        // Nobody minds when one of these is lost, but they must not move the others' places.
        void sink
          .publish([{ topic: topics.all, key: null, value: `foreign ${name}${index}` }])
          .catch(() => undefined);
        if (index % 2 === 1) await caughtUp(log);
      }
      await caughtUp(log);
      await runner.stop();
      await expectCopied(log);
    } finally {
      disk.fails = () => false;
      await log.close();
    }
    disk.onBoundary = () => undefined;
    expect(said).toEqual([]);
    return disk.killed();
  } finally {
    watch(undefined);
  }
}

async function stubborn(act: () => Promise<void>): Promise<void> {
  await waitFor(() =>
    act().then(
      () => true,
      () => false,
    ),
  );
}

async function caughtUp(log: EmbeddedLog): Promise<void> {
  await waitFor(async () => {
    const input = await valuesOf(log, topics.input);
    const copies = [...ours(await valuesOf(log, topics.all)), ...(await valuesOf(log, topics.some))];
    return copies.length >= input.length + Math.ceil(input.length / 3);
  });
}

/** Each record that is there has been copied once, in order, and none that is not. */
async function expectCopied(log: EmbeddedLog): Promise<void> {
  const input = await valuesOf(log, topics.input);
  expect(ours(await valuesOf(log, topics.all))).toEqual(input);
  expect(await valuesOf(log, topics.some)).toEqual(input.filter((_, index) => index % 3 === 0));
}

const killed = (disk: FragileDisk) => disk.killed();
const allLost = (disk: FragileDisk) => disk.powerCut(() => 0);

/** Any choice, by a seed; each of the extremes more often than anything between. */
function random(seed: number): Choose {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const kind = state >>> 29;
    if (kind < 2) return 0;
    if (kind < 4) return count - 1;
    return (state >>> 8) % count;
  };
}

/** A life, and what it would have left at each boundary. */
async function imagesOf(
  image: Image,
  name: string,
  crash: (disk: FragileDisk) => Image,
  records = 4,
): Promise<Image[]> {
  const images: Image[] = [];
  await live(image, name, { records, onBoundary: (disk) => images.push(crash(disk)) });
  return images;
}

describe('each record is copied exactly once, state and position fit', () => {
  it.each([
    ['the process was killed', killed],
    ['the power failed, all that was not synced gone', allLost],
  ])('at whatever boundary %s', { timeout: 120_000 }, async (_what, crash) => {
    const before = await live(new Map(), 'a');
    const images = await imagesOf(before, 'b', crash);
    expect(images.length).toBeGreaterThan(50);
    for (const image of images) await live(image, 'c', { records: 1 });
  });

  it.each([
    ['journal', join('log', 'groups', 'g.journal')],
    ['topic', join('log', topics.input, '0', `${'0'.repeat(20)}.jsonl`)],
  ])(
    'when the power fails while the %s of a killed process is taken up',
    { timeout: 60_000 },
    async (_what, file) => {
      const unsynced: Image[] = [];
      await live(new Map(), 'a', {
        onBoundary: (disk) => {
          const image = disk.killed();
          const now = image.get(file)?.now;
          if (now !== undefined && now.onDisk.length < now.bytes.length) unsynced.push(image);
        },
      });
      expect(unsynced.length).toBeGreaterThan(0);
      const images = await imagesOf(unsynced.at(-1) ?? new Map(), 'b', allLost, 0);
      for (const image of images) await live(image, 'c', { records: 1 });
    },
  );

  it('whatever kills and power cuts leave, time and again', { timeout: 120_000 }, async () => {
    const crash = fc.record({
      at: fc.nat(),
      seed: fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { freq: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(crash, { minLength: 2, maxLength: 4 }), async (crashes) => {
        let image: Image = new Map();
        for (const [index, { at, seed }] of crashes.entries()) {
          const leave = (disk: FragileDisk) => (seed === null ? disk.killed() : disk.powerCut(random(seed)));
          const images = await imagesOf(image, `${index}-`, leave);
          image = images[at % images.length] ?? image;
        }
        await live(image, 'end', { records: 1 });
      }),
      { numRuns: 25 },
    );
  });

  it('whatever write or sync fails, once or a few times', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 4 }), async (first, count) => {
        let change = 0;
        const fails = () => {
          change += 1;
          return change > first && change <= first + count;
        };
        await live(await live(new Map(), 'a', { fails }), 'b', { records: 1 });
      }),
      { numRuns: 20 },
    );
  });
});

it('nobody writes in the place of a step that could not be taken back', { timeout: 30_000 }, async () => {
  await using dir = await tempDir();
  const disk = new FragileDisk(dir.path);
  watch(disk);
  try {
    const log = await openEmbeddedLog({ dir: dir.path, topics: Object.values(topics) });
    const sink = log.sink();
    await sink.open();
    const interruptions: string[] = [];
    const runner = log.tasks([topics.input], 'g');
    await runner.run((_place, lane) => new Copier(lane, []), {
      onInterrupted: (_place, reason) => interruptions.push(reason),
    });
    let whole = false;
    disk.fails = (operation, path) => {
      if (!path.endsWith('.journal')) return false;
      // The line is there, nobody knows.
      whole ||= operation === 'datasync';
      return whole;
    };
    await sink.publish([{ topic: topics.input, key: null, value: 'a' }]);
    await waitFor(() => interruptions.length > 1);
    expect(interruptions[1]).toMatch(/cut off the end of .*g\.journal/);
    const foreign = { topic: topics.all, key: null, value: 'foreign' };
    await expect(sink.publish([foreign])).rejects.toMatchObject({ code: 'storage_failed' });
    const left = disk.killed();
    disk.fails = () => false;
    await caughtUp(log);
    await sink.publish([foreign]);
    await expectCopied(log);
    await log.close();
    await live(left, 'b');
  } finally {
    watch(undefined);
  }
});

it('all that comes before the places of a step is on the disk when they are written down', {
  timeout: 30_000,
}, async () => {
  const safe: boolean[] = [];
  const fails = (operation: string, path: string, disk: FragileDisk) => {
    if (operation !== 'append' || !path.includes('.journal')) return false;
    for (const [name, { now }] of disk.killed()) {
      if (name.includes(topics.all)) safe.push(now?.bytes.length === now?.onDisk.length);
    }
    return false;
  };
  await live(new Map(), 'a', { fails, records: 20 });
  expect(safe.length).toBeGreaterThan(10);
  expect(safe).not.toContain(false);
});

it('what a failed write left in a topic does not take the place of a step', { timeout: 60_000 }, async () => {
  await using dir = await tempDir();
  const disk = new FragileDisk(dir.path);
  watch(disk);
  const images: Image[] = [];
  try {
    const log = await openEmbeddedLog({ dir: dir.path, topics: Object.values(topics), durable: true });
    const sink = log.sink();
    await sink.open();
    const foreign = { topic: topics.all, key: null, value: 'foreign' };
    // The record is there as a whole, and can be neither synced nor taken back.
    disk.fails = (operation, path) => path.includes(topics.all) && operation !== 'append';
    await expect(sink.publish([foreign])).rejects.toMatchObject({ code: 'storage_failed' });
    disk.fails = () => false;
    disk.onBoundary = () => images.push(disk.killed());
    await log.tasks([topics.input], 'g').run((_place, lane) => new Copier(lane, []));
    await sink.publish([{ topic: topics.input, key: null, value: 'a' }]);
    await caughtUp(log);
    await log.close();
  } finally {
    watch(undefined);
  }
  for (const image of images) await live(image, 'b', { records: 1 });
});
