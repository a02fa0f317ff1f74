import { extentOf } from './json-extent.ts';

/** One event's text in a body. */
export interface Piece {
  /** The line it begins in, or its place in an array; from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

const lineFeed = 0x0a;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;

/** The texts of the elements of a JSON array, of one JSON object over several lines, or of the lines (NDJSON). */
export function* splitBody(body: Buffer, isJson: (piece: Piece) => boolean): Generator<Piece> {
  const start = skipBlank(body, hasByteOrderMark(body) ? 3 : 0, body.length);
  const end = trimEnd(body, start, body.length);
  if (start === end) return;
  if (body[start] === openBracket && body[end - 1] === closeBracket) {
    yield* elements(body, start, end);
    return;
  }
  const whole = { line: 1 + lineFeeds(body, 0, start), start, end };
  const feed = body.indexOf(lineFeed, start);
  const isOver = feed !== -1 && feed < end && body[start] === openBrace;
  // Only an object that is not over with its first line, and is with the last one.
  if (isOver && !extentOf(body, start, feed).closed && isJson(whole)) yield whole;
  else yield* lines(body, start, end, whole.line);
}

function* lines(body: Buffer, from: number, end: number, firstLine: number): Generator<Piece> {
  let line = firstLine;
  for (let at = from; at < end; ) {
    const byte = body[at];
    if (byte === lineFeed) {
      line += 1;
      at += 1;
    } else if (isBlank(byte)) at += 1;
    else {
      const feed = body.indexOf(lineFeed, at);
      const over = feed === -1 || feed > end ? end : feed;
      yield { line, start: at, end: trimEnd(body, at, over) };
      at = over;
    }
  }
}

/** What lies behind the array is read by lines. */
function* elements(body: Buffer, from: number, end: number): Generator<Piece> {
  let place = 0;
  for (let at = skipBlank(body, from + 1, end); at < end; ) {
    if (place === 0 && body[at] === closeBracket) at += 1;
    else {
      place += 1;
      const { end: over } = extentOf(body, at, end);
      yield { line: place, start: at, end: trimEnd(body, at, over) };
      at = skipBlank(body, over + 1, end);
      if (body[over] === comma) continue;
    }
    yield* lines(body, at, end, place + 1);
    return;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === lineFeed;
}

function skipBlank(body: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(body[at])) at += 1;
  return at;
}

function trimEnd(body: Buffer, start: number, from: number): number {
  let end = from;
  while (end > start && isBlank(body[end - 1])) end -= 1;
  return end;
}

/** Byte by byte: a body may be nothing but line feeds, and each search for the next one would cost more. */
function lineFeeds(body: Buffer, from: number, end: number): number {
  let count = 0;
  for (let at = from; at < end; at += 1) if (body[at] === lineFeed) count += 1;
  return count;
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}
