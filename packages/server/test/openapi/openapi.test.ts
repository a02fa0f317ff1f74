import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notificationSchema } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer, NotificationChannel } from '../../src/index.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { apiTags } from '../../src/openapi/operations/index.ts';
import { type Receiver, startReceiver } from '../notifications/receiver.ts';
import { info, startServer, topics } from '../running-server.ts';
import { summary, verdict } from '../verdicts.ts';

interface Operation {
  responses: Record<string, { content: Record<string, { schema: z.core.JSONSchema.BaseSchema }> }>;
  parameters?: { name: string; in: string }[];
}

const document = openApiDocument(info) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The references of a document are to its components, those of a schema alone to its definitions. */
function readSchema(schema: unknown): z.ZodType {
  const whole = JSON.stringify({ ...(schema as object), $defs: document.components.schemas });
  return z.fromJSONSchema(
    JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as z.core.JSONSchema.BaseSchema,
  );
}

const emptyDatabase = sharedPglite();
const token = 'the-operators-token';
const headers = { authorization: `Bearer ${token}` };
let url: string;
/** The id of one that was started. */
let backtest = '';
/** Of one that was made, and of a group. */
let mute = '';
let deploy = '';
let group = '';
let createdToken = '';
let server: LoopwatchServer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const channel = { name: 'ops', type: 'webhook', url: receiver.url, secret: 'abc' };
  const started = await startServer({
    openDatabase: emptyDatabase,
    tokens: { operator: token },
    notifications: [notificationSchema.parse(channel) as NotificationChannel],
  });
  ({ url, server } = started);
  const source = { topic: 'loopwatch.events', partition: 3, firstOffset: '10', offset: '51' };
  started.log.appendVerdict(verdict({ source, guidance: 'Stop.' }));
  started.log.appendVerdict(verdict({ incidentId: 'i-2', phase: 'resolved', tool: null }));
  started.log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
  started.log.append(topics.events, '{"type":"session_ended","sessionId":"s-1"}', { key: 's-1' });
  await started.stored();
  const job = await request('/api/v1/backtests', 'post');
  backtest = ((await job.json()) as { id: string }).id;
  mute = ((await (await request('/api/v1/mutes', 'post')).json()) as { id: string }).id;
  const toRevoke = { name: 'to revoke', role: 'viewer' };
  const created = await fetch(`${url}/api/v1/tokens`, {
    method: 'POST',
    body: JSON.stringify(toRevoke),
    headers,
  });
  createdToken = ((await created.json()) as { id: string }).id;
  deploy = ((await (await request('/api/v1/deploys', 'post')).json()) as { id: string }).id;
  const incident = await request('/api/v1/incidents/{id}', 'get');
  group = ((await incident.json()) as { groupKey: string }).groupKey;
});

afterAll(async () => {
  await server.stop();
  await receiver[Symbol.asyncDispose]();
});

/** What each operation with a body is sent. */
const bodies: Record<string, unknown> = {
  '/api/v1/auth/login': { token },
  '/api/v1/backtests': { variants: [{ name: 'now' }], sessions: { labelled: true } },
  '/api/v1/events': { sessionId: 's-1', type: 'session_ended' },
  '/api/v1/decide': { sessionId: 's-1', name: 'read_file' },
  '/api/v1/hooks/generic': { session: 's-1', event: 'before', tool: 'ls' },
  '/api/v1/hooks/litellm/beta/litellm_basic_guardrail_api': { input_type: 'request' },
  '/api/v1/hooks/{agent}': { hook_event_name: 'SessionStart', session_id: 's-1' },
  '/api/v1/incidents': { ids: ['i-1', 'i-9'], change: { status: 'acknowledged' } },
  '/api/v1/incident-groups/{key}': { status: 'acknowledged' },
  '/api/v1/deploys': { version: '2.4.0' },
  '/api/v1/tokens': { name: 'billing agent', role: 'producer' },
  '/api/v1/mutes': { cause: { tool: 'read_file' } },
  '/api/v1/notifications/{name}': { type: 'webhook', url: 'http://localhost:9/', secret: 'abc' },
  '/api/v1/samples': { playing: false },
  '/api/v1/settings/{scope}': { set: { 'tool_call_loop.max_repeats': 5 } },
  '/api/v1/incidents/{id}': {
    status: 'muted',
    mutedUntil: 4_102_444_800_000,
    note: 'later',
    assignee: 'ada',
    comment: 'as agreed',
  },
};

function request(path: string, method: string): Promise<Response> {
  const body = method !== 'get' && path in bodies ? JSON.stringify(bodies[path]) : null;
  const ids = {
    backtests: backtest,
    deploys: deploy,
    mutes: mute,
    sessions: 's-1',
    tokens: createdToken,
  } as Record<string, string>;
  // The operations that follow read the session that others would erase.
  const erases = method === 'delete' && /\/sessions(?:\/\{id\})?$/.test(path);
  const id = erases ? 's-other' : (ids[path.split('/')[3] ?? ''] ?? 'i-1');
  return fetch(
    url +
      path
        .replace('{id}', id)
        .replace('{agent}', 'codex')
        .replace('{key}', group)
        .replace('{scope}', 'server')
        .replace('{name}/', 'ops/')
        .replace('{name}', 'chat')
        .replace('{offset}', '0')
        .replace('{revision}', '2')
        .concat(erases ? '?tenant=nobody' : ''),
    {
      method: method.toUpperCase(),
      body,
      headers,
    },
  );
}

it.each(operations)(
  'OpenAPI: $method $path exists and responds as described',
  async ({ path, method, operation }) => {
    const response = await request(path, method);
    if (response.status === 204) {
      expect(operation.responses['204']).toBeDefined();
      return;
    }
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const described = operation.responses[String(response.status)]?.content[type];
    expect(described, `${String(response.status)} ${type} is described`).toBeDefined();
    if (type === 'text/event-stream') return response.body?.cancel();
    const value: unknown = type === 'application/json' ? await response.json() : await response.text();
    expect(response.status, JSON.stringify(value)).toBeLessThan(300);
    const parsed = readSchema(described!.schema).safeParse(value);
    expect(parsed.error?.issues).toBeUndefined();
  },
);

it.each(operations.filter(({ operation }) => operation.parameters?.some((one) => one.in === 'query')))(
  'OpenAPI: $path accepts the parameters it describes',
  async ({ path, operation }) => {
    for (const { name } of operation.parameters!.filter((one) => one.in === 'query')) {
      const response = await fetch(`${url + path}?${name}=`, { headers });
      const problem = await response.text();
      expect(problem).not.toContain('unknown');
    }
  },
);

it('OpenAPI: every reference has a schema, and every schema is referenced', () => {
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  const names = new Set([...references].map(([, name = '']) => name));
  expect([...names].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
});

it('OpenAPI: docs/api.md names every operation', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8');
  const documented = page.split('\n').flatMap((line) => {
    const [, cell = ''] = line.split('|');
    const [, path = ''] = /(\/[\w/:.-]+)/.exec(cell) ?? [];
    const methods = cell.match(/GET|POST|PUT|PATCH|DELETE/g) ?? [];
    return methods.map((method) => `${method} ${path.replace(/:\w+/g, '{}')}`);
  });
  const described = operations
    .filter(({ path }) => path.startsWith('/api/v1/'))
    .map(
      ({ path, method }) =>
        `${method.toUpperCase()} ${path.slice('/api/v1'.length).replace(/\{\w+\}/g, '{}')}`,
    );
  expect(described.filter((one) => !documented.includes(one))).toEqual([]);
});

it('OpenAPI: errors are problem details as described', async () => {
  const response = await fetch(`${url}/api/v1/incidents?limit=x`, { headers });
  const { schema } =
    document.paths['/api/v1/incidents']!['get']!.responses['400']!.content['application/problem+json']!;
  expect(readSchema(schema).safeParse(await response.json()).success).toBe(true);
});

it('OpenAPI: the document is served', async () => {
  const served = await (await fetch(`${url}/api/v1/openapi.json`, { headers })).json();
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
});

describe('OpenAPI: every request body has a valid example', () => {
  const operations = apiTags.flatMap((tag) => Object.entries(tag.operations));
  const bodies = operations.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { body, example }]) =>
      body === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, body, example }],
    ),
  );

  it.each(bodies)('$name', ({ body, example }) => {
    expect(body.safeParse(example)).toMatchObject({ success: true });
  });

  it('OpenAPI: the example of events is a valid event', () => {
    const { example } = new Map(operations).get('/events')?.['post'] ?? {};
    expect(decodeEvent({ text: JSON.stringify(example), key: null })).toMatchObject({ ok: true });
  });
});
