import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LruMap } from '../../src/session/lru-map.ts';

it('LRU map: holds the latest entries, each key once, never more than its limit', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), fc.integer({ min: 1, max: 4 }), (notes, limit) => {
      const map = new LruMap<number>(limit);
      for (const [name, value] of notes) map.set(name, value);
      const expected = notes.filter(([name], i) => notes.findLastIndex(([other]) => other === name) === i);
      expect([...map]).toEqual(expected.slice(-limit));
      for (const [name, value] of map) expect(map.get(name)).toBe(value);
    }),
  );
});
