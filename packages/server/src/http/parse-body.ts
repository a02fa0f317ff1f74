import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';
import { HttpProblem } from './problem.ts';

/** Largest body of a request that is not a batch of events. */
export const jsonBodyLimit = '1mb';

/** Reads a body as JSON, whatever its content type says; what is no JSON is refused as a problem. */
export function jsonBody(): RequestHandler {
  return express.json({ type: () => true, limit: jsonBodyLimit, strict: false });
}

/** @throws HttpProblem 400 that names each bad key by its path and says what is allowed */
export function parseBody<T>(request: Request, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message }));
  const detail = errors.map(({ path, detail: what }) => (path === '' ? what : `${path}: ${what}`)).join('; ');
  throw new HttpProblem(400, detail, { errors });
}
