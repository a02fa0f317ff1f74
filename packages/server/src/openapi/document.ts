import { incidentSchema, incidentStatsSchema, type ServerInfo, verdictSchema } from '@loopwatch/contract';
import { z } from 'zod';
import { pageSchema } from './paging.ts';
import { problemSchema } from './problem.ts';
import { incidentFilters, pagingParameters, verdictFilters } from './query.ts';

/** The OpenAPI document, made from the schemas that the code itself uses. */

type Json = Record<string, unknown>;

const eventInput = z
  .looseObject({ type: z.string(), sessionId: z.string() })
  .describe('An agent event; `time` is now where it is absent.');
const acceptedSchema = z.object({ accepted: z.int().positive() });
const readinessSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string().optional() })),
});

export function openApiDocument({ version }: ServerInfo): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loopwatch',
      version,
      description: 'Loops found in the event streams of AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: {
      '/api/v1/incidents': {
        get: operation('listIncidents', 'Incidents, newest first', json(pageSchema(incidentSchema)), [400], {
          parameters: queryParameters(incidentFilters),
        }),
      },
      '/api/v1/incidents/{id}': {
        get: operation('getIncident', 'One incident with its evidence', json(incidentSchema), [404], {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        }),
      },
      '/api/v1/verdicts': {
        get: operation(
          'listVerdicts',
          'The latest verdicts, newest first',
          json(pageSchema(verdictSchema)),
          [400],
          {
            parameters: queryParameters(verdictFilters),
          },
        ),
      },
      '/api/v1/stats': {
        get: operation('getStats', 'Numbers over all incidents', json(incidentStatsSchema), []),
      },
      '/api/v1/events': {
        post: operation(
          'postEvents',
          'Sends events to be watched',
          json(acceptedSchema),
          [400, 403, 413, 503],
          {
            status: 202,
            requestBody: {
              required: true,
              description:
                'One event, or one event a line. Good lines are taken even when others are refused.',
              content: {
                'application/json': { schema: toSchema(eventInput) },
                'application/x-ndjson': { schema: { type: 'string' } },
              },
            },
          },
        ),
      },
      '/api/v1/openapi.json': {
        get: operation('getOpenApi', 'This document', json(z.looseObject({ openapi: z.string() })), []),
      },
      '/healthz': {
        get: operation('getHealth', 'The process answers', json(z.object({ status: z.literal('ok') })), []),
      },
      '/readyz': {
        get: operation('getReadiness', 'What the server needs is there', json(readinessSchema), [], {
          responses: { '503': { description: 'Something is missing', content: json(readinessSchema) } },
        }),
      },
      '/metrics': {
        get: operation(
          'getMetrics',
          'Metrics for Prometheus',
          { 'text/plain': { schema: { type: 'string' } } },
          [],
        ),
      },
    },
  };
}

const problemTitles: Readonly<Record<number, string>> = {
  400: 'Something in the request is wrong; the problem names it',
  403: 'A page of another origin',
  404: 'No such thing',
  413: 'The body is too large',
  503: 'The event log is not there',
};

function operation(
  operationId: string,
  summary: string,
  content: Json,
  problems: readonly number[],
  more: Json & { status?: number; responses?: Json } = {},
): Json {
  const { status = 200, responses = {}, ...rest } = more;
  const refusals = problems.map((code) => [
    String(code),
    {
      description: problemTitles[code] ?? 'A problem',
      content: { 'application/problem+json': { schema: toSchema(problemSchema) } },
    },
  ]);
  return {
    operationId,
    summary,
    ...rest,
    responses: {
      [String(status)]: { description: summary, content },
      ...responses,
      ...Object.fromEntries(refusals),
    },
  };
}

function json(schema: z.ZodType): Json {
  return { 'application/json': { schema: toSchema(schema) } };
}

function queryParameters(schemas: Readonly<Record<string, z.ZodType>>): Json[] {
  return Object.entries({ ...schemas, ...pagingParameters }).map(([name, schema]) => {
    const { description, ...rest } = toSchema(schema, name === 'limit' ? 'output' : 'input');
    return { name, in: 'query', required: false, description, schema: rest };
  });
}

function toSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const document = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  delete document.$schema;
  return { ...document };
}
