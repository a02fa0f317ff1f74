import { STATUS_CODES } from 'node:http';
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
   * @param headers of the answer, such as `retry-after`
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

/** A part of a request that cannot be taken, and what is allowed in its place. */
export type Fault = { readonly detail: string } & (
  | { readonly parameter: string }
  /** Of a body, dotted; empty: the body as a whole. */
  | { readonly path: string }
);

/** Names each part of a request that cannot be taken. */
export function badRequest(...errors: readonly Fault[]): HttpProblem {
  const sentences = errors.map((fault) => {
    const where = 'path' in fault ? fault.path : fault.parameter;
    return where === '' ? fault.detail : `${where}: ${fault.detail}`;
  });
  return new HttpProblem(400, sentences.join('; '), { errors });
}

export const notFound: RequestHandler = (request) => {
  throw new HttpProblem(404, `There is nothing at ${request.method} ${request.path}`);
};

/** For a known path with a method that it does not have. */
export function methodNotAllowed(allowed: string): RequestHandler {
  return (request, response) => {
    response.set('allow', allowed);
    throw new HttpProblem(405, `${request.path} answers ${allowed} only`);
  };
}

export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = toProblem(error);
    // A problem without a cause is said where it was found out.
    const isNews = problem.status >= 500 && (problem !== error || problem.cause !== undefined);
    if (isNews) logger.error({ err: error, path: request.path }, 'a request failed');
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

/** What went wrong, without telling a stranger about the inside of the server. */
function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DatabaseUnavailable) {
    return new HttpProblem(503, 'The database does not answer at the moment; try again shortly');
  }
  const { status, message } = (error ?? {}) as { status?: unknown; message?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpProblem(status, typeof message === 'string' ? message : 'The request cannot be read');
  }
  return new HttpProblem(500, 'The server failed to answer; its log says why');
}
