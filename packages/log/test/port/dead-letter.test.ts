import { createHash } from 'node:crypto';
import { deadLetterHeaders as names } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadLetter, letterSize } from '../../src/port/dead-letter.ts';
import { BytesRecord } from '../../src/port/records.ts';

const topicPartition = { topic: 'events', partition: 3 };
const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((array) => Buffer.from(array));
const maybe = (max: number) => fc.option(bytes(max), { nil: null });
const KIB = 1024;

const made = (
  {
    key,
    value,
    headers = {},
  }: { key: Buffer | null; value: Buffer | null; headers?: Record<string, Buffer> },
  maxBytes: number,
  message = 'no JSON',
) => {
  const record = new BytesRecord({ offset: 41, timestamp: 1, key, value, headers });
  const letter = deadLetter('dead-letters', record, topicPartition, 'not_json', message, maxBytes);
  return { ...letter, text: (name: string) => letter.headers?.[name]?.toString() };
};

describe('a dead letter', () => {
  it('a dead letter: holds the whole record if it fits', () => {
    const letter = made(
      { key: Buffer.from('k'), value: Buffer.from('v'), headers: { a: Buffer.from('b') } },
      KIB,
    );
    expect([letter.key, letter.value, letter.text('a'), letter.text(names.truncated)]).toEqual([
      Buffer.from('k'),
      Buffer.from('v'),
      'b',
      undefined,
    ]);
  });

  it.each([
    { what: 'value', record: { key: Buffer.from('k'), value: Buffer.alloc(300 * KIB, 1) } },
    { what: 'key', record: { key: Buffer.alloc(300 * KIB, 1), value: Buffer.from('v') } },
    {
      what: 'header',
      record: {
        key: null,
        value: Buffer.from('v'),
        headers: { large: Buffer.alloc(300 * KIB), small: Buffer.from('s') },
      },
    },
    {
      what: 'row of headers',
      record: {
        key: null,
        value: Buffer.from('v'),
        headers: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, i) => [`h${String(i)}`, Buffer.from('x')]),
        ),
      },
    },
  ])('a dead letter: is truncated if its $what is too large, with the original sizes', ({ record }) => {
    const letter = made(record, 200 * KIB);
    expect(letterSize(letter)).toBeLessThanOrEqual(200 * KIB);
    const sizes = JSON.parse(letter.text(names.truncated) ?? '') as Record<string, number>;
    expect([sizes['key'], sizes['value']]).toEqual([record.key?.length ?? 0, record.value.length]);
    expect(letter.text(names.sha256)).toBe(createHash('sha256').update(record.value).digest('hex'));
    expect([names.code, names.topic, names.partition, names.offset].map(letter.text)).toEqual([
      'not_json',
      'events',
      '3',
      '41',
    ]);
  });

  it('a dead letter: never exceeds its limit, and keeps the start of everything', () => {
    fc.assert(
      fc.property(
        fc.record({
          key: maybe(100_000),
          value: maybe(300_000),
          headers: fc.dictionary(fc.string({ maxLength: 20 }), bytes(50_000), {
            maxKeys: 5,
            noNullPrototype: true,
          }),
        }),
        fc.integer({ min: 160 * KIB, max: 300 * KIB }),
        fc.string({ maxLength: 5_000 }),
        (record, maxBytes, message) => {
          const letter = made(record, maxBytes, message);
          expect(letterSize(letter)).toBeLessThanOrEqual(maxBytes);
          for (const part of ['key', 'value'] as const) {
            const kept = letter[part] as Buffer | null;
            expect(kept === null).toBe(record[part] === null);
            if (kept !== null) expect(record[part]?.subarray(0, kept.length).equals(kept)).toBe(true);
          }
          const whole =
            letter.value?.length === record.value?.length && letter.key?.length === record.key?.length;
          if (!whole) expect(letter.text(names.truncated)).toBeDefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});
