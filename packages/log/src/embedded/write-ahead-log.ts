import { readFile, rm } from 'node:fs/promises';

const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const SHM_HEADER = 48;
/** Positions of 32-bit words in the shared-memory file: how many frames were written, how many are in the database, and the salt. */
const SHM_FRAMES = 4;
const SHM_SALT = 8;
const SHM_COPIED = 24;

/**
 * Looks for damage in the write-ahead log that a killed process has left. SQLite ends at the first frame with a wrong
 * checksum, and says nothing: here, the shared-memory file tells how many frames there were.
 *
 * @param path of the database
 * @returns what was lost, as a sentence; undefined if nothing was
 * @see https://www.sqlite.org/fileformat2.html#walformat and https://www.sqlite.org/walformat.html
 */
export async function mendWriteAheadLog(path: string): Promise<string | undefined> {
  const wal = await readFile(`${path}-wal`).catch(() => Buffer.alloc(0));
  const shm = await readFile(`${path}-shm`).catch(() => Buffer.alloc(0));
  const { frames, salt, pageSize, strayFrames } = readFrames(wal);
  const written = readIndex(shm, salt);
  // Pages that a checkpoint has copied are newer than those of the frames before the damage.
  if (frames < written.copied) await rm(`${path}-wal`, { force: true });
  const known = Math.max(frames, written.copied);
  if (written.frames <= known && strayFrames === 0) return undefined;
  const at = salt === undefined ? 0 : WAL_HEADER + frames * (FRAME_HEADER + pageSize);
  return `The write-ahead log ${path}-wal is damaged or cut off at byte ${String(at)} of ${String(wal.length)}: what was written to the embedded log after that is lost`;
}

/** What the shared-memory file says about this write-ahead log. */
function readIndex(shm: Buffer, salt: Frames['salt']): { frames: number; copied: number } {
  const none = { frames: 0, copied: 0 };
  if (shm.length < (SHM_COPIED + 1) * 4) return none;
  // The header is there twice; copies that differ were being written, or are damaged.
  if (!shm.subarray(0, SHM_HEADER).equals(shm.subarray(SHM_HEADER, 2 * SHM_HEADER))) return none;
  const words = new Uint32Array(new Uint8Array(shm.subarray(0, (SHM_COPIED + 1) * 4)).buffer);
  const isOfThisLog = salt === undefined || (salt[0] === words[SHM_SALT] && salt[1] === words[SHM_SALT + 1]);
  return isOfThisLog ? { frames: words[SHM_FRAMES] ?? 0, copied: words[SHM_COPIED] ?? 0 } : none;
}

interface Frames {
  /** Valid frames up to the last commit. */
  readonly frames: number;
  /** Undefined if the header is invalid. */
  readonly salt: readonly [number, number] | undefined;
  readonly pageSize: number;
  /** Frames of this log that follow an invalid one. */
  readonly strayFrames: number;
}

function readFrames(wal: Buffer): Frames {
  const none: Frames = { frames: 0, salt: undefined, pageSize: 0, strayFrames: 0 };
  if (wal.length < WAL_HEADER || (wal.readUInt32BE(0) & ~1) !== 0x377f0682) return none;
  const isBigEndian = (wal.readUInt32BE(0) & 1) === 1;
  const pageSize = wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const sum = new RollingChecksum(isBigEndian);
  sum.add(wal.subarray(0, 24));
  if (!sum.equals(wal, 24)) return none;
  let frames = 0;
  let strayFrames = 0;
  let isValid = true;
  const size = FRAME_HEADER + pageSize;
  for (let number = 1, at = WAL_HEADER; at + size <= wal.length; number += 1, at += size) {
    const hasSalt = wal.subarray(at + 8, at + 16).equals(salt);
    if (isValid) {
      sum.add(wal.subarray(at, at + 8));
      sum.add(wal.subarray(at + FRAME_HEADER, at + size));
      isValid = hasSalt && sum.equals(wal, at + 16);
      if (isValid && wal.readUInt32BE(at + 4) !== 0) frames = number;
    } else if (hasSalt) strayFrames += 1;
  }
  return { frames, pageSize, strayFrames, salt: saltWords(salt) };
}

/** The salt as the shared-memory file has it: in the byte order of the file, whatever the machine's. */
function saltWords(salt: Buffer): readonly [number, number] {
  const words = new Uint32Array(new Uint8Array(salt).buffer);
  return [words[0] ?? 0, words[1] ?? 0];
}

class RollingChecksum {
  readonly #read: (bytes: Buffer, at: number) => number;
  #a = 0;
  #b = 0;

  constructor(isBigEndian: boolean) {
    this.#read = isBigEndian ? (bytes, at) => bytes.readUInt32BE(at) : (bytes, at) => bytes.readUInt32LE(at);
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 8) {
      this.#a = (this.#a + this.#read(bytes, at) + this.#b) >>> 0;
      this.#b = (this.#b + this.#read(bytes, at + 4) + this.#a) >>> 0;
    }
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a && bytes.readUInt32BE(at + 4) === this.#b;
  }
}
