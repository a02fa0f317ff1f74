import { expect, it } from 'vitest';
import { z } from 'zod';
import * as api from '../src/api/index.ts';

const schemas = Object.entries<unknown>(api).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [{ name, schema: value }] : [],
);

it.each(schemas)('$name can be written down as a JSON schema, for the API description', ({ schema }) => {
  expect(z.toJSONSchema(schema, { io: 'input' })).toHaveProperty('$schema');
});

it.each([
  { body: {}, fault: 'requires at least one of' },
  { body: { status: 'seen' }, fault: 'new' },
  { body: { status: 'muted', until: 5 }, fault: 'until' },
  { body: { note: 'x'.repeat(4001) }, fault: '4000' },
])('a triage of $body is refused', ({ body, fault }) => {
  expect(api.triagePatchSchema.safeParse(body).error?.message).toContain(fault);
});

it.each([{ note: null }, { status: 'muted', mutedUntil: 5 }, { status: 'new', revision: 3 }])(
  'a triage of %j is taken',
  (body) => {
    expect(api.triagePatchSchema.safeParse(body).error).toBeUndefined();
  },
);

it('a backtest has to say which sessions', () => {
  const variants = [{ name: 'now' }];
  const refused = api.backtestRequestSchema.safeParse({ variants, sessions: {} });
  expect(refused.error?.message).toContain('requires at least one of ids');
  expect(api.backtestRequestSchema.parse({ variants, sessions: { labelled: true } })).toEqual({
    variants: [{ name: 'now', set: {} }],
    sessions: { labelled: true, limit: 500 },
  });
});
