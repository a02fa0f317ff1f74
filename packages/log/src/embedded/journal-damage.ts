import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { decodeJournalLine, type JournalLine } from './journal-line.ts';

const lineFeed = 10;

/** A group's journal with a line that cannot be read before its last one. */
export interface JournalDamage {
  readonly path: string;
  readonly group: string;
  /** The first line that cannot be read, from 1 on. */
  readonly line: number;
  /** Bytes before it, which stay, and those from it on, which go aside. */
  readonly intactBytes: number;
  readonly damagedBytes: number;
  /** Where the group goes on in each topic, and how far it had come. */
  readonly positions: ReadonlyMap<string, { readonly from: number; readonly reached: number }>;
}

export interface JournalFindings {
  readonly damage: JournalDamage | undefined;
  /** Offsets up to which the topics have held records for sure. */
  readonly reached: ReadonlyMap<string, number>;
}

/**
 * Reads a journal to its end. State comes in changes, so that what stands behind a lost line cannot be trusted: the group
 * goes on at the step before it and takes those behind it a second time.
 */
export async function examineJournal(path: string): Promise<JournalFindings> {
  const bytes = await readFile(path);
  const reached = new Map<string, number>();
  const intact = new Map<string, number>();
  const last = new Map<string, number>();
  let damagedAt: { readonly line: number; readonly at: number } | undefined;
  let at = 0;
  for (let line = 1; at < bytes.length; line += 1) {
    const feed = bytes.indexOf(lineFeed, at);
    const stop = feed === -1 ? bytes.length : feed;
    const step = feed === -1 ? undefined : decode(bytes.subarray(at, stop));
    const next = stop + 1;
    if (step !== undefined) {
      if (damagedAt === undefined) intact.set(step.topic, step.position);
      last.set(step.topic, step.position);
      raise(reached, step.topic, step.position);
      // A start appends those of the last line.
      const isLast = next >= bytes.length && damagedAt === undefined;
      for (const [topic, records] of step.outputs) {
        const record = isLast ? records[0] : records.at(-1);
        if (record !== undefined) raise(reached, topic, isLast ? record.offset : record.offset + 1);
      }
    } else if (next < bytes.length) damagedAt ??= { line, at };
    at = next;
  }
  if (damagedAt === undefined) return { damage: undefined, reached };
  const damage = {
    path,
    group: basename(path, '.journal'),
    line: damagedAt.line,
    intactBytes: damagedAt.at,
    damagedBytes: bytes.length - damagedAt.at,
    positions: new Map(
      Array.from(last, ([topic, position]) => [topic, { from: intact.get(topic) ?? 0, reached: position }]),
    ),
  };
  return { damage, reached };
}

function raise(ends: Map<string, number>, topic: string, end: number): void {
  ends.set(topic, Math.max(ends.get(topic) ?? 0, end));
}

function decode(line: Buffer): JournalLine | undefined {
  try {
    return decodeJournalLine(line);
  } catch {
    return undefined;
  }
}
