import avro from 'avsc';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { createValueDecoder, LogError } from '../../../src/index.ts';
import { framed, registryOf } from './registry-server.ts';

const path = '/schemas/ids/7';

/** Decodes a value of the schema with id 7. */
async function decoded(
  answer: object,
  payload: string | Uint8Array | readonly number[],
  more: Record<string, object> = {},
) {
  const { url } = await registryOf({ [path]: answer, ...more });
  const result = await createValueDecoder({ url }).decode(framed(7, payload));
  return 'json' in result ? (JSON.parse(result.json) as unknown) : result;
}

const fields = (...types: unknown[]) => ({
  type: 'record',
  name: 'Event',
  fields: types.map((type, i) => ({ name: `f${String(i)}`, type })),
});
const avroOf = (...types: unknown[]) => ({ schema: JSON.stringify(fields(...types)) });
const long = (value: bigint) => {
  const zigzag = value < 0n ? -2n * value - 1n : 2n * value;
  const bytes: number[] = [];
  for (let rest = zigzag; ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) return Uint8Array.from(bytes);
  }
};

describe('Avro', () => {
  it.each([
    ['an exact long', 'long', long(1_760_000_000_000n), 1_760_000_000_000],
    ['the largest exact long', 'long', long(2n ** 53n - 1n), 2 ** 53 - 1],
    ['a long that is no exact number', 'long', long(2n ** 53n + 1n), '9007199254740993'],
    ['the smallest long', 'long', long(-(2n ** 63n)), '-9223372036854775808'],
    ['a time', { type: 'long', logicalType: 'timestamp-millis' }, long(5n), 5],
    ['bytes', 'bytes', [4, 1, 2], 'AQI='],
    ['a fixed', { type: 'fixed', name: 'F', size: 2 }, [1, 2], 'AQI='],
    ['null of a union', ['null', 'long'], [0], null],
    ['a long of a union', ['null', 'long'], [2, 10], 5],
    ['a branch of an ambiguous union', ['int', 'long', 'string', 'bytes'], [4, 2, 97], 'a'],
    ['a map of unions', { type: 'map', values: ['null', 'string'] }, [2, 2, 107, 2, 2, 118, 0], { k: 'v' }],
    ['an array', { type: 'array', items: 'long' }, [4, 2, 4, 0], [1, 2]],
    ['an enum', { type: 'enum', name: 'E', symbols: ['a', 'b'] }, [2], 'b'],
    [
      'a field named unwrap',
      { type: 'record', name: 'R', fields: [{ name: 'unwrap', type: 'int' }] },
      [2],
      { unwrap: 1 },
    ],
  ])('decodes %s', async (_, type, bytes, value) => {
    expect(await decoded(avroOf(type), Uint8Array.from(bytes))).toEqual({ f0: value });
  });

  it('decodes a default of a union with long', async () => {
    const schema = fields(['long', 'null']);
    Object.assign(schema.fields[0] ?? {}, { default: 0 });
    expect(await decoded({ schema: JSON.stringify(schema) }, [0, 2])).toEqual({ f0: 1 });
  });

  it('decodes a schema that refers to others', async () => {
    const inner = { type: 'record', name: 'a.Inner', fields: [{ name: 'n', type: 'a.Kind' }] };
    const kind = { type: 'enum', name: 'a.Kind', symbols: ['x', 'y'] };
    const reference = (subject: string) => [{ name: `a.${subject}`, subject, version: 3 }];
    const answer = { ...avroOf('a.Inner'), references: reference('Inner') };
    expect(
      await decoded(answer, [2], {
        '/subjects/Inner/versions/3': { schema: JSON.stringify(inner), references: reference('Kind') },
        '/subjects/Kind/versions/3': { schema: JSON.stringify(kind) },
      }),
    ).toEqual({ f0: { n: 'y' } });
    expect(await decoded(answer, [2])).toEqual({
      fault: 'the schema registry does not know version 3 of Inner, to which the schema with id 7 refers',
    });
  });

  it('reads what avsc writes', async () => {
    const schema = fields('string', 'double', 'boolean', ['null', 'string']);
    const value = { f0: 'ä', f1: 0.5, f2: true, f3: 'x' };
    const bytes = avro.Type.forSchema(schema as avro.Schema).toBuffer(value);
    expect(await decoded({ schema: JSON.stringify(schema) }, bytes)).toEqual(value);
  });
});

const proto = `syntax = "proto3";
package agents;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
import "common.proto";
message First { string session_id = 1; }
message Event {
  message Note { string text = 1; }
  message Call {
    string session_id = 1;
    int64 count = 2;
    fixed64 big = 3;
    google.protobuf.Timestamp at = 4;
    repeated string tool_calls = 5 [json_name = "tool_calls"];
    bytes raw = 6;
    google.protobuf.Struct args = 7;
    map<string, int64> totals = 8;
    Kind kind = 9;
    repeated sint64 counts = 10;
    common.Usage usage = 11;
  }
}
enum Kind { NONE = 0; CALL = 1; }
`;
const common = 'syntax = "proto3"; package common; message Usage { int64 input_tokens = 1; }';
const protobufs = {
  schema: proto,
  schemaType: 'PROTOBUF',
  references: [{ name: 'common.proto', subject: 'common', version: 1 }],
};
const commonAnswer = { '/subjects/common/versions/1': { schema: common, schemaType: 'PROTOBUF' } };
const call = () => {
  const root = new protobuf.Root();
  for (const text of [common, proto]) protobuf.parse(text, root);
  for (const name of ['timestamp', 'struct'])
    root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});
  return root.lookupType('agents.Event.Call');
};

describe('Protobuf', () => {
  it('decodes to the JSON mapping, with numbers where they are exact', async () => {
    const type = call();
    const message = type.fromObject({
      sessionId: 's',
      count: 5,
      big: '9007199254740993',
      at: { seconds: 1_760_000_000, nanos: 500_000_000 },
      toolCalls: ['a'],
      raw: 'AQI=',
      args: { fields: { path: { stringValue: 'a.txt' } } },
      totals: { a: 7 },
      kind: 'CALL',
      counts: [-1, 2],
      usage: { inputTokens: 12 },
    });
    // The second message of the file, and the second within it.
    const payload = Buffer.concat([Buffer.from([4, 2, 2]), type.encode(message).finish()]);
    expect(await decoded(protobufs, payload, commonAnswer)).toEqual({
      sessionId: 's',
      count: 5,
      big: '9007199254740993',
      at: '2025-10-09T08:53:20.500Z',
      tool_calls: ['a'],
      raw: 'AQI=',
      args: { path: 'a.txt' },
      totals: { a: 7 },
      kind: 'CALL',
      counts: [-1, 2],
      usage: { inputTokens: 12 },
    });
  });

  it('a single 0 means the first message', async () => {
    expect(await decoded(protobufs, [0, 10, 1, 115], commonAnswer)).toEqual({ sessionId: 's' });
  });

  it('decodes a schema that is a serialized descriptor', async () => {
    // syntax = "proto3"; package a; message M { string session_id = 1; }
    const descriptor = [
      [0x12, 1, 0x61],
      [0x22, 0x13, 0x0a, 1, 0x4d, 0x12, 0x0e, 0x0a, 10, ...Buffer.from('session_id'), 0x18, 1],
      [0x62, 6, ...Buffer.from('proto3')],
    ].flat();
    // Label and type: optional string.
    descriptor.splice(descriptor.indexOf(0x62), 0, 0x20, 1, 0x28, 9);
    descriptor[4] = 0x17;
    descriptor[9] = 0x12;
    const schema = Buffer.from(descriptor).toString('base64');
    expect(await decoded({ schema, schemaType: 'PROTOBUF' }, [0, 10, 1, 115])).toEqual({ sessionId: 's' });
  });
});

it('JSON Schema: the value is JSON, its integers exact', async () => {
  const value = '{"a":1,"b":9007199254740993}';
  expect(await decoded({ schema: '{}', schemaType: 'JSON' }, value)).toEqual({ a: 1, b: '9007199254740993' });
});

it.each([
  [
    'Avro that is cut',
    avroOf('string'),
    [8, 97],
    'the value does not fit its schema, id 7: truncated buffer',
  ],
  [
    'Avro with more than the value',
    avroOf('int'),
    [2, 2],
    'the value does not fit its schema, id 7: trailing data',
  ],
  [
    'an Avro schema that is invalid',
    { schema: '{"type":"what"}' },
    [],
    'the schema with id 7 cannot be used: ',
  ],
  [
    'Protobuf that is cut',
    protobufs,
    [0, 10, 9, 115],
    'the value does not fit its schema, id 7: index out of range',
  ],
  [
    'Protobuf of a message that does not exist',
    protobufs,
    [2, 8],
    'id 7: its message index names no message',
  ],
  ['Protobuf with no index', protobufs, [1], 'id 7: its message index is invalid'],
  [
    'JSON that is not JSON',
    { schema: '{}', schemaType: 'JSON' },
    'nothing',
    'the value does not fit its schema, id 7: ',
  ],
  [
    'another type',
    { schema: '', schemaType: 'THRIFT' },
    [],
    'its type is THRIFT; known: AVRO, JSON, PROTOBUF',
  ],
])('says why it cannot decode %s', async (_, answer, payload, reason) => {
  expect(await decoded(answer, payload, commonAnswer)).toEqual({
    fault: expect.stringContaining(reason) as unknown,
  });
});

it('fetches a schema once, also for values that arrive together, and asks for an unknown one once', async () => {
  const { url, requests } = await registryOf({ [path]: avroOf('int') });
  const decoder = createValueDecoder({ url });
  const value = framed(7, [2]);
  const ids = [7, 7, 7, 9, 9].map((id) => decoder.decode(framed(id, [2])));
  const results = await Promise.all(ids);
  expect(results.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ json: '{"f0":1}' })));
  expect(results[4]).toEqual({ fault: 'the schema registry does not know the schema with id 9' });
  await decoder.decode(value);
  await decoder.decode(framed(9, []));
  expect(requests).toEqual([path, '/schemas/ids/9']);
});

it('sends its login', async () => {
  const { url, logins } = await registryOf({ [path]: avroOf('int') });
  const login = { username: 'key', password: 'secret' };
  await createValueDecoder({ url: `${url}/`, login }).decode(framed(7, [2]));
  expect(logins).toEqual([`Basic ${Buffer.from('key:secret').toString('base64')}`]);
});

describe('a registry that is not available', () => {
  const answering = (status: number, body = '') =>
    registryOf({ [path]: (response) => response.writeHead(status).end(body) });
  /** A clock that waiting advances. */
  const clock = () => {
    let time = 0;
    const wait = (ms: number) => {
      time += ms;
      return Promise.resolve();
    };
    return { now: () => time, wait };
  };

  it.each([
    [503, '', 'it answered with status 503', true],
    [429, '', 'it answered with status 429', true],
    [401, '', 'it answered with status 401. Check kafka.schema_registry.username and password', false],
    [
      404,
      '{"error_code":404,"message":"no such path"}',
      'status 404 (no such path). Check kafka.schema_registry.url',
      false,
    ],
    [404, '<html>', 'it answered with status 404. Check kafka.schema_registry.url', false],
    [200, '<html>', 'its answer is not that of a schema registry. Check kafka.schema_registry.url', false],
  ])('status %i %s: rejects with the reason', async (status, body, reason, isRetried) => {
    const { url, requests } = await answering(status, body);
    const decoding = createValueDecoder({ url }, undefined, clock()).decode(framed(7, [2]));
    await expect(decoding).rejects.toThrow(reason);
    await expect(decoding).rejects.toMatchObject({ code: 'registry_unavailable', name: LogError.name });
    expect(requests.length > 1).toBe(isRetried);
  });

  it('retries within a request', async () => {
    let failures = 2;
    const { url } = await registryOf({
      [path]: (response) => {
        failures -= 1;
        response.writeHead(failures < 0 ? 200 : 500).end(JSON.stringify(avroOf('int')));
      },
    });
    const decoder = createValueDecoder({ url }, undefined, clock());
    expect(await decoder.decode(framed(7, [2]))).toEqual({ json: '{"f0":1}' });
  });

  it('logs an outage once, and its end', async () => {
    const { url, answers } = await answering(503);
    const lines: string[] = [];
    const log = (level: string, message: string) => lines.push(`${level} ${message}`);
    const decoder = createValueDecoder({ url }, log, clock());
    for (const id of [7, 7, 7]) await decoder.decode(framed(id, [2])).catch(() => undefined);
    answers[path] = avroOf('int');
    expect(await decoder.decode(framed(7, [2]))).toEqual({ json: '{"f0":1}' });
    expect(lines).toEqual([
      `warn The schema registry at ${url} is not available: it answered with status 503. Sources wait for it and lose nothing`,
      `info The schema registry at ${url} is available again`,
    ]);
  });
});
