import { loadRecord } from './lines.ts';

const lineFeed = 10;

/** Lines that follow each other without a break, as do their offsets. */
export interface IntactRun {
  /** Of the first record. */
  readonly base: number;
  /** Behind the last record. */
  readonly end: number;
  /** The bytes of the lines in the file, line feeds included. */
  readonly start: number;
  readonly stop: number;
}

/** What a segment's file still holds. */
export interface SegmentContent {
  readonly runs: readonly IntactRun[];
  /** Bytes that belong to no record that can be read. */
  readonly damagedBytes: number;
  /** Bytes behind the last run. */
  readonly trailingBytes: number;
  /** Lines among them. */
  readonly trailingLines: number;
}

/**
 * Finds the records that can be read in a damaged segment. A line counts when its offset follows on the line before, when
 * the line after it follows on its own, or when the line before cannot be read.
 *
 * @param base The segment's first offset.
 * @param next The next segment's, or Infinity.
 */
export function findIntact(bytes: Buffer, base: number, next: number): SegmentContent {
  const lines = Array.from(linesOf(bytes), ({ start, stop }) => {
    const offset = offsetOf(bytes.subarray(start, stop - 1));
    return {
      start,
      stop,
      offset: offset !== undefined && offset >= base && offset < next ? offset : undefined,
    };
  });
  const runs: IntactRun[] = [];
  let current: IntactRun | undefined;
  // The first line has to hold the base, as if there were one before it.
  let expected: number | undefined = base;
  for (const [index, { start, stop, offset }] of lines.entries()) {
    if (offset !== undefined && offset === expected && current !== undefined) {
      current = { ...current, end: offset + 1, stop };
      expected = current.end;
      continue;
    }
    if (current !== undefined) keep(runs, current);
    const counts: boolean =
      expected === undefined ||
      offset === expected ||
      (offset !== undefined && lines[index + 1]?.offset === offset + 1);
    current = offset !== undefined && counts ? { base: offset, end: offset + 1, start, stop } : undefined;
    expected = current?.end;
  }
  if (current !== undefined) keep(runs, current);
  const intact = runs.reduce((sum, { start, stop }) => sum + stop - start, 0);
  const trailing = bytes.subarray(runs.at(-1)?.stop ?? 0);
  return {
    runs,
    damagedBytes: bytes.length - intact,
    trailingBytes: trailing.length,
    trailingLines: countLines(trailing),
  };
}

/** Of two runs that both claim to come first, the longer one is right: a damaged line can hold any offset. */
function keep(runs: IntactRun[], run: IntactRun): void {
  const length = (of: IntactRun) => of.end - of.base;
  for (let last = runs.at(-1); last !== undefined && last.end > run.base; last = runs.at(-1)) {
    if (length(last) > length(run)) return;
    runs.pop();
  }
  runs.push(run);
}

function* linesOf(bytes: Buffer): Generator<{ readonly start: number; readonly stop: number }> {
  for (let start = 0; ; ) {
    const feed = bytes.indexOf(lineFeed, start);
    if (feed === -1) return;
    yield { start, stop: feed + 1 };
    start = feed + 1;
  }
}

function countLines(bytes: Buffer): number {
  const complete = Array.from(linesOf(bytes)).length;
  return bytes.length > 0 && bytes.at(-1) !== lineFeed ? complete + 1 : complete;
}

function offsetOf(line: Buffer): number | undefined {
  try {
    return loadRecord(JSON.parse(line.toString())).offset;
  } catch {
    return undefined;
  }
}
