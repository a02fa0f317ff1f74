import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { schemaDocument } from '../../../../scripts/reference/json-schemas.ts';
import { decodeEvent, isAgentEvent } from '../../src/events/check.ts';
import {
  eventSchema,
  eventTime,
  eventTypes,
  jsonFrom,
  shortName,
  storableJson,
  storableText,
} from '../../src/index.ts';

/** Valid values of event fields, and nearly valid ones. */
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(null, '', 'a', 1, 0, -1, 1.5, 2, 8.64e15 + 1, true, false) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('x'.repeat(1024), 'x'.repeat(1025), '😀'.repeat(256), '😀'.repeat(1025)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '2024-02-29T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2024-01-01T23:59:60Z',
      '2024-01-01',
    ),
  },
  { weight: 2, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { inputTokens: 1 },
      { outputTokens: 'x' },
      { inputTokens: null },
      { inputTokens: -1 },
      { outputTokens: 1e13 },
      ['a'],
      [1],
      {},
      [],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

const type = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<unknown>(...eventTypes) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('image', '', 'toString', '__proto__', null, 5) },
);

const fields = ['v', 'id', 'sessionId', 'time', 'promptId', 'model', 'backend', 'agent', 'tenant', 'text'];
const moreFields = [
  'callId',
  'name',
  'args',
  'result',
  'isError',
  'usage',
  'finishReason',
  'set',
  'unset',
  'extra',
];

/** Few fields at a time, so that many values are accepted. */
const eventLike = fc
  .tuple(type, fc.dictionary(fc.constantFrom(...fields, ...moreFields), value, { maxKeys: 4 }))
  .map(([kind, rest]): unknown => JSON.parse(JSON.stringify({ ...rest, type: kind })));

const published = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false }).compile(
  schemaDocument('event'),
);

it('event validation: the compiled check, zod and the published schema agree on every value', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(eventLike, (candidate) => {
      const sound = isAgentEvent(candidate);
      if (sound) accepted += 1;
      else refused += 1;
      expect({ zod: eventSchema.safeParse(candidate).success, published: published(candidate) }).toEqual({
        zod: sound,
        published: sound,
      });
    }),
    { numRuns: 5000 },
  );
  // Agreement is meaningless if nearly everything is rejected.
  expect(Math.min(accepted, refused)).toBeGreaterThan(500);
});

it.each([
  ['€'.repeat(341), true],
  ['€'.repeat(342), false],
  ['😀'.repeat(257), false],
  ['ё'.repeat(512), true],
  ['ё'.repeat(513), false],
])(
  'event validation: the limit of names counts bytes, which only a JSON Schema cannot: %#',
  (name, isSound) => {
    for (const event of [
      { type: 'retry', sessionId: name },
      { type: 'retry', sessionId: 's', agent: name },
      { type: 'retry', sessionId: 's', tags: { [name]: name } },
      { type: 'tool_call_request', sessionId: 's', name },
    ])
      expect([isAgentEvent(event), eventSchema.safeParse(event).success]).toEqual([isSound, isSound]);
    expect(decodeEvent({ text: '{"type":"retry"}', key: name }).ok).toBe(isSound);
  },
);

it('names: what a database or a log would make one is one from the door on', () => {
  const read = (id: string) =>
    decodeEvent({
      text: `{"type":"content","text":"a\\ud800","sessionId":"${id}","agent":"${id}","tags":{"${id}":"${id}"}}`,
      key: null,
    });
  const [first, ...others] = ['q\\ud83d z', 'q\\udfff z', 'q\\u0000 z', 'q\ufffd z'].map(read);
  expect(first).toMatchObject({
    sessionId: 'q\ufffd z',
    event: {
      sessionId: 'q\ufffd z',
      agent: 'q\ufffd z',
      tags: { 'q\ufffd z': 'q\ufffd z' },
      text: 'a\ud800',
    },
  });
  for (const other of others) expect(other).toEqual(first);
  const [marked, ...same] = ['\\ufeffq', '\ufeffq', '\ufffdq'].map(read);
  expect(marked).toMatchObject({
    sessionId: '\ufffdq',
    event: { agent: '\ufffdq', tags: { '\ufffdq': '\ufffdq' } },
  });
  for (const other of same) expect(other).toEqual(marked);
  expect(read('q\ufeff')).toMatchObject({ sessionId: 'q\ufeff' });
  expect(read('pair \\ud83d\\ude00')).toMatchObject({ sessionId: 'pair 😀' });
});

const piece = fc.constantFrom(
  '\\',
  '"',
  'u',
  '0000',
  'd83d',
  '\0',
  '\ud83d',
  '\ude00',
  '\u{1f600}',
  'x',
  '\ufffd',
);
it('storableJson: reads as the storable text of what the JSON reads as', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (parts, upper) => {
      const text = parts.join('');
      const json = JSON.stringify(text).replace(/\\u[0-9a-f]{4}/g, (escape) =>
        upper ? `\\u${escape.slice(2).toUpperCase()}` : escape,
      );
      fc.pre(jsonFrom(json) === text);
      expect(jsonFrom(storableJson(json))).toBe(storableText(text));
    }),
  );
});

it('shortName: keeps whole characters, as many as fit', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (name, limit) => {
        const short = shortName(name, limit);
        expect(name.startsWith(short)).toBe(true);
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(limit);
        const [next] = name.slice(short.length);
        if (next !== undefined) expect(Buffer.byteLength(short + next)).toBeGreaterThan(limit);
      },
    ),
  );
});

it('event validation: all three agree on values that are not objects', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (candidate) => {
      expect(isAgentEvent(candidate)).toBe(eventSchema.safeParse(candidate).success);
    }),
  );
});

it('eventTime: every accepted time converts to a number', () => {
  fc.assert(
    fc.property(value, (time) => {
      const event: unknown = { type: 'retry', time };
      if (isAgentEvent(event)) expect(eventTime(event, 7)).not.toBeNaN();
    }),
    { numRuns: 2000 },
  );
});
