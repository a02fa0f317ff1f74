import { expect, it } from 'vitest';
import * as z from 'zod';
import * as api from '../src/api/index.ts';

const schemas = Object.entries<unknown>(api).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [{ name, schema: value }] : [],
);

it.each(schemas)('API schemas: $name converts to JSON Schema', ({ schema }) => {
  expect(z.toJSONSchema(schema, { io: 'input' })).toHaveProperty('$schema');
});

it.each([
  { body: {}, fault: 'requires at least one of' },
  { body: { status: 'seen' }, fault: 'new' },
  { body: { status: 'muted', until: 5 }, fault: 'until' },
  { body: { note: 'x'.repeat(4001) }, fault: '4000' },
])('triage patch: rejects $body', ({ body, fault }) => {
  expect(api.triagePatchSchema.safeParse(body).error?.message).toContain(fault);
});

it.each([{ note: null }, { status: 'muted', mutedUntil: 5 }, { status: 'new', revision: 3 }])(
  'triage patch: accepts %j',
  (body) => {
    expect(api.triagePatchSchema.safeParse(body).error).toBeUndefined();
  },
);

it.each([
  ['a token', api.apiTokenPostSchema, { name: 'ci', role: 'viewer' }, 'expiresAt'],
  ['a mute', api.mutePostSchema, { cause: { detector: 'tool-repeat' } }, 'until'],
  ['a muted incident', api.triagePatchSchema, { status: 'muted' }, 'mutedUntil'],
] as const)('%s: ends at no time beyond the calendar', (_, schema, body, field) => {
  expect(schema.safeParse({ ...body, [field]: 8.64e15 }).success).toBe(true);
  for (const time of [8.64e15 + 2, 1e300])
    expect(schema.safeParse({ ...body, [field]: time }).success).toBe(false);
});

it('backtest request: requires a selection of sessions', () => {
  const variants = [{ name: 'now' }];
  const refused = api.backtestRequestSchema.safeParse({ variants, sessions: {} });
  expect(refused.error?.message).toContain('requires at least one of ids');
  expect(api.backtestRequestSchema.parse({ variants, sessions: { labelled: true } })).toEqual({
    variants: [{ name: 'now', set: {} }],
    sessions: { labelled: true, limit: 500 },
  });
});
