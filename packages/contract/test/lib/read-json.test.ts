import { expect, it } from 'vitest';
import * as z from 'zod';
import { readJson } from '../../src/index.ts';

const schema = z.strictObject({ size: z.number(), parts: z.array(z.string()).default([]) });

it.each([
  ['{"size": 1}', { ok: true, value: { size: 1, parts: [] } }],
  ['{"size": "x", "parts": ["a", 2]}', { ok: false, why: expect.stringMatching(/^size: .*; parts\.1: /) }],
  ['[]', { ok: false, why: expect.stringContaining('must be an object') }],
  ['{"size":', { ok: false, why: expect.stringContaining('JSON') }],
  ['', { ok: false, why: expect.stringContaining('JSON') }],
])('readJson: parses %s or reports the error', (text, read) => {
  expect(readJson(text, schema)).toEqual(read);
});
