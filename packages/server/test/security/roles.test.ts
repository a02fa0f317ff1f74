import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { info, startServer } from '../running-server.ts';

const emptyDatabase = sharedPglite();
const tokens = { operator: 'o'.repeat(32), viewer: 'v'.repeat(32), producer: 'p'.repeat(32) };
type Who = keyof typeof tokens | 'unknown token' | 'no login';
const callers: readonly Who[] = ['operator', 'viewer', 'producer', 'unknown token', 'no login'];

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
function refusal(who: Who, route: string): number | undefined {
  if (PUBLIC.test(route) || who === 'operator') return undefined;
  if (who === 'producer') return TELL.has(route) ? undefined : 403;
  if (who === 'viewer') return route.startsWith('GET ') ? undefined : 403;
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

beforeAll(async () => {
  ({ url, server } = await startServer({ openDatabase: emptyDatabase, tokens }));
});
afterAll(() => server.stop());

async function statusOf(who: Who, route: string, more: Record<string, string> = {}): Promise<number> {
  const [method = '', path = ''] = route.split(' ');
  const token =
    who === 'unknown token' ? 'always-the-same-wrong-one' : who === 'no login' ? undefined : tokens[who];
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

it.each(callers)('roles: %s is let in and turned away at every route as the table says', async (who) => {
  expect(routes.length).toBeGreaterThan(45);
  const found: string[] = [];
  const expected: string[] = [];
  for (const route of routes) {
    const status = await statusOf(who, route);
    const refused = refusal(who, route);
    found.push(`${route}: ${[401, 403].includes(status) ? String(status) : 'let in'}`);
    // A wrong token is refused as a login, too.
    const isLogin = route === 'POST /api/v1/auth/login';
    expected.push(
      `${route}: ${isLogin && [401, 403].includes(status) ? String(status) : (refused ?? 'let in')}`,
    );
  }
  expect(found).toEqual(expected);
});

it('roles: pages of other origins change nothing, whatever the role', async () => {
  const changes = routes.filter((route) => !route.startsWith('GET '));
  for (const route of changes)
    expect([route, await statusOf('operator', route, { origin: 'https://evil.example' })]).toEqual([
      route,
      403,
    ]);
});
