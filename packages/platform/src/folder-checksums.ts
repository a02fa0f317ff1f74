import { closeSync, type Dirent, openSync, readSync, statSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE, syncFolder } from './private-folder.ts';

const FILE_NAME = 'checksums';
/** Damage is located to this many bytes. */
const BLOCK = 64 * 1024;
const READ_BYTES = 16 * BLOCK;
/** How long reading may take, at a start as at a stop: enough for about 1 GB… */
const BUDGET_MS = 1_000;
/** …but this much is read in any case, so that a busy machine checks a small folder as well. */
const MIN_BYTES = 128 * 1024 * 1024;
/** Sentences in a message. */
const MAX_NAMED = 3;

/** A file as it was when its folder was closed: path, bytes, and the checksums of its blocks, as far as time allowed. */
type FileChecksums = readonly [path: string, bytes: number, blocks: readonly number[]];

/** What is known about a folder that another process, or this one earlier, has closed. */
export interface FolderState {
  /** `unknown` if the folder was not closed properly, or is new. */
  readonly state: 'intact' | 'damaged' | 'unknown';
  /** Which files are damaged, and where, as one sentence without its period; empty unless damaged. */
  readonly damage: string;
}

interface Budget {
  /** Monotonic clock, ms. */
  readonly until: number;
  bytes: number;
}

function newBudget(): Budget {
  return { until: performance.now() + BUDGET_MS, bytes: MIN_BYTES };
}

/**
 * Writes the checksums of files that no one will change until the folder is opened again. Call after closing the files.
 *
 * @param entries files and folders in `folder`
 */
export async function writeChecksums(folder: string, entries: readonly string[]): Promise<void> {
  const budget = newBudget();
  const files: FileChecksums[] = [];
  for (const [path, bytes] of await filesIn(folder, entries))
    files.push([path, bytes, await checksumsOf(join(folder, path), bytes, budget)]);
  const text = JSON.stringify(files);
  await writeFile(join(folder, FILE_NAME), `${String(crc32(text))}\n${text}`, { mode: PRIVATE_FILE });
  await syncFolder(folder);
}

/** Compares the files with their checksums; extra files are not looked at. */
export async function verifyChecksums(folder: string): Promise<FolderState> {
  const files = await readChecksums(folder);
  if (files === undefined) return { state: 'unknown', damage: '' };
  const found: string[] = [];
  const budget = newBudget();
  for (const [path, bytes, blocks] of files) {
    const now = sizeOf(join(folder, path));
    if (now === undefined) found.push(`${path} is missing`);
    else if (now !== bytes) found.push(`${path} has ${String(now)} bytes instead of ${String(bytes)}`);
    else {
      const actual = await checksumsOf(join(folder, path), bytes, budget, blocks.length);
      const wrong = actual.findIndex((checksum, block) => checksum !== blocks[block]);
      if (wrong >= 0) {
        const end = Math.min(bytes, (wrong + 1) * BLOCK);
        found.push(`${path} has changed between bytes ${String(wrong * BLOCK)} and ${String(end)}`);
      }
    }
  }
  if (found.length === 0) return { state: 'intact', damage: '' };
  const more = found.length > MAX_NAMED ? [`${String(found.length - MAX_NAMED)} more files`] : [];
  return { state: 'damaged', damage: [...found.slice(0, MAX_NAMED), ...more].join('; ') };
}

/** Call before changing a file. */
export async function removeChecksums(folder: string): Promise<void> {
  await rm(join(folder, FILE_NAME), { force: true });
  await syncFolder(folder);
}

async function readChecksums(folder: string): Promise<FileChecksums[] | undefined> {
  const text = await readFile(join(folder, FILE_NAME), 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== String(crc32(content))) return undefined;
  return JSON.parse(content) as FileChecksums[];
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

/** The files with their sizes, small ones first, because time may not suffice for all. */
async function filesIn(folder: string, entries: readonly string[]): Promise<[string, number][]> {
  const paths: string[] = [];
  for (const entry of entries) {
    const below: Dirent[] | undefined = await readdir(join(folder, entry), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => undefined);
    if (below === undefined) paths.push(entry);
    for (const file of below ?? [])
      if (file.isFile()) paths.push(join(file.parentPath, file.name).slice(folder.length + 1));
  }
  return paths
    .map((path): [string, number] => [path, statSync(join(folder, path)).size])
    .sort(([, a], [, b]) => a - b);
}

/**
 * Reads synchronously, at most a MB before others get their turn: most files of a database are small, and waiting for each takes
 * twice the CPU time.
 *
 * @returns the checksums of the first `limit` blocks, fewer if the budget is spent
 */
async function checksumsOf(
  path: string,
  bytes: number,
  budget: Budget,
  limit = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const checksums: number[] = [];
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(READ_BYTES, bytes)));
  const file = openSync(path, 'r');
  try {
    const mayRead = () => budget.bytes > 0 || performance.now() < budget.until;
    for (let at = 0; at < bytes && checksums.length < limit && mayRead(); ) {
      await setImmediate();
      const bytesRead = readSync(file, buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      // Whole blocks only, except at the end of the file.
      for (let from = 0; from < bytesRead && checksums.length < limit; from += BLOCK)
        checksums.push(crc32(buffer.subarray(from, Math.min(bytesRead, from + BLOCK))));
      at += bytesRead;
      budget.bytes -= bytesRead;
    }
  } finally {
    closeSync(file);
  }
  return checksums;
}
