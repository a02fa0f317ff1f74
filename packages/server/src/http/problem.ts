import { STATUS_CODES } from 'node:http';
import { LogError } from '@loopwatch/log';
import { DatabaseUnavailable } from '@loopwatch/storage';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';

/** Thrown by a route to answer with problem details. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param extra further members of the problem, such as `errors`
   * @param headers of the response, such as `retry-after`
   */
  constructor(
    status: number,
    detail: string,
    extra: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail, { cause });
    this.name = 'HttpProblem';
    this.status = status;
    this.extra = extra;
    this.headers = headers;
  }
}

/** An invalid part of a request, and what is allowed. */
export type Fault = { readonly detail: string } & (
  | { readonly parameter: string }
  /** Dotted path in the body; empty: the whole body. */
  | { readonly path: string }
);

/** A 400 that lists each invalid part of a request. */
export function badRequest(...errors: readonly Fault[]): HttpProblem {
  const sentences = errors.map((fault) => {
    const name = 'path' in fault ? fault.path : fault.parameter;
    return `${name === '' ? 'body' : name}: ${fault.detail}`;
  });
  return new HttpProblem(400, sentences.join('; '), { errors });
}

/** Requests to models; clients of the gateway send them here when their port is wrong. */
const toModel = /\/(?:chat\/completions|responses|messages)$|:(?:stream)?generateContent$/i;

export const notFound: RequestHandler = ({ method, path }) => {
  const hint = toModel.test(path) ? ': the gateway takes requests to models, by default on port 4610' : '';
  throw new HttpProblem(404, `${method} ${path} not found${hint}`);
};

/** Rejects other methods on a known path. */
export function methodNotAllowed(allowed: string): RequestHandler {
  return (request, response) => {
    response.set('allow', allowed);
    throw new HttpProblem(405, `${request.path} supports ${allowed} only`);
  };
}

export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = toProblem(error);
    // A problem without a cause was logged where it was detected.
    const isUnlogged = problem.status >= 500 && (problem !== error || problem.cause !== undefined);
    if (isUnlogged)
      logger.error({ err: error, method: request.method, path: request.path }, 'Request failed');
    sendProblem(response, problem, request.originalUrl);
  };
}

function sendProblem(response: Response, problem: HttpProblem, instance: string): void {
  const { status, message, extra, headers } = problem;
  const title = STATUS_CODES[status] ?? 'Error';
  response
    .status(status)
    .set(headers)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, detail: message, instance, ...extra }));
}

/** Back-pressure: the log takes more once what it holds has been processed. */
export function logFull(error: LogError, extra: Record<string, unknown> = {}): HttpProblem {
  return new HttpProblem(429, error.message, extra, undefined, { 'retry-after': '5' });
}

/** Hides internal details of unexpected errors. */
function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DatabaseUnavailable) {
    return new HttpProblem(503, 'Database unavailable; retry shortly', {}, undefined, { 'retry-after': '5' });
  }
  if (error instanceof LogError && error.code === 'log_full') return logFull(error);
  const { status, message } = (error ?? {}) as { status?: unknown; message?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpProblem(status, typeof message === 'string' ? message : 'Invalid request');
  }
  return new HttpProblem(500, 'Internal server error; see the server log');
}
