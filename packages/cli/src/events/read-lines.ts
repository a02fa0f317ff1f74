import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../errors.ts';

/** Lines that came together, without their line breaks. */
export type Lines = readonly string[];

const LINE_BREAK = 0x0a;
/** As far as git looks to tell text from binary data; what is broken later is a bad line among good ones. */
const SNIFFED_BYTES = 8_000;

/**
 * Reads a file line by line: `-` is the standard input, a name that ends in `.gz` is unpacked. Only `\n` ends a line,
 * since JSON may hold the other Unicode line ends.
 *
 * @param onBytes told of the bytes read so far, as they lie in the file, for progress
 * @throws UsageError when the file cannot be read, or holds a NUL byte near its beginning, which no text does
 */
export async function* readLines(
  file: string,
  onBytes: (bytes: number) => void = ignore,
): AsyncGenerator<Lines> {
  let pending: Buffer[] = [];
  let first = true;
  let isBeginning = true;
  try {
    for await (const chunk of open(file, onBytes)) {
      const binaryAt = isBeginning ? chunk.subarray(0, SNIFFED_BYTES).indexOf(0) : -1;
      isBeginning = false;
      if (binaryAt !== -1)
        throw new UsageError(
          `this is no JSONL: binary data at byte ${String(binaryAt)}; one JSON object a line is expected`,
        );
      const end = chunk.lastIndexOf(LINE_BREAK);
      if (end === -1) {
        pending.push(chunk);
        continue;
      }
      const whole = Buffer.concat([...pending, chunk.subarray(0, end)]);
      pending = [chunk.subarray(end + 1)];
      yield textOf(whole, first).split('\n');
      first = false;
    }
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof UsageError ? error.message : describe(error)}`);
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield [textOf(rest, first)];
}

/** Some editors put a byte order mark in front of a file; it is no part of the first line. */
function textOf(bytes: Buffer, first: boolean): string {
  const text = bytes.toString('utf8');
  return first && text.startsWith('\ufeff') ? text.slice(1) : text;
}

function open(file: string, onBytes: (bytes: number) => void): AsyncIterable<Buffer> {
  const raw: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 });
  let bytes = 0;
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  raw.pause();
  if (!file.endsWith('.gz')) return raw;
  const unpacked = createGunzip({ chunkSize: 1 << 18 });
  raw.on('error', (error) => unpacked.destroy(error));
  return raw.pipe(unpacked);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'reading it is not allowed',
  EISDIR: 'it is a folder; name the files in it',
  Z_DATA_ERROR: 'it is not a sound gzip file',
  Z_BUF_ERROR: 'the gzip file ends too early',
};

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

function ignore(): void {
  // The file was read; a failure to close it changes nothing.
}
