import type { CreatedApiToken } from '@loopwatch/contract/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { info, startServer } from '../running-server.ts';

const emptyDatabase = sharedPglite();
const tokens = { operator: 'o'.repeat(32), viewer: 'v'.repeat(32), producer: 'p'.repeat(32) };
type Role = keyof typeof tokens;

/** Each caller, and the role that it has; null: none. */
const callers = {
  operator: 'operator',
  viewer: 'viewer',
  producer: 'producer',
  'a created token of an operator': 'operator',
  'a created token of a viewer': 'viewer',
  'a created token of a producer': 'producer',
  'a revoked token of an operator': null,
  'an expired token of an operator': null,
  'an unknown token': null,
  'no login': null,
} satisfies Record<string, Role | null>;
type Who = keyof typeof callers;
const sent: Partial<Record<Who, string>> = { ...tokens, 'an unknown token': 'always-the-same-wrong-one' };

/** Need no login. */
const PUBLIC = /^\w+ (?:\/api\/v1\/auth\/|\/healthz|\/readyz)/;
/** What a producer may do. */
const TELL = new Set([
  'POST /api/v1/events',
  'POST /api/v1/decide',
  'POST /api/v1/hooks/generic',
  'POST /api/v1/hooks/litellm/beta/litellm_basic_guardrail_api',
  'POST /api/v1/hooks/{agent}',
  'GET /api/v1/sessions/{id}/verdicts/stream',
  'POST /v1/traces',
  'POST /v1/logs',
]);

/** The status with which a caller is turned away; undefined: it is let in. */
function refusal(role: Role | null, route: string): number | undefined {
  if (PUBLIC.test(route) || role === 'operator') return undefined;
  if (role === 'producer') return TELL.has(route) ? undefined : 403;
  if (role === 'viewer') return route.startsWith('GET ') ? undefined : 403;
  return 401;
}

const { paths } = openApiDocument(info) as { paths: Record<string, Record<string, unknown>> };
const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => /^(?:get|put|post|patch|delete)$/.test(method))
    .map((method) => `${method.toUpperCase()} ${path}`),
);
/** Routes that the document does not have. */
const others = ['GET /api/v1/unknown', 'POST /api/v1/unknown', 'POST /v1/traces', 'POST /v1/logs'];
const routes = [...new Set([...described, ...others])];

let url = '';
let server: LoopwatchServer;
let now = Date.now();

beforeAll(async () => {
  ({ url, server } = await startServer({ openDatabase: emptyDatabase, tokens, now: () => now }));
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.operator}` },
      body: JSON.stringify(body),
    });
  const create = async (name: Who, role: Role, expiresAt: number | null = null): Promise<string> => {
    const answer = await call('POST', '/tokens', { name, role, expiresAt });
    const { id, token } = (await answer.json()) as CreatedApiToken;
    sent[name] = token;
    return id;
  };
  await create('a created token of an operator', 'operator');
  await create('a created token of a viewer', 'viewer', now + 3_600_000);
  await create('a created token of a producer', 'producer');
  const id = await create('a revoked token of an operator', 'operator');
  expect((await call('DELETE', `/tokens/${id}`)).status).toBe(204);
  await create('an expired token of an operator', 'operator', now + 1);
  now += 1;
});
afterAll(() => server.stop());

async function statusOf(who: Who, route: string, more: Record<string, string> = {}): Promise<number> {
  const [method = '', path = ''] = route.split(' ');
  const token = sent[who];
  const aborting = new AbortController();
  const { status } = await fetch(url + path.replaceAll(/\{\w+\}/g, 'x'), {
    method,
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...more,
    },
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
    signal: aborting.signal,
  });
  aborting.abort();
  return status;
}

it.each(Object.keys(callers) as Who[])(
  'roles: %s is let in and turned away at every route as the table says',
  async (who) => {
    expect(routes.length).toBeGreaterThan(45);
    const found: string[] = [];
    const expected: string[] = [];
    for (const route of routes) {
      const status = await statusOf(who, route);
      const refused = refusal(callers[who], route);
      found.push(`${route}: ${[401, 403].includes(status) ? String(status) : 'let in'}`);
      // A wrong token is refused as a login, too.
      const isLogin = route === 'POST /api/v1/auth/login';
      expected.push(
        `${route}: ${isLogin && [401, 403].includes(status) ? String(status) : (refused ?? 'let in')}`,
      );
    }
    expect(found).toEqual(expected);
  },
);

it('roles: pages of other origins change nothing, whatever the role', async () => {
  const changes = routes.filter((route) => !route.startsWith('GET '));
  for (const route of changes)
    expect([route, await statusOf('operator', route, { origin: 'https://evil.example' })]).toEqual([
      route,
      403,
    ]);
});
