import type { ServerInfo } from '@loopwatch/contract';
import { describeOperation, type Json, type Operation } from './operation.ts';
import { apiOperations, otherOperations } from './operations.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The OpenAPI document, generated from the schemas that the code uses. */
export function openApiDocument({ version }: ServerInfo): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loopwatch',
      version,
      description: 'Detects loops in the event streams of AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The empty requirement: no login may be configured.
    security: [{ token: [] }, { login: [] }, {}],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'LOOPWATCH_API_TOKEN for operators, LOOPWATCH_VIEWER_TOKEN for viewers.',
        },
        login: {
          type: 'apiKey',
          in: 'cookie',
          name: 'loopwatch_session',
          description: 'The session cookie set by POST /auth/login.',
        },
      },
    },
    paths: { ...describe(apiOperations, '/api/v1'), ...describe(otherOperations, '') },
  };
}

function describe(paths: Paths, prefix: string): Json {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      prefix + path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, describeOperation(path, operation)]),
      ),
    ]),
  );
}
