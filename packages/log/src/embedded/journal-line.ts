import { crc32 } from 'node:zlib';
import type { LogRecord } from '../port/ports.ts';
import type { StateChange } from '../port/task.ts';
import { loadRecord, type StoredRecord, storeRecord } from './lines.ts';

/** A step of a group's task on one topic, as its journal holds it. */
export interface JournalLine {
  readonly topic: string;
  readonly position: number;
  readonly resumeFrom: number;
  readonly state: readonly StateChange[];
  /** The records it writes, by topic, with the offsets they get there. */
  readonly outputs: ReadonlyMap<string, readonly LogRecord[]>;
}

interface StoredLine {
  readonly v: 1;
  readonly topic: string;
  readonly position: number;
  readonly resumeFrom: number;
  readonly state?: readonly (readonly [key: string, value: string | null])[];
  readonly outputs?: readonly (readonly [topic: string, records: readonly StoredRecord[]])[];
}

/** Checksum and JSON, with a line feed. */
export function encodeJournalLine({ topic, position, resumeFrom, state, outputs }: JournalLine): Buffer {
  const stored: StoredLine = {
    v: 1,
    topic,
    position,
    resumeFrom,
    ...(state.length > 0 && { state: state.map(({ key, value }) => [key, value] as const) }),
    ...(outputs.size > 0 && {
      outputs: Array.from(outputs, ([name, records]) => [name, records.map(storeRecord)] as const),
    }),
  };
  const json = Buffer.from(JSON.stringify(stored));
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.from('\n')]);
}

/**
 * The step of one line, without its line feed.
 *
 * @throws Error saying what is wrong with the line; where it stands is for the caller to add.
 */
export function decodeJournalLine(line: Buffer): JournalLine {
  const json = line.subarray(checksumLength + 1);
  if (line.toString('latin1', 0, checksumLength + 1) !== `${checksum(json)} `) {
    throw new Error('its checksum does not match');
  }
  const stored: unknown = JSON.parse(json.toString());
  if (!isStoredLine(stored)) throw new Error('it is not a step');
  const { topic, position, resumeFrom, state = [], outputs = [] } = stored;
  return {
    topic,
    position,
    resumeFrom,
    state: state.map(([key, value]) => ({ key, value })),
    outputs: new Map(outputs.map(([name, records]) => [name, records.map(loadRecord)])),
  };
}

const checksumLength = 8;

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(checksumLength, '0');
}

/** The records of the outputs are checked where they are loaded. */
function isStoredLine(value: unknown): value is StoredLine {
  if (typeof value !== 'object' || value === null) return false;
  const {
    v,
    topic,
    position,
    resumeFrom,
    state = [],
    outputs = [],
  } = value as Partial<Record<string, unknown>>;
  return (
    v === 1 &&
    typeof topic === 'string' &&
    Number.isSafeInteger(position) &&
    Number.isSafeInteger(resumeFrom) &&
    isPairs(state, (entry) => entry === null || typeof entry === 'string') &&
    isPairs(outputs, Array.isArray)
  );
}

function isPairs(value: unknown, isSecond: (second: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (pair: unknown) => Array.isArray(pair) && typeof pair[0] === 'string' && isSecond(pair[1]),
  );
}
