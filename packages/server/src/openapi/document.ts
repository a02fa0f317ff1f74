import type { ServerInfo } from '@loopwatch/contract';
import type * as z from 'zod';
import { NamedSchemas } from './named-schemas.ts';
import { describeOperation, type Json } from './operation.ts';
import { apiTags, otherTags } from './operations/index.ts';
import type { Tag } from './operations/tag.ts';

/** The OpenAPI document, generated from the schemas that the code uses. */
export function openApiDocument({ version }: ServerInfo): Json {
  const schemas = new NamedSchemas(schemasOf([...apiTags, ...otherTags]));
  const paths = {
    ...describe(apiTags, '/api/v1', schemas),
    ...describe(otherTags, '', schemas),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loopwatch',
      version,
      description: 'Detects loops in the event streams of AI agents.',
      contact: { name: 'Loopwatch', url: 'https://github.com/loopwatch/loopwatch' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: apiTags.map(({ name, description }) => ({ name, description })),
    // The empty requirement: no login may be configured.
    security: [{ token: [] }, { login: [] }, {}],
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'LOOPWATCH_API_TOKEN for operators, LOOPWATCH_VIEWER_TOKEN for viewers, or a created token.',
        },
        login: {
          type: 'apiKey',
          in: 'cookie',
          name: 'loopwatch_session',
          description: 'The session cookie set by POST /auth/login.',
        },
      },
    },
  };
}

function describe(tags: readonly Tag[], prefix: string, schemas: NamedSchemas): Json {
  return Object.fromEntries(
    tags.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([path, methods]) => [
        prefix + path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            { tags: [name], ...describeOperation(path, operation, schemas) },
          ]),
        ),
      ]),
    ),
  );
}

/** Named after their operation, for those that the contract does not name. */
function schemasOf(tags: readonly Tag[]): Record<string, z.ZodType> {
  const named = tags
    .flatMap(({ operations }) => Object.values(operations))
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ id, answer, body }) => [
      ...(typeof answer === 'object' ? [[`${id}Answer`, answer] as const] : []),
      ...(body === undefined ? [] : [[`${id}Body`, body] as const]),
    ]);
  return Object.fromEntries(named);
}
