import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';
import { extentOf } from '../events/json-extent.ts';
import { badRequest, HttpProblem } from './problem.ts';

/** Largest body of a request that is not a batch of events. */
export const jsonBodyLimit = '1mb';

/** Beyond that, checking a body or writing it down would keep every other request waiting. */
const most = { depth: 64, values: 50_000 };

/** Reads a body as JSON, whatever its content type says; what is no JSON, or too much, is refused as a problem. */
export function jsonBody(limit: string | number = jsonBodyLimit): RequestHandler {
  return express.json({
    type: () => true,
    limit,
    strict: false,
    verify: (_request, _response, bytes: Buffer) => {
      const { depth, values } = extentOf(bytes, 0, bytes.length, most);
      if (depth > most.depth) throw tooMuch(`nested more than ${String(most.depth)} levels deep`);
      if (values > most.values) throw tooMuch(`of more than ${String(most.values)} values`);
    },
  });
}

/** body-parser makes a 403 of what `verify` throws, unless it says its own status. */
function tooMuch(what: string): HttpProblem {
  return new HttpProblem(422, `The body is ${what}`);
}

/** @throws HttpProblem 400 that names each bad key by its path and says what is allowed */
export function parseBody<T>(request: Request, schema: z.ZodType<T>): T {
  return parseGiven(request.body, schema);
}

/** @throws HttpProblem as {@link parseBody} */
export function parseGiven<T>(given: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw badRequest(
    ...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message })),
  );
}
