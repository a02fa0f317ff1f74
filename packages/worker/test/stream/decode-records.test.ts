import { from, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { InputRecord, Outcome } from '../../src/records.ts';
import { decodeRecords, type EventRecord } from '../../src/stream/decode.ts';
import { inWords, marbles, record } from './marbles.ts';

const records = {
  a: record(0, { type: 'content', text: 'a', sessionId: 's' }),
  b: record(1, 'no json'),
  k: record(2, { type: 'turn_started' }, 'keyed'),
};
const words = { a: 'event of s @0', b: 'not_json @1', k: 'event of keyed @2' };

describe('decodeRecords', () => {
  it('turns each record into an event or a dead letter, synchronously and in order', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold(' -a-bk-a-|', records);
      const sub = '        ^-------!';
      const output = '     -a-bk-a-|';
      expectObservable(input.pipe(decodeRecords(), map(inWords))).toBe(output, words);
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('propagates an error of its source', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold(' -ab--#', records, new Error('the source failed'));
      const sub = '        ^----!';
      const output = '     -ab--#';
      expectObservable(input.pipe(decodeRecords(), map(inWords))).toBe(
        output,
        words,
        new Error('the source failed'),
      );
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it.each([
    ['a source that completes immediately', '|', '(^!)'],
    ['an empty source that completes later', '---|', '^--!'],
    ['a source that never emits', '----', '^---'],
  ])('emits nothing for %s', (_, drawn, sub) => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold<InputRecord>(drawn);
      expectObservable(input.pipe(decodeRecords())).toBe(drawn);
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('unsubscribes from its source when unsubscribed', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const input = hot('  -a-b-k-a-', records);
      const leave = '      ----!';
      const sub = '        ^---!';
      const output = '     -a-b-';
      expectObservable(input.pipe(decodeRecords(), map(inWords)), leave).toBe(output, words);
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it.each<[string, unknown, string | null, Partial<Extract<Outcome, { type: 'dead_letter' }>>]>([
    ['a tombstone', null, 's', { reason: 'empty_value' }],
    ['an empty text', '', 's', { reason: 'not_json' }],
    ['truncated JSON', '{"type":"content",', 's', { reason: 'not_json' }],
    ['an array', [], 's', { reason: 'not_an_object', message: 'expected a JSON object, got an array' }],
    ['null', 'null', 's', { reason: 'not_an_object', message: 'expected a JSON object, got null' }],
    ['a number', '7', 's', { reason: 'not_an_object', message: 'expected a JSON object, got a number' }],
    ['an object without a type', {}, 's', { reason: 'invalid_event' }],
    ['a content event without text', { type: 'content' }, 's', { reason: 'invalid_event' }],
    ['an event without a session', { type: 'turn_started' }, null, { reason: 'missing_session' }],
    ['an event with an empty key', { type: 'turn_started' }, '', { reason: 'missing_session' }],
  ])('emits a dead letter for %s, with the record and a message', (_, value, key, expected) => {
    const bad = record(7, value, key);
    expect(decoded(bad)).toEqual([
      { type: 'dead_letter', record: bad, reason: '', message: expect.stringMatching(/./), ...expected },
    ]);
    expect(decoded(bad)[0]).toHaveProperty('record', bad);
  });

  it('passes on the original record object, including its bytes', () => {
    const bytes = {
      offset: 5,
      timestamp: 1,
      key: Buffer.from('from-key'),
      text: '{"type":"content","text":"ä"}',
      more: 'of the record',
    };
    const [item] = decoded(bytes);
    expect(item?.record).toBe(bytes);
    expect(item).toMatchObject({ type: 'event', sessionId: 'from-key', event: { text: 'ä' } });
  });

  it('prefers the session named in the value over the key', () => {
    const [item] = decoded(record(0, { type: 'turn_started', sessionId: 'value' }, 'key'));
    expect(item).toMatchObject({ sessionId: 'value' });
  });
});

/** What records become, all at once. */
function decoded<R extends InputRecord>(...input: R[]): (EventRecord<R> | Outcome<R>)[] {
  const items: (EventRecord<R> | Outcome<R>)[] = [];
  from(input)
    .pipe(decodeRecords())
    .subscribe((item) => items.push(item));
  return items;
}
