import express, { type Request, type RequestHandler } from 'express';
import type * as z from 'zod';
import { extentOf } from './json-extent.ts';
import { badRequest, HttpProblem } from './problem.ts';

/** Maximum body size, except for events. */
const jsonBodyLimit = '1mb';

/** Validating or storing a more complex body would block other requests. */
const max = { depth: 64, values: 50_000 };

/** Parses a body as JSON, whatever its content type. */
export function jsonBody(limit: string | number = jsonBodyLimit): RequestHandler {
  return express.json({
    type: () => true,
    limit,
    strict: false,
    verify: (_request, _response, bytes: Buffer) => {
      const { depth, values } = extentOf(bytes, 0, bytes.length, max);
      if (depth > max.depth) throw tooComplex(`is nested more than ${String(max.depth)} levels deep`);
      if (values > max.values) throw tooComplex(`contains more than ${String(max.values)} values`);
    },
  });
}

/** Carries a status, because body-parser turns any other error of `verify` into a 403. */
function tooComplex(reason: string): HttpProblem {
  return new HttpProblem(422, `The body ${reason}`);
}

/** @throws HttpProblem 400 that lists each invalid key by its path */
export function parseBody<T>(request: Request, schema: z.ZodType<T>): T {
  return parseValue(request.body, schema);
}

/** @throws HttpProblem as {@link parseBody} */
export function parseValue<T>(value: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badRequest(
    ...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message })),
  );
}
