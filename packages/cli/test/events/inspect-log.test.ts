import { Readable } from 'node:stream';
import { zstdFrame } from '@loopwatch/testkit';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { samplesIn } from '../../src/events/inspect-log.ts';

const evaluation = { eval_id: 'run', model: 'm', created: '2026-11-01T10:00:00+00:00' };
const samples = [1, 2].map((id) => ({
  id,
  epoch: 1,
  messages: [{ role: 'user', content: `line one\nline two of ${String(id)} 😀` }],
}));
const [one, two] = samples;
const logs = samples.map((sample) => ({ eval: evaluation, samples: [sample] }));

/** Files in the order in which Inspect AI writes them; some versions indent their JSON. */
const files = {
  '_journal/start.json': JSON.stringify({ version: 2, eval: evaluation, plan: {} }, null, 2),
  'samples/1_epoch_1.json': JSON.stringify(one),
  'samples/2_epoch_1.json': JSON.stringify(two, null, 2),
  '_journal/summaries/1.json': '[{"id":1}]',
  'summaries.json': '[]',
  'header.json': '{"status":"success"}',
};

/** An archive with files as they are (method 0), or compressed with zstd (93), by the sizes in front of each. */
function archiveOf(contents: Readonly<Record<string, string>>, method: 0 | 93): Buffer {
  const parts = Object.entries(contents).flatMap(([name, text]) => {
    const bytes = Buffer.from(text);
    const packed = method === 0 ? bytes : zstdFrame(bytes);
    const header = Buffer.alloc(30);
    header.write('504b0304', 'hex');
    header.writeUInt16LE(method, 8);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(bytes.length, 22);
    header.writeUInt16LE(name.length, 26);
    return [header, Buffer.from(name), packed];
  });
  const end = Buffer.alloc(22);
  end.write('504b0506', 'hex');
  return Buffer.concat([...parts, end]);
}

const deflated = Buffer.from(
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))),
);

function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces = Math.ceil(bytes.length / size);
  return Array.from({ length: pieces }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

/** The logs that come out, and the error at the end. */
async function read(bytes: Buffer, size = bytes.length): Promise<{ logs: unknown[]; error?: unknown }> {
  const found: unknown[] = [];
  try {
    for await (const line of samplesIn(Readable.from(inPieces(bytes, size)))) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      found.push(JSON.parse(line.toString()));
    }
  } catch (error) {
    return { logs: found, error };
  }
  return { logs: found };
}

describe('a log of Inspect AI', () => {
  it.each([
    ['deflate', deflated],
    ['zstd', archiveOf(files, 93)],
    ['no compression', archiveOf(files, 0)],
  ])('has a line for each sample, with %s, in pieces of any size', async (_, bytes) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (size) => {
        expect(await read(bytes, size)).toEqual({ logs });
      }),
      { numRuns: 20, examples: [[1], [bytes.length]] },
    );
  });

  it('keeps the samples in front of where it is cut', async () => {
    const bytes = archiveOf(files, 93);
    const cutAt = bytes.indexOf('samples/2') + 60;
    expect(await read(bytes.subarray(0, cutAt))).toEqual({
      logs: logs.slice(0, 1),
      error: new UsageError('the log of Inspect AI is truncated'),
    });
  });

  it('keeps the samples in front of damaged ones', async () => {
    const bytes = archiveOf(files, 93);
    bytes.fill(0xff, bytes.indexOf('samples/2') + 22 + 5, bytes.indexOf('samples/2') + 22 + 40);
    const { logs: found, error } = await read(bytes);
    expect(found).toEqual(logs.slice(0, 1));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(/^UsageError: a damaged ZIP archive: (?!\w+Error)/);
  });

  it('is told from other archives', async () => {
    const bytes = Buffer.from(zipSync({ 'a.json': Buffer.from('{}') }));
    expect(await read(bytes)).toEqual({
      logs: [],
      error: new UsageError('a ZIP archive, but not an Inspect AI log: unpack it first'),
    });
  });
});
