import { extentOf } from '../http/json-extent.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Reserve } from './buffer-limit.ts';

import { limits } from './limits.ts';

/** The text of one event of a body. */
export interface Piece {
  /** The line that it starts on, or its position in an array; from 1. */
  readonly line: number;
  /** Undefined when it exceeds the size of an event. */
  readonly bytes: Buffer | undefined;
}

export interface SplitOptions {
  /** Whether the request declares the body as NDJSON, regardless of its content. */
  readonly isNdjson: boolean;
  readonly isJson: (bytes: Buffer) => boolean;
  readonly reserve: Reserve;
}

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * Yields the lines of an NDJSON body as they arrive. A body that starts as a JSON array, or as an object that spans several
 * lines, is buffered whole and yields its elements or the object; when it turns out to be neither, its lines.
 */
export async function* splitBody(
  chunks: AsyncGenerator<Buffer>,
  { isNdjson, isJson, reserve }: SplitOptions,
): AsyncGenerator<Piece> {
  try {
    const { line, text } = await skipToText(chunks);
    const isArray = text[0] === OPEN_BRACKET && !isNdjson;
    const { ahead, isOpen } =
      text[0] === OPEN_BRACE && !isNdjson
        ? await readFirstLine(text, chunks, reserve)
        : { ahead: text, isOpen: false };
    const body = follow(ahead, chunks);
    if (!isArray && !isOpen) {
      yield* lines(body, line, reserve);
      return;
    }
    const whole = await collect(body, reserve);
    if (isArray && whole.at(-1) === CLOSE_BRACKET) yield* elements(whole, reserve);
    else if (isOpen && isJson(whole)) yield { line, bytes: whole };
    else yield* lines([whole], line, reserve);
  } finally {
    await chunks.return(undefined);
  }
}

/** Skips blanks and a byte order mark. */
async function skipToText(chunks: AsyncGenerator<Buffer>): Promise<{ line: number; text: Buffer }> {
  let line = 1;
  let before = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === LINE_FEED) line += 1;
      else if (!isBlank(byte) && byte !== byteOrderMark[before + at])
        return { line, text: chunk.subarray(at) };
    }
    before += chunk.length;
  }
  return { line, text: Buffer.alloc(0) };
}

/** Reads ahead to find out whether an object continues after its first line. */
async function readFirstLine(
  text: Buffer,
  chunks: AsyncGenerator<Buffer>,
  reserve: Reserve,
): Promise<{ ahead: Buffer; isOpen: boolean }> {
  const collector = new ByteCollector(reserve);
  for (let chunk = text; ; ) {
    const feed = chunk.indexOf(LINE_FEED);
    const end = collector.size + feed;
    collector.add(chunk);
    if (feed !== -1) {
      const ahead = collector.drain();
      return { ahead, isOpen: !extentOf(ahead, 0, end).closed };
    }
    const next = collector.size > limits.eventBytes ? undefined : await chunks.next();
    if (next === undefined || next.done === true) return { ahead: collector.drain(), isOpen: false };
    chunk = next.value;
  }
}

async function* follow(ahead: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield ahead;
  yield* chunks;
}

async function collect(chunks: AsyncIterable<Buffer>, reserve: Reserve): Promise<Buffer> {
  const collector = new ByteCollector(reserve);
  for await (const chunk of chunks) {
    if (collector.size + chunk.length > limits.jsonBytes) throw bodyTooLarge();
    collector.add(chunk);
  }
  const whole = collector.drain();
  // Reserved until the request ends: the pieces are views of it.
  reserve(whole.length);
  return trimmed(whole);
}

function bodyTooLarge(): HttpProblem {
  const detail = `An array, or an event over several lines, may have at most ${String(limits.jsonBytes)} bytes. Send one event per line as application/x-ndjson, or split the request`;
  return new HttpProblem(413, detail);
}

/** A line that grows too large is skipped to its end. */
async function* lines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  firstLine: number,
  reserve: Reserve,
): AsyncGenerator<Piece> {
  const partial = new ByteCollector(reserve);
  let line = firstLine;
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const byte = chunk[at];
      if (size === 0 && isBlank(byte)) {
        if (byte === LINE_FEED) line += 1;
        at += 1;
        continue;
      }
      const feed = chunk.indexOf(LINE_FEED, at);
      const part = chunk.subarray(at, feed === -1 ? undefined : feed);
      at += part.length;
      size += part.length;
      if (size > limits.eventBytes) partial.drain();
      else if (feed === -1 || partial.size > 0) partial.add(part);
      if (feed === -1) continue;
      yield pieceOf(line, size, partial.size > 0 ? partial.drain() : part);
      size = 0;
    }
  }
  if (size > 0) yield pieceOf(line, size, partial.drain());
}

/** The elements of an array; text after the array is read line by line. */
async function* elements(body: Buffer, reserve: Reserve): AsyncGenerator<Piece> {
  let position = 0;
  for (let at = skipBlank(body, 1); at < body.length; ) {
    if (position === 0 && body[at] === CLOSE_BRACKET) at += 1;
    else {
      position += 1;
      const { end } = extentOf(body, at, body.length);
      yield pieceOf(position, end - at, body.subarray(at, end));
      at = skipBlank(body, end + 1);
      if (body[end] === COMMA) continue;
    }
    yield* lines([body.subarray(at)], position + 1, reserve);
    return;
  }
}

function pieceOf(line: number, size: number, bytes: Buffer): Piece {
  return { line, bytes: size > limits.eventBytes ? undefined : trimmed(bytes) };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === LINE_FEED;
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

/** Joins chunks into one buffer. They are copied: views would keep alive the whole buffers that they are cut from. */
class ByteCollector {
  readonly #reserve: Reserve;
  #bytes = Buffer.alloc(0);
  #size = 0;

  constructor(reserve: Reserve) {
    this.#reserve = reserve;
  }

  get size(): number {
    return this.#size;
  }

  add(part: Buffer): void {
    this.#reserve(part.length);
    const size = this.#size + part.length;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  /** Returns the bytes collected so far, and starts over. */
  drain(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#size);
    this.#reserve(-this.#size);
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    return bytes;
  }
}
