import { problemSchema, SCOPE_PATTERN } from '@loopwatch/contract/api';
import * as z from 'zod';
import type { JsonSchema, NamedSchemas } from './named-schemas.ts';

export type Json = Record<string, unknown>;

/** One operation of the API. */
export interface Operation {
  /** In camel case; its words are the summary. */
  readonly id: string;
  readonly description: string;
  /** The response: a schema of JSON, or a content type; undefined: no body. */
  readonly answer?: z.ZodType | string;
  /** Default 200. */
  readonly status?: number;
  /** Further responses, by status. */
  readonly also?: Readonly<Record<number, z.ZodType>>;
  /** Statuses of problems, in addition to those of every operation: 401, 403, 429, 431, 503. */
  readonly problems?: readonly number[];
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A valid body. */
  readonly example?: Json;
  /** Describes a body that may be NDJSON as well. */
  readonly lines?: string;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request; see the problem details',
  401: 'Login or token required',
  403: 'Forbidden: viewer role, or a request from another origin',
  404: 'Not found',
  409: 'Conflict: changed in the meantime',
  413: 'Body too large',
  415: 'Unsupported content type',
  422: 'The body cannot be read',
  429: 'Too many requests; retry later',
  431: 'URL and headers too large',
  502: 'The receiver is unavailable, or refused the message',
  503: 'Event log or database unavailable',
};
const problemsOfAll = [401, 403, 429, 431, 503];

export function describeOperation(path: string, operation: Operation, schemas: NamedSchemas): Json {
  const {
    id,
    description,
    answer,
    status = 200,
    also = {},
    problems = [],
    query,
    body,
    example,
    lines,
  } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', ...(name === 'scope' && { pattern: SCOPE_PATTERN }) },
    })),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  const refusals = [...new Set([...problems, ...problemsOfAll])].map((code) => [
    String(code),
    {
      description: titles[code] ?? 'Problem',
      content: { 'application/problem+json': { schema: schemas.reference(problemSchema, 'output') } },
    },
  ]);
  const answerOf = (content: z.ZodType | string | undefined): Json => {
    if (content === undefined) return { description: 'Done' };
    if (typeof content === 'string')
      return { description: 'OK', content: { [content]: { schema: { type: 'string' } } } };
    return {
      description: 'OK',
      content: { 'application/json': { schema: schemas.reference(content, 'output') } },
    };
  };
  const others = Object.entries(also).map(([code, schema]) => [code, answerOf(schema)]);
  return {
    operationId: id,
    summary: summaryOf(id),
    description: `${description}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        ...(lines !== undefined && { description: lines }),
        content: {
          'application/json': { schema: schemas.reference(body, 'input'), ...(example && { example }) },
          ...(lines !== undefined && { 'application/x-ndjson': { schema: { type: 'string' } } }),
        },
      },
    }),
    responses: {
      ...Object.fromEntries(refusals),
      ...Object.fromEntries(others),
      [String(status)]: answerOf(answer),
    },
  };
}

function queryParameters({ shape }: z.ZodObject): Json[] {
  return Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const { $schema, description, ...rest } = toSchema(schema);
    return { name, in: 'query', required: false, description, schema: rest };
  });
}

function toSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** `listIncidents`: List incidents. */
function summaryOf(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
