import { type Problem, problemSchema, userHeader } from '@loopwatch/contract/api';
import type * as z from 'zod';
import { usePreferences } from '../lib/preferences.ts';

/** A failed request. The message is written for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(message: string, status: number, problem?: Problem) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** Query parameters; a list repeats its name, `undefined` is left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

interface Options {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** URL of an endpoint, for requests and download links. */
export function apiPath(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value) parameters.append(name, String(one));
    else parameters.append(name, String(value));
  }
  return `/api/v1${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}

/**
 * Sends a request and validates the response by the contract's schema.
 *
 * @throws ApiError if the server refuses, is unavailable, or sends a response that does not match the schema
 */
export async function request<Schema extends z.ZodType>(
  schema: Schema,
  path: string,
  options: Options = {},
): Promise<z.infer<Schema>> {
  const response = await send(path, options);
  const answer: unknown = await response.json().catch(() => undefined);
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError(
    `Unexpected response from ${path}: ${issue?.path.join('.') || 'all of it'} is not valid. The server may run another version: reload the page.`,
    response.status,
  );
}

/** The same for endpoints without a response body. */
export async function send(path: string, options: Options = {}): Promise<Response> {
  const { method = 'GET', query, body, signal } = options;
  const { name } = usePreferences.getState();
  let response: Response;
  try {
    response = await fetch(apiPath(path, query), {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(name !== null && { [userHeader]: encodeURIComponent(name.toWellFormed()) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('The server is unavailable. This page retries automatically.', 0);
  }
  if (response.ok) return response;
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  const said = problem.success ? (problem.data.detail ?? problem.data.title) : undefined;
  throw new ApiError(
    said ?? `The server responded with status ${String(response.status)}`,
    response.status,
    problem.data,
  );
}
