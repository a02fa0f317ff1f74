import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openEmbeddedLog, repairEmbeddedLog } from '../../src/index.ts';

const topic = 'a';
const segmentBytes = 1_500;

/** Where and how much, as shares of the file, so that it holds for a file of any size. */
const place = fc.record({ file: fc.nat(), at: fc.nat(), length: fc.integer({ min: 1, max: 400 }) });
const damage = fc.oneof(
  place.map((where) => ({ ...where, kind: 'flip' as const, bit: where.at % 8 })),
  place.map((where) => ({ ...where, kind: 'zero' as const })),
  place.map((where) => ({ ...where, kind: 'cut' as const })),
  place.map((where) => ({ ...where, kind: 'remove' as const })),
);

function damaged(
  bytes: Buffer,
  { kind, at, length, ...rest }: { kind: string; at: number; length: number; bit?: number },
): Buffer {
  if (bytes.length === 0) return bytes;
  const from = at % bytes.length;
  const copy = Buffer.from(bytes);
  if (kind === 'flip') copy[from] = (copy[from] ?? 0) ^ (1 << (rest.bit ?? 0));
  if (kind === 'zero') copy.fill(0, from, Math.min(from + length, copy.length));
  if (kind === 'cut') return copy.subarray(0, from);
  if (kind === 'remove') return Buffer.concat([copy.subarray(0, from), copy.subarray(from + length)]);
  return copy;
}

const linesIn = (text: string) => text.split('\n').slice(0, -1);

it('keeps every intact record of a log damaged in any way, which then starts and goes on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 60 }), { minLength: 5, maxLength: 80 }),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async (values, damages) => {
        await using dir = await tempDir();
        const options = { dir: dir.path, topics: [topic], segmentBytes };
        const publish = async (...more: string[]) => {
          const log = await openEmbeddedLog(options);
          const sink = log.sink();
          await sink.open();
          await sink.publish(more.map((value) => ({ topic, key: null, value, timestamp: 1 })));
          const records = await log.read(topic, 0, Number.MAX_SAFE_INTEGER);
          await log.close();
          return records.map(({ offset, value }) => ({ offset, value: String(value) }));
        };
        await publish(...values);
        const folder = join(dir.path, 'log', topic, '0');
        const files = (await readdir(folder)).sort();
        const before = new Set<string>();
        for (const file of files)
          for (const line of linesIn(await readFile(join(folder, file), 'utf8'))) before.add(line);
        for (const one of damages) {
          const path = join(folder, files[one.file % files.length] ?? '');
          await writeFile(path, damaged(await readFile(path), one));
        }
        const intact = new Set<number>();
        for (const file of files) {
          for (const line of linesIn(await readFile(join(folder, file), 'utf8'))) {
            if (before.has(line)) intact.add((JSON.parse(line) as { offset: number }).offset);
          }
        }
        await repairEmbeddedLog(dir.path, { apply: true, stamp: 'first' });
        const records = await publish('one more');
        const offsets = records.map(({ offset }) => offset);
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        expect(records.at(-1)?.value).toBe('one more');
        for (const offset of intact) expect(records).toContainEqual({ offset, value: values[offset] });
        const second = await repairEmbeddedLog(dir.path, { apply: false, stamp: 'second' });
        expect([second.topics, second.journals]).toEqual([[], []]);
      },
    ),
    { numRuns: 150, seed: 20_261_122 },
  );
}, 60_000);
