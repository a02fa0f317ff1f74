import type { Steps } from '../../in-slices.ts';
import { CLOSE_LIST, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.ts';
import { type StringSpan, ValueScan } from './value-scan.ts';

/*
 * Finds the elements of a list in the bytes of a JSON text. The text must be valid JSON; otherwise the result is
 * arbitrary.
 */

/** How many bytes are scanned without a pause. */
const SCAN_BYTES = 256 * 1024;

/** Offsets of an element of a list. */
export interface ElementSpan {
  readonly at: number;
  readonly end: number;
  /** Its long strings. */
  readonly long: readonly StringSpan[];
}

/** The offset after the `[` of the list with this key in the outermost object; undefined if there is none. */
export function* historyStart(raw: Buffer, key: string): Steps<number | undefined> {
  let at = afterSpace(raw, 0);
  if (raw[at] !== OPEN_OBJECT) return undefined;
  do {
    at = afterSpace(raw, at + 1);
    if (raw[at] !== QUOTE) return undefined;
    const end = yield* endOf(new ValueScan(raw, at));
    const isFound = end - at === key.length + 2 && raw.toString('latin1', at + 1, end - 1) === key;
    at = afterSpace(raw, end);
    if (raw[at] !== COLON) return undefined;
    at = afterSpace(raw, at + 1);
    if (isFound && raw[at] === OPEN_LIST) return at + 1;
    at = afterSpace(raw, yield* endOf(new ValueScan(raw, at)));
  } while (raw[at] === COMMA);
  return undefined;
}

/**
 * The next element of a list.
 *
 * @param from the offset after the previous element, or after the list's `[`
 * @returns the offset of the list's `]` if it follows instead; undefined if the element is not an object
 */
export function* nextElement(
  raw: Buffer,
  from: number,
  isFirst: boolean,
): Steps<ElementSpan | number | undefined> {
  let at = afterSpace(raw, from);
  if (raw[at] === CLOSE_LIST) return at;
  if (!isFirst) {
    if (raw[at] !== COMMA) return undefined;
    at = afterSpace(raw, at + 1);
  }
  if (raw[at] !== OPEN_OBJECT) return undefined;
  const scan = new ValueScan(raw, at);
  return { at, end: yield* endOf(scan), long: scan.long };
}

function* endOf(scan: ValueScan): Steps<number> {
  for (;;) {
    const end = scan.advance(SCAN_BYTES);
    if (end !== undefined) return end;
    yield SCAN_BYTES;
  }
}

function afterSpace(raw: Buffer, from: number): number {
  let at = from;
  for (let byte = raw[at]; byte === 32 || byte === 10 || byte === 13 || byte === 9; byte = raw[at]) at += 1;
  return at;
}
