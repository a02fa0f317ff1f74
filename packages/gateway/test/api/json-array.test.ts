import { exactJson } from '@loopwatch/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonArrayCutter } from '../../src/api/json-array.ts';

const element = fc.object({ maxDepth: 3 });
const separator = fc.constantFrom(',', ',\n', ' ,\r\n  ');

it('a JSON array is cut into its objects for any chunking, without losing a byte', () => {
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 6 }),
      separator,
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(undefined, 2),
      (elements, between, size, indent) => {
        const written = elements.map((each) => JSON.stringify(each, null, indent));
        const bytes = Buffer.from(`[${written.join(between)}\n]\n`);
        const cutter = new JsonArrayCutter(1_000_000);
        const events = [];
        for (let at = 0; at < bytes.length; at += size)
          events.push(...cutter.take(bytes.subarray(at, at + size)));
        const end = events.pop();
        expect([end?.data, end?.raw.toString().trim().at(-1)]).toEqual(['', ']']);
        expect(events.map(({ json }) => json)).toEqual(written.map(exactJson));
        const sent = [...events, end].map((event) => event?.raw ?? Buffer.alloc(0));
        expect(Buffer.concat([...sent, cutter.rest()])).toEqual(bytes);
      },
    ),
  );
});

it('a JSON array: an object over the limit is detected, and its bytes returned', () => {
  const cutter = new JsonArrayCutter(10);
  expect(cutter.take(Buffer.from('[{"a":1},{"b":'))).toHaveLength(1);
  expect(cutter.isTooLarge).toBe(false);
  expect(cutter.take(Buffer.from('"more than ten'))).toEqual([]);
  expect(cutter.isTooLarge).toBe(true);
  expect(cutter.rest().toString()).toBe(',{"b":"more than ten');
});
