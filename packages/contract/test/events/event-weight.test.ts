import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../src/events/check.ts';
import { exceededLimit, MAX_LEVELS, MAX_PARTS, MAX_TEXT_UNITS } from '../../src/events/event-weight.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const row = (commas: number) => `[${'1,'.repeat(commas)}1]`;
const event = (member: string) => `{"sessionId":"s","type":"tool_result",${member}}`;

describe('exceededLimit', () => {
  it.each([
    ['as many levels as allowed', nested(MAX_LEVELS), undefined],
    ['one level more', nested(MAX_LEVELS + 1), 'it is nested more than 10,100 levels deep'],
    ['consecutive brackets', `[${'{},'.repeat(5_000)}1]`, undefined],
    ['brackets within strings', JSON.stringify('['.repeat(5_000)), undefined],
    ['brackets after escaped quotes', JSON.stringify(`\\"${'[\\"'.repeat(5_000)}`), undefined],
    [
      'brackets after a string that ends with a backslash',
      `["\\\\",${nested(MAX_LEVELS + 1)}]`,
      'it is nested more than 10,100 levels deep',
    ],
    ['as many parts as allowed', row(MAX_PARTS), undefined],
    ['one part more', row(MAX_PARTS + 1), 'it has more than 100,000 values'],
    ['an unterminated string', `"${'['.repeat(5_000)}`, undefined],
  ])('reports %s', (_, json, expected) => {
    expect(exceededLimit(json)).toBe(expected);
  });

  it('accepts all JSON of ordinary depth', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 20 }),
        fc.string({ minLength: 3_000, maxLength: 3_100 }),
        (json, text) => {
          expect(exceededLimit(`[${json},${JSON.stringify(text)}]`)).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ['an event nested too deeply', event(`"result":${nested(2_000_000)}`), 'too_complex'],
    ['an event with too many values', event(`"result":${row(1_000_000)}`), 'too_complex'],
    [
      'an oversized text',
      `{"sessionId":"s","type":"content","text":"${'x'.repeat(MAX_TEXT_UNITS + 1)}"}`,
      'too_complex',
    ],
    ['a model with a name of 2 kB', event(`"model":"${'m'.repeat(2_000)}"`), 'invalid_event'],
  ])('decodeEvent rejects %s', (_, text, reason) => {
    expect(decodeEvent({ text, key: null })).toMatchObject({ ok: false, reason });
  });

  it('decodeEvent rejects a session id of 2 kB', () => {
    const text = '{"type":"content","text":"x"}';
    expect(decodeEvent({ text, key: 'k'.repeat(2_000) })).toMatchObject({
      ok: false,
      reason: 'invalid_event',
    });
  });
});
