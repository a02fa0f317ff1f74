import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseCutter } from '../../src/api/sse.ts';

/** The events of a text that comes in these pieces, and what is left of it. */
function cut(bytes: Buffer, places: readonly number[], limit = 10_000) {
  const cutter = new SseCutter(limit);
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const pieces = [0, ...at].map((from, i) => bytes.subarray(from, [...at, bytes.length][i]));
  const events = pieces.flatMap((piece) => cutter.take(piece));
  return { events, rest: cutter.rest() };
}

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, ' ')}`),
  fc.constantFrom('data:no space', 'data:', ': comment', 'event: ping', 'id: 7', 'data: a', ''),
);
const stream = fc
  .tuple(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => Buffer.from(lines.join(end) + end));

describe('server-sent events', () => {
  it('server-sent events: are split the same for any chunking, without losing a byte', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 500 }), { maxLength: 10 }), (bytes, places) => {
        const whole = cut(bytes, []);
        const inPieces = cut(bytes, places);
        expect(inPieces.events).toEqual(whole.events);
        expect(Buffer.concat([...inPieces.events.map(({ raw }) => raw), inPieces.rest])).toEqual(bytes);
      }),
    );
  });

  it.each([
    ['data: {"a":1}\n\n', ['{"a":1}']],
    ['data: a\ndata: b\n\n', ['a\nb']],
    ['event: x\r\ndata: a\r\n\r\ndata:b\r\n\r\n', ['a', 'b']],
    [': note\n\ndata: a\n\n', ['', 'a']],
    ['\n\ndata: a\n\n', ['a']],
    ['data: a\n', []],
    [':\n\nx\n\ndata: \n\n', ['', '', '']],
    ['data: a\r\ndata: b\n\n', ['a\nb']],
    ['data: a\r\n\r\r\ndata: b\r\r\n\n', ['a', 'b\r']],
    ['data: a\r\rdata: b\n\r\r', ['a', 'b']],
  ])('%j contains the data %j', (text, data) => {
    expect(cut(Buffer.from(text), []).events.map((event) => event.data)).toEqual(data);
  });

  it('server-sent events: an event over the limit is detected, and its bytes returned', () => {
    const cutter = new SseCutter(10);
    expect(cutter.take(Buffer.from('data: a\n\ndata: '))).toHaveLength(1);
    expect(cutter.isTooLarge).toBe(false);
    expect(cutter.take(Buffer.from('b\n\ndata: more than ten'))).toHaveLength(1);
    expect(cutter.isTooLarge).toBe(true);
    expect(cutter.rest().toString()).toBe('data: more than ten');
  });
});
