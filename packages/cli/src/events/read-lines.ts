import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../errors.ts';

/** The lines of one chunk, without their line breaks. */
export type Lines = readonly string[];

const LINE_BREAK = 0x0a;
/**
 * git examines as many bytes to distinguish text from binary data; binary data after that is reported as a bad line.
 */
const SNIFFED_BYTES = 8_000;

/**
 * Reads a file line by line: `-` is stdin, `.gz` files are decompressed. Only `\n` ends a line, because JSON may contain
 * other Unicode line breaks.
 *
 * @param onBytes called with the bytes of the file read so far, before decompression
 * @throws UsageError when the file cannot be read, or has a NUL byte near its beginning, as no text has
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
          `not JSONL: binary data at byte ${String(binaryAt)}; expected one JSON object per line`,
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

/** Drops the byte order mark that some editors put at the start of a file. */
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
  EACCES: 'permission denied',
  EISDIR: 'it is a folder; name the files in it',
  Z_DATA_ERROR: 'not a valid gzip file',
  Z_BUF_ERROR: 'the gzip file is truncated',
};

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

function ignore(): void {
  // Without progress there is nothing to do.
}
