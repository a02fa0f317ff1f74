import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { KnownIds, type KnownIdsSnapshot } from '../../src/session/known-ids.ts';

function loaded(ids: KnownIds): KnownIds {
  const other = new KnownIds();
  other.restore(JSON.parse(JSON.stringify(ids.snapshot())) as KnownIdsSnapshot);
  return other;
}

/** Ids that count up, in several ways, some that only look as if they did, and some that do not. */
const anyId = fc.oneof(
  fc.nat(300).map((n) => `e-${String(n)}`),
  fc.nat(300).map((n) => String(n).padStart(3, '0')),
  fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => `${String(a)}:${String(b)}`),
  fc.nat(100).map((n) => `h${String(n)}`),
  fc.nat(100).map((n) => `h${String(n)}c`),
  fc.nat(100).map((n) => `#${String(n)}`),
  fc.nat(100).map((n) => `t-${String(4_294_967_290 + n)}`),
  fc.constantFrom('', '0', '00', '-', '-0', '-00', '\u{d83d}', 'é', 'é'),
  fc.uuid(),
);
const anyStep = fc.oneof({ weight: 30, arbitrary: anyId }, { weight: 1, arbitrary: fc.constant(null) });

it('KnownIds: knows exactly the added ids, also after a restore', () => {
  let known = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 800, size: 'max' }), (steps) => {
      let ids = new KnownIds();
      const told = new Set<string>();
      for (const step of steps) {
        if (step === null) {
          ids = loaded(ids);
          continue;
        }
        expect(ids.add(step), step).toBe(!told.has(step));
        known += Number(told.has(step));
        told.add(step);
      }
    }),
  );
  expect(known).toBeGreaterThan(500);
});

const patterns: [string, (n: number) => string][] = [
  ['a counter', (n) => `session-1-${String(n)}`],
  ['a counter with leading zeros', (n) => `session-1-${String(n).padStart(9, '0')}`],
  ['a counter of two levels', (n) => `${String(n % 1009)}/${String(Math.floor(n / 1009))}`],
  ['a hexadecimal counter', (n) => `call_${n.toString(16)}`],
  ['a counter after a letter', (n) => `m${String(n)}`],
  ['a counter before a letter', (n) => `h${String(n)}c`],
  ['a long number', (n) => `x-${String(1_760_000_000_000 + n)}`],
  ['a number spread over all bits', (n) => uuid(n)],
];

function uuid(n: number): string {
  const part = (k: number): string =>
    (Math.imul(n ^ (k * 0x9e3779b9), 0x85ebca6b) >>> 0).toString(16).padStart(8, '0');
  return `${part(1)}-${part(2)}-${part(3)}-${part(4)}`;
}

describe('KnownIds takes none of 100,000 new ids for a known one:', () => {
  test.each(patterns)('%s', (_, id) => {
    const ids = new KnownIds();
    const taken = [];
    for (let n = 0; n < 100_000; n += 1) if (!ids.add(id(n))) taken.push(id(n));
    expect(taken).toEqual([]);
  });
});

describe('KnownIds in a long session', () => {
  /** Ids of this form take a hash each. */
  const hashed = (n: number): string => `m${String(n)}`;
  /** Ids of this form take a range each. */
  const withGaps = (n: number): string => `e-${String(1000 * n)}`;
  const told = (count: number, id = hashed): KnownIds => {
    const ids = new KnownIds();
    for (let n = 0; n < count; n += 1) ids.add(id(n));
    return ids;
  };

  describe.each([
    ['hashed', hashed],
    ['ascending, with gaps', withGaps],
  ])('%s', (_, id) => {
    test.each([
      { count: 24_576, forgotten: 0 },
      { count: 49_152, forgotten: 0 },
      { count: 49_153, forgotten: 24_576 },
      { count: 73_728, forgotten: 24_576 },
      { count: 200_000, forgotten: 172_032 },
    ])('forgets exactly the oldest $forgotten of $count ids', ({ count, forgotten }) => {
      const kept = loaded(told(count, id));
      const known = Array.from({ length: count - forgotten }, (_, n) => kept.add(id(forgotten + n)));
      expect(known).not.toContain(true);
      if (forgotten > 0) expect(kept.add(id(forgotten - 1))).toBe(true);
    });
  });

  test('knows 700,000 ascending ids', () => {
    const ids = new KnownIds();
    const count = (n: number): boolean => ids.add(`stream-7-${String(n)}`);
    expect(Array.from({ length: 700_000 }, (_, n) => count(n))).not.toContain(false);
    expect(Array.from({ length: 700_000 }, (_, n) => count(n))).not.toContain(true);
  });

  test('takes less than 1 MiB as JSON if each id takes a hash', () => {
    expect(JSON.stringify(told(49_152).snapshot()).length).toBeLessThan(2 ** 20);
  });

  test('takes less than 3 MiB as JSON for any ids, where a state record may have 4', () => {
    const ids = told(49_152);
    for (let n = 0; n < 49_152; n += 1) ids.add(`-${String(20_000 * n)}`);
    for (let n = 0; n < 49_152; n += 1) ids.add(`${String(n)}-31`);
    expect(JSON.stringify(ids.snapshot()).length).toBeLessThan(3 * 2 ** 20);
  });
});

describe('KnownIds after a restart of the session', () => {
  test.each([
    ['e-1', false],
    ['m1', false],
    ['x#1', false],
    ['#x1', false],
    ['#01', false],
    ['#1', true],
  ])('%s is new: %s', (id, isNew) => {
    const ids = new KnownIds();
    ids.add(id);
    expect(loaded(ids).add(id, true)).toBe(isNew);
    ids.restart();
    expect(loaded(ids).add(id)).toBe(isNew);
    expect(ids.add(id)).toBe(isNew);
    expect(ids.add(id)).toBe(false);
  });
});
