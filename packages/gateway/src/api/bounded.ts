import { crc32 } from 'node:zlib';
import type { ToolCall } from './conversation.ts';

/** Longer texts and values are judged, reported and stored without their middle, UTF-16 units. */
const MAX_UNITS = 1024 * 1024;
const PIECE_UNITS = 64 * 1024;
/** Units that a value takes besides its text. */
const VALUE_UNITS = 8;

/** A text of bounded length. If the middle is left out, a checksum of the whole tells two such texts apart. */
export function boundedText(text: string): string {
  if (text.length <= MAX_UNITS) return text;
  const left = text.length - MAX_UNITS;
  const half = MAX_UNITS / 2;
  const note = `(${String(left)} characters left out, checksum ${String(checksumOf(text))})`;
  return `${text.slice(0, half)}\n${note}\n${text.slice(-half)}`;
}

/** The low bytes are enough to tell texts apart, and are copied much faster than others are encoded. */
function checksumOf(text: string): number {
  const piece = Buffer.allocUnsafe(PIECE_UNITS);
  let checksum = 0;
  for (let at = 0; at < text.length; at += PIECE_UNITS) {
    const bytes = piece.write(text.slice(at, at + PIECE_UNITS), 'latin1');
    checksum = crc32(piece.subarray(0, bytes), checksum);
  }
  return checksum;
}

/** A result of bounded length: a long one that is not a text becomes the text of its JSON. */
export function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return boundedText(value);
  return isLong(value) ? boundedText(JSON.stringify(value)) : value;
}

/** A call with arguments of bounded length. */
export function boundedCall(call: ToolCall): ToolCall {
  const { args } = call;
  if (typeof args === 'string' ? args.length <= MAX_UNITS : !isLong(args)) return call;
  return { ...call, args: boundedText(typeof args === 'string' ? args : JSON.stringify(args)) };
}

function isLong(value: unknown): boolean {
  let units = 0;
  const open = [value];
  while (open.length > 0 && units <= MAX_UNITS) {
    const one = open.pop();
    units += VALUE_UNITS + (typeof one === 'string' ? one.length : 0);
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) open.push(inner);
  }
  return units > MAX_UNITS;
}
