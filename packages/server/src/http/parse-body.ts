import { exactJson, messageOf } from '@loopwatch/contract';
import { plainErrors } from '@loopwatch/contract/internal';
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
  return express.json({ ...anyType, limit, strict: false });
}

/** As {@link jsonBody}, for calls and results of agents: integers in them keep their digits, see {@link exactJson}. */
export function exactBody(limit: string | number = jsonBodyLimit): RequestHandler {
  const read = express.text({ ...anyType, limit });
  return (request, response, next) => {
    read(request, response, (error) => {
      try {
        if (error === undefined) request.body = exactValue(request.body);
        next(error);
      } catch (cause) {
        next(new HttpProblem(400, messageOf(cause)));
      }
    });
  };
}

const anyType = {
  type: () => true,
  verify: (_request: unknown, _response: unknown, bytes: Buffer) => {
    const { depth, values } = extentOf(bytes, 0, bytes.length, max);
    if (depth > max.depth) throw tooComplex(`is nested more than ${String(max.depth)} levels deep`);
    if (values > max.values) throw tooComplex(`contains more than ${String(max.values)} values`);
  },
};

/** @throws SyntaxError */
function exactValue(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  return text === '' ? {} : exactJson(text);
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
  const parsed = schema.safeParse(value, plainErrors);
  if (parsed.success) return parsed.data;
  throw badRequest(
    ...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message })),
  );
}
