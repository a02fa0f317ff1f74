import { HttpProblem } from '../http/problem.ts';
import type { Reserve } from './buffer-limit.ts';
import { ByteCollector } from './byte-collector.ts';
import { extentOf } from './json-extent.ts';
import { limits } from './limits.ts';

/** One event's text in a body. */
export interface Piece {
  /** The line it begins in, or its place in an array; from 1. */
  readonly line: number;
  /** Undefined where it is larger than an event may be. */
  readonly bytes: Buffer | undefined;
}

export interface SplitOptions {
  /** Whether the body says that it is lines, whatever it looks like. */
  readonly areLines: boolean;
  readonly isJson: (bytes: Buffer) => boolean;
  readonly hold: Reserve;
}

const lineFeed = 0x0a;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * The lines of a body (NDJSON) as they arrive. What begins as a JSON array, or as an object that its first line does not end,
 * is read whole: its elements, the object, or lines after all.
 */
export async function* splitBody(
  chunks: AsyncGenerator<Buffer>,
  { areLines, isJson, hold }: SplitOptions,
): AsyncGenerator<Piece> {
  try {
    const { line, text } = await skipToText(chunks);
    const isArray = text[0] === openBracket && !areLines;
    const { ahead, isOpen } =
      text[0] === openBrace && !areLines
        ? await readFirstLine(text, chunks, hold)
        : { ahead: text, isOpen: false };
    const body = follow(ahead, chunks);
    if (!isArray && !isOpen) {
      yield* lines(body, line, hold);
      return;
    }
    const whole = await collect(body, hold);
    if (isArray && whole.at(-1) === closeBracket) yield* elements(whole, hold);
    else if (isOpen && isJson(whole)) yield { line, bytes: whole };
    else yield* lines([whole], line, hold);
  } finally {
    await chunks.return(undefined);
  }
}

/** Reads up to the first byte that is neither blank nor of a byte order mark. */
async function skipToText(chunks: AsyncGenerator<Buffer>): Promise<{ line: number; text: Buffer }> {
  let line = 1;
  let before = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === lineFeed) line += 1;
      else if (!isBlank(byte) && byte !== byteOrderMark[before + at])
        return { line, text: chunk.subarray(at) };
    }
    before += chunk.length;
  }
  return { line, text: Buffer.alloc(0) };
}

/** Reads ahead until it shows whether an object goes on behind its first line. */
async function readFirstLine(
  text: Buffer,
  chunks: AsyncGenerator<Buffer>,
  hold: Reserve,
): Promise<{ ahead: Buffer; isOpen: boolean }> {
  const collector = new ByteCollector(hold);
  for (let chunk = text; ; ) {
    const feed = chunk.indexOf(lineFeed);
    const end = collector.size + feed;
    collector.add(chunk);
    if (feed !== -1) {
      const ahead = collector.take();
      return { ahead, isOpen: !extentOf(ahead, 0, end).closed };
    }
    const next = collector.size > limits.eventBytes ? undefined : await chunks.next();
    if (next === undefined || next.done === true) return { ahead: collector.take(), isOpen: false };
    chunk = next.value;
  }
}

async function* follow(ahead: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield ahead;
  yield* chunks;
}

async function collect(chunks: AsyncIterable<Buffer>, hold: Reserve): Promise<Buffer> {
  const collector = new ByteCollector(hold);
  for await (const chunk of chunks) {
    if (collector.size + chunk.length > limits.jsonBytes) throw tooLarge();
    collector.add(chunk);
  }
  const whole = collector.take();
  // It is held until the last of it is taken.
  hold(whole.length);
  return trimmed(whole);
}

function tooLarge(): HttpProblem {
  const detail = `An array, or an event over several lines, may have ${String(limits.jsonBytes)} bytes. Send one event a line, as application/x-ndjson, or several requests`;
  return new HttpProblem(413, detail);
}

/** A line that grows too large is dropped up to its end, its neighbours are not. */
async function* lines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  firstLine: number,
  hold: Reserve,
): AsyncGenerator<Piece> {
  const begun = new ByteCollector(hold);
  let line = firstLine;
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const byte = chunk[at];
      if (size === 0 && isBlank(byte)) {
        if (byte === lineFeed) line += 1;
        at += 1;
        continue;
      }
      const feed = chunk.indexOf(lineFeed, at);
      const part = chunk.subarray(at, feed === -1 ? undefined : feed);
      at += part.length;
      size += part.length;
      if (size > limits.eventBytes) begun.take();
      else if (feed === -1 || begun.size > 0) begun.add(part);
      if (feed === -1) continue;
      yield pieceOf(line, size, begun.size > 0 ? begun.take() : part);
      size = 0;
    }
  }
  if (size > 0) yield pieceOf(line, size, begun.take());
}

/** What lies behind the array is read by lines. */
async function* elements(body: Buffer, hold: Reserve): AsyncGenerator<Piece> {
  let place = 0;
  for (let at = skipBlank(body, 1); at < body.length; ) {
    if (place === 0 && body[at] === closeBracket) at += 1;
    else {
      place += 1;
      const { end } = extentOf(body, at, body.length);
      yield pieceOf(place, end - at, body.subarray(at, end));
      at = skipBlank(body, end + 1);
      if (body[end] === comma) continue;
    }
    yield* lines([body.subarray(at)], place + 1, hold);
    return;
  }
}

function pieceOf(line: number, size: number, bytes: Buffer): Piece {
  return { line, bytes: size > limits.eventBytes ? undefined : trimmed(bytes) };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === lineFeed;
}

function skipBlank(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && isBlank(body[at])) at += 1;
  return at;
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isBlank(bytes[end - 1])) end -= 1;
  return bytes.subarray(0, end);
}
