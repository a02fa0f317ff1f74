import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settingsSchema } from '@loopwatch/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkSchemaRegistry } from '../../src/commands/doctor-registry.ts';

const avro = '{"type":"record","name":"Call","fields":[{"name":"id","type":"string"}]}';
const login = { username: 'reader', password: 'hunter2' };

/** A registry with these subjects, which only accepts the login; answers everything with `status` if there is one. */
async function registry(subjects: Record<string, object> = {}, status?: number) {
  const server = createServer(({ url = '', headers }, response) => {
    const accepted = headers.authorization === `Basic ${Buffer.from('reader:hunter2').toString('base64')}`;
    const [, subject = ''] = /^\/subjects\/(.*)\/versions\/latest$/.exec(url) ?? [];
    const schema = subjects[decodeURIComponent(subject)];
    if (status !== undefined) response.writeHead(status).end('');
    else if (!accepted) response.writeHead(401).end('{"error_code":401,"message":"Unauthorized"}');
    else if (schema !== undefined) response.end(JSON.stringify(schema));
    else response.writeHead(404).end('{"error_code":40403,"message":"Schema not found"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    return server.close();
  };
  onTestFinished(() => void stop());
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, stop };
}

const check = (schema_registry: object, ...topics: string[]) =>
  checkSchemaRegistry(
    settingsSchema.parse({
      kafka: { schema_registry, sources: Object.fromEntries(topics.map((topic) => [topic, {}])) },
    }),
  );

describe('doctor: the schema registry', () => {
  it('is not checked unless it is configured', async () => {
    expect(await check({}, 'calls')).toEqual([]);
  });

  it('answers, and has a usable schema, none, or one that cannot be used for a source', async () => {
    const { url } = await registry({
      'calls-value': { schema: avro },
      'broken-value': { schema: '{"type":"record"}' },
      'thrift-value': { schema: 'struct Call {}', schemaType: 'THRIFT' },
      'parts-value': { schema: avro, references: [{ name: 'Part', subject: 'part', version: 3 }] },
    });
    expect(await check({ url, ...login }, 'calls', 'plain', 'broken', 'thrift', 'parts')).toEqual([
      { ok: true, what: `schema registry at ${url} as reader answers` },
      { ok: true, what: 'the schema of calls-value is usable' },
      {
        ok: true,
        what: 'the schema registry has no subject plain-value: values are plain JSON, or have schemas of other subjects',
      },
      {
        ok: false,
        what: 'the newest schema of broken-value is not usable',
        advice: expect.stringMatching(/^the schema of broken-value cannot be used: .*become dead letters\.$/),
      },
      {
        ok: false,
        what: 'the newest schema of thrift-value is not usable',
        advice: expect.stringContaining('its type is THRIFT; known: AVRO, JSON, PROTOBUF'),
      },
      {
        ok: false,
        what: 'the newest schema of parts-value is not usable',
        advice: expect.stringContaining(
          'does not know version 3 of part, to which the schema of parts-value',
        ),
      },
    ]);
  });

  it.each([
    {
      fault: 'a wrong password',
      status: undefined,
      password: 'wrong',
      advice:
        'it answered with status 401 (Unauthorized). Check kafka.schema_registry.username and password.',
    },
    {
      fault: 'another service',
      status: 404,
      password: 'hunter2',
      advice: 'it answered with status 404. Check kafka.schema_registry.url.',
    },
    {
      fault: 'an internal error',
      status: 503,
      password: 'hunter2',
      advice: 'it answered with status 503.',
    },
  ])('reports $fault, without the password', async ({ status, password, advice }) => {
    const { url } = await registry({}, status);
    const found = await check({ url, username: 'reader', password }, 'calls');
    expect(found).toEqual([
      {
        ok: false,
        what: `schema registry at ${url} as reader`,
        advice: `The schema registry at ${url} is not available: ${advice}`,
      },
    ]);
    expect(JSON.stringify(found)).not.toContain(password);
  });

  it('reports a registry that does not run', async () => {
    const { url, stop } = await registry();
    stop();
    const [found] = await check({ url });
    expect(found).toMatchObject({ ok: false, what: `schema registry at ${url}` });
    expect(found?.advice).toMatch(
      /: connect ECONNREFUSED [\d.:]+\. Check that it runs at kafka\.schema_registry\.url\.$/,
    );
  });
});
