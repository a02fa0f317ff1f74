import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { schemaDocument } from '../../../../scripts/reference/json-schemas.ts';
import { isAgentEvent } from '../../src/events/check.ts';
import { eventSchema, eventTime, eventTypes } from '../../src/index.ts';

/** Valid values of event fields, and nearly valid ones. */
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(null, '', 'a', 1, 0, -1, 1.5, 2, 8.64e15 + 1, true, false) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('x'.repeat(1024), 'x'.repeat(1025), '😀'.repeat(1024), '😀'.repeat(1025)),
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
