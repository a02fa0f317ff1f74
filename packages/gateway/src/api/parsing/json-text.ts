import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { exactJson } from '@loopwatch/contract';
import type { Steps } from '../../in-slices.ts';
import type { Json } from '../conversation.ts';
import type { StringSpan } from './value-scan.ts';

const BACKSLASH = 92;
const LOWER_U = 117;
/** Bytes of a long string that are parsed without a pause. */
const PIECE_BYTES = 256 * 1024;
/** Placeholder for a long string while what is around it is parsed. */
const MARK = randomUUID();

/** A part of UTF-8 bytes as text. */
export function textOf(raw: Buffer, from = 0, end = raw.length): string {
  // Without characters of several bytes, the faster decoder gives the same.
  return isAscii(raw.subarray(from, end))
    ? raw.toString('latin1', from, end)
    : raw.toString('utf8', from, end);
}

/** The JSON of an object. */
export function* jsonOf(object: Json): Steps<Buffer> {
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const name = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (!Array.isArray(value)) {
      parts.push(Buffer.from(name + JSON.stringify(value)));
      continue;
    }
    parts.push(Buffer.from(`${name}[`));
    for (const [i, element] of value.entries()) {
      const part = Buffer.from((i === 0 ? '' : ',') + JSON.stringify(element));
      parts.push(part);
      yield part.length;
    }
    parts.push(Buffer.from(']'));
  }
  parts.push(Buffer.from(parts.length === 0 ? '{}' : '}'));
  return Buffer.concat(parts);
}

/**
 * Parses a part of a JSON text.
 *
 * @param long its long strings, which are parsed in pieces
 * @throws SyntaxError
 */
export function* parsePart(
  raw: Buffer,
  from: number,
  end: number,
  long: readonly StringSpan[],
): Steps<unknown> {
  const parts: string[] = [];
  const strings = new Map<string, string>();
  let at = from;
  for (const { open, close } of long) {
    const mark = `${MARK}/${String(strings.size)}`;
    parts.push(textOf(raw, at, open), JSON.stringify(mark));
    strings.set(mark, yield* parseString(raw, open, close));
    at = close + 1;
  }
  parts.push(textOf(raw, at, end));
  const value: unknown = exactJson(parts.join(''));
  yield end - from;
  // A long string that is a key, or whose key is repeated, is not where it is looked for.
  return restore(value, strings) === long.length ? value : exactJson(textOf(raw, from, end));
}

/** @throws SyntaxError */
function* parseString(raw: Buffer, open: number, close: number): Steps<string> {
  const pieces: string[] = [];
  for (let at = open + 1; at < close; ) {
    const end = pieceEnd(raw, at, close);
    pieces.push(JSON.parse(`"${textOf(raw, at, end)}"`) as string);
    yield 2 * (end - at);
    at = end;
  }
  return pieces.join('');
}

/** Where a string can be cut: neither in an escape sequence nor in a character. */
function pieceEnd(raw: Buffer, from: number, close: number): number {
  let at = from;
  while (at < close && (at - from < PIECE_BYTES || ((raw[at] ?? 0) & 0xc0) === 0x80))
    at += raw[at] !== BACKSLASH ? 1 : raw[at + 1] === LOWER_U ? 6 : 2;
  return Math.min(at, close);
}

/** Replaces placeholders by their strings. @returns how many were found */
function restore(value: unknown, strings: ReadonlyMap<string, string>): number {
  let found = 0;
  const open = strings.size === 0 ? [] : [value];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const fields = container as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      const inner = fields[key];
      if (typeof inner === 'object' && inner !== null) open.push(inner);
      const string = typeof inner === 'string' ? strings.get(inner) : undefined;
      if (string === undefined) continue;
      fields[key] = string;
      found += 1;
    }
  }
  return found;
}
