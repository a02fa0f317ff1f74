import { closeSync, createReadStream, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { UsageError } from '../errors.ts';
import { encodingOf } from '../runtime/text-encoding.ts';
import { decompressed } from './compression.ts';

/** The lines of one chunk, without their line breaks. */
export type Lines = readonly string[];

const LINE_BREAK = 0x0a;
const CHUNK_BYTES = 1 << 20;
/** For what is written to a file while it is read. */
const LAST_CHUNK_BYTES = 1 << 12;
/**
 * git examines as many bytes to distinguish text from binary data; binary data after that is reported as a bad line.
 */
const SNIFFED_BYTES = 8_000;

/**
 * Reads a file line by line: `-` is stdin; gzip and zstd are decompressed, and logs of Inspect AI are unpacked. Only `\n` ends
 * a line, because JSON may contain other Unicode line breaks. Text is UTF-8, or UTF-16 with its byte order mark.
 *
 * @param onBytes called with the bytes of the file read so far, before decompression
 * @throws UsageError when the file cannot be read, or is no text: it is an archive, or has a NUL byte near its beginning
 */
export async function* readLines(
  file: string,
  onBytes: (bytes: number) => void = ignore,
): AsyncGenerator<Lines> {
  let pending: Buffer[] = [];
  let isFirstLine = true;
  let isBeginning = true;
  try {
    for await (const chunk of inUtf8(decompressed(open(file, onBytes)))) {
      const fault = isBeginning ? binaryFault(chunk, file) : undefined;
      isBeginning = false;
      if (fault !== undefined) throw new UsageError(fault);
      const lines: string[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, from)) {
        // Decoding each line takes a third of the time of decoding the chunk: most lines are ASCII, few chunks are.
        const line = chunk.subarray(from, end);
        lines.push(textOf(pending.length === 0 ? line : Buffer.concat([...pending, line]), isFirstLine));
        pending = [];
        isFirstLine = false;
        from = end + 1;
      }
      if (from < chunk.length) pending.push(chunk.subarray(from));
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    const reason = error instanceof UsageError ? error.message : describeFailure(error);
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield [textOf(rest, isFirstLine)];
}

/** What other files begin with, in hexadecimal, and how to get JSON out of them. */
const containers: readonly (readonly [beginning: string, fault: (file: string) => string])[] = [
  ['50415231', (file) => `a Parquet file: run \`duckdb -c "COPY '${file}' TO 'records.json'"\` first`],
];

/** Why the beginning of a file is no text; undefined if it is. */
function binaryFault(chunk: Buffer, file: string): string | undefined {
  const beginning = chunk.toString('hex', 0, 4);
  const [, container] = containers.find(([signature]) => beginning.startsWith(signature)) ?? [];
  if (container !== undefined) return container(file);
  if (chunk.toString('latin1', 257, 262) === 'ustar') return 'a tar archive: unpack it first';
  const binaryAt = chunk.subarray(0, SNIFFED_BYTES).indexOf(0);
  if (binaryAt === -1) return undefined;
  return `not JSONL: binary data at byte ${String(binaryAt)}; expected one JSON object per line`;
}

/** Decodes UTF-16. */
async function* inUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of chunks) {
    const encoding = isFirst ? encodingOf(chunk) : 'utf-8';
    if (encoding !== 'utf-8') decoder = new TextDecoder(encoding);
    isFirst = false;
    yield decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  }
}

/** Drops the byte order mark that some editors put at the start of a file. */
function textOf(bytes: Buffer, isFirstLine: boolean): string {
  const text = bytes.toString('utf8');
  return isFirstLine && text.startsWith('\ufeff') ? text.slice(1) : text;
}

function open(file: string, onBytes: (bytes: number) => void): AsyncIterable<Buffer> {
  const stats = file === '-' ? undefined : statSync(file);
  if (stats?.isFile() === true) return readChunks(file, stats, onBytes);
  const raw: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let bytes = 0;
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  raw.pause();
  return raw;
}

/** Histories are many small files: a stream of each waits more for threads than for the disk. */
async function* readChunks(
  file: string,
  { size }: Stats,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    for (let bytes = 0; ; ) {
      const rest = Math.max(size - bytes, LAST_CHUNK_BYTES);
      const chunk = Buffer.allocUnsafe(Math.min(rest, CHUNK_BYTES));
      const length = readSync(descriptor, chunk);
      if (length === 0) return;
      bytes += length;
      onBytes(bytes);
      yield chunk.subarray(0, length);
      await otherWork();
    }
  } finally {
    closeSync(descriptor);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder; name the files in it',
  Z_DATA_ERROR: 'not a valid gzip file',
  Z_BUF_ERROR: 'the gzip file is truncated',
  ZSTD_error: 'not a valid zstd file',
  ZSTD_truncated: 'the zstd file is truncated',
};

/** Why a file or folder cannot be read, in words. */
export function describeFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

function ignore(): void {
  // Without progress there is nothing to do.
}
