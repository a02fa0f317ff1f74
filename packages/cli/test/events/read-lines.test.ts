import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zstdFrame } from '@loopwatch/testkit';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { readLines } from '../../src/events/read-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'loopwatch-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileWith(content: string | Buffer, ending = '.jsonl'): string {
  const name = join(folder, `${(count += 1)}${ending}`);
  writeFileSync(name, content);
  return name;
}

async function linesOf(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of readLines(file)) lines.push(...some);
  return lines;
}

/** The lines before the error, and the error. */
async function faultOf(file: string): Promise<{ lines: string[]; error: unknown }> {
  const lines: string[] = [];
  try {
    for await (const some of readLines(file)) lines.push(...some);
  } catch (error) {
    return { lines, error };
  }
  throw new Error('the file was read to its end');
}

/** The expected lines: only `\n` ends a line, and there is no line after the last one. */
function split(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Lines of all lengths over many chunks, with characters of one to four bytes. */
const long = Array.from({ length: 400 }, (_, i) => `${String(i)} ${'aäあ😀'.repeat(i * 4)}`).join('\n');

describe('readLines of binary data', () => {
  it('readLines: rejects a binary file with the position of its first binary byte', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452\n\u001b[2J\n', 'latin1');
    const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), png]);
    const file = fileWith(bytes, '.png');
    const { lines, error } = await faultOf(file);
    expect(lines).toEqual([]);
    expect(error).toEqual(
      new UsageError(`${file}: not JSONL: binary data at byte 8; expected one JSON object per line`),
    );
  });

  it.each([
    ['504b0304', 'a ZIP archive, but not an Inspect AI log: unpack it first'],
    ['50415231', "a Parquet file: run `duckdb -c \"COPY 'FILE' TO 'records.json'\"` first"],
  ])('readLines: says what to do with a file that begins with %s', async (beginning, advice) => {
    const file = fileWith(Buffer.from(`${beginning}0a0b0c`, 'hex'), '.eval');
    const { lines, error } = await faultOf(file);
    expect(lines).toEqual([]);
    expect(error).toEqual(new UsageError(`${file}: ${advice.replace('FILE', file)}`));
  });

  it('readLines: says what to do with a tar archive', async () => {
    const file = fileWith(`name.jsonl${'\0'.repeat(247)}ustar\0`, '.tar');
    expect((await faultOf(file)).error).toEqual(new UsageError(`${file}: a tar archive: unpack it first`));
  });

  it.each([
    ['utf16le', Buffer.from('\ufeff', 'utf16le'), (bytes: Buffer) => bytes],
    ['utf16be', Buffer.from('\ufeff', 'utf16le').swap16(), (bytes: Buffer) => bytes.swap16()],
  ])('readLines: reads UTF-16 with its byte order mark: %s', async (_, mark, order) => {
    const file = fileWith(Buffer.concat([mark, order(Buffer.from(long, 'utf16le'))]));
    expect(await linesOf(file)).toEqual(long.split('\n'));
  });

  it('readLines: later binary data is a bad line among good ones', async () => {
    const good = '{"a":1}\n'.repeat(2_000);
    expect(await linesOf(fileWith(`${good}\0\n`))).toHaveLength(2_001);
  });
});

describe('readLines', () => {
  it.each<[string, string, string[]]>([
    ['lines end with a line break', 'a\nb\n', ['a', 'b']],
    ['the last line break may be missing', 'a\nb', ['a', 'b']],
    ['lines may be empty', 'a\n\n\nb\n', ['a', '', '', 'b']],
    ['all lines may be empty', '\n\n', ['', '']],
    ['an empty file has no lines', '', []],
    ['lines keep their \\r, which is white space in JSON', '{}\r\n{}\r\n', ['{}\r', '{}\r']],
    [
      'other Unicode line breaks do not end a line',
      '"\u2028\u2029\u0085\u000b\f\r"\n1',
      ['"\u2028\u2029\u0085\u000b\f\r"', '1'],
    ],
  ])('readLines: %s', async (_, text, expected) => {
    expect(await linesOf(fileWith(text))).toEqual(expected);
    expect(await linesOf(fileWith(gzipSync(text), '.gz'))).toEqual(expected);
    expect(await linesOf(fileWith(zstdFrame(Buffer.from(text)), '.zst'))).toEqual(expected);
  });

  it.each([
    ['text named .gz', Buffer.from('a\nb'), '.jsonl.gz'],
    ['gzip without an ending', gzipSync('a\nb'), ''],
    ['zstd without an ending', zstdFrame(Buffer.from('a\nb')), ''],
    [
      'several frames of zstd',
      Buffer.concat([zstdFrame(Buffer.from('a')), zstdFrame(Buffer.from('\nb'))]),
      '.jsonl.zst',
    ],
  ])('readLines: decompresses by content, not by name: %s', async (_, bytes, ending) => {
    expect(await linesOf(fileWith(bytes, ending))).toEqual(['a', 'b']);
  });

  it('readLines: lines parse as JSON with any line break', async () => {
    const lines = await linesOf(fileWith('{"text":"\u2028"}\r\n[1]\r\n'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([{ text: '\u2028' }, [1]]);
  });

  it('readLines: a line may exceed the chunk size, also in a gzip file', async () => {
    expect(Buffer.byteLength(long)).toBeGreaterThan(3 << 20);
    const expected = split(long);
    const one = '0123456789'.repeat(1 << 19);
    expect(await linesOf(fileWith(`a\n${one}\nb`))).toEqual(['a', one, 'b']);
    expect(await linesOf(fileWith(long))).toEqual(expected);
    expect(await linesOf(fileWith(gzipSync(long), '.gz'))).toEqual(expected);
    expect(await linesOf(fileWith(zstdFrame(Buffer.from(long)), '.zst'))).toEqual(expected);
  });

  it('readLines: chunk boundaries do not change the lines', async () => {
    // Concatenated gzip members are one file, decompressed in two chunks.
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'あ', '😀', '\n', '\r\n'), { maxLength: 40 }),
        fc.nat(),
        async (parts, at) => {
          const bytes = Buffer.from(parts.join(''));
          const place = at % (bytes.length + 1);
          const packed = Buffer.concat([gzipSync(bytes.subarray(0, place)), gzipSync(bytes.subarray(place))]);
          expect(await linesOf(fileWith(packed, '.gz'))).toEqual(split(bytes.toString()));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('readLines: progress counts bytes of the file', async () => {
    const packed = gzipSync(long);
    for (const [file, size] of [
      [fileWith(long), Buffer.byteLength(long)],
      [fileWith(packed, '.gz'), packed.length],
    ] as const) {
      const seen: number[] = [];
      let lines = 0;
      for await (const some of readLines(file, (bytes) => seen.push(bytes))) lines += some.length;
      expect(lines).toBe(400);
      expect(seen.at(-1)).toBe(size);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    }
  });
});

describe('readLines errors', () => {
  const random = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * i * 31 + i * 7) % 251));
  const packed = gzipSync('a\nb\n'.repeat(1000));

  it.each<[string, () => string, string]>([
    ['a missing file', () => join(folder, 'nowhere.jsonl'), 'no such file'],
    ['a missing gzip file', () => join(folder, 'nowhere.gz'), 'no such file'],
    ['a folder', () => folder, 'it is a folder; name the files in it'],
    [
      'a corrupt zstd file',
      () => fileWith(Buffer.concat([zstdFrame(Buffer.from('a\n')), random]), '.zst'),
      'not a valid zstd file',
    ],
    [
      'a truncated zstd file',
      () => fileWith(zstdFrame(Buffer.from(long)).subarray(0, -9), '.zst'),
      'the zstd file is truncated',
    ],
    [
      'a corrupt gzip file',
      () => fileWith(Buffer.concat([packed.subarray(0, 12), random]), '.gz'),
      'not a valid gzip file',
    ],
    ['a truncated gzip file', () => fileWith(packed.subarray(0, -9), '.gz'), 'the gzip file is truncated'],
  ])('readLines: reports %s with the reason', async (_, make, reason) => {
    const file = make();
    const { error } = await faultOf(file);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty('message', `${file}: ${reason}`);
  });

  it('readLines: yields the lines before the error', async () => {
    const whole = gzipSync(long);
    const { lines, error } = await faultOf(fileWith(whole.subarray(0, whole.length - 20), '.gz'));
    expect(error).toHaveProperty('message', expect.stringContaining('is truncated'));
    expect(lines.length).toBeGreaterThan(100);
    expect(lines).toEqual(split(long).slice(0, lines.length));
  });
});
