import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { freePort } from '@loopwatch/testkit';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { ServerDeps } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';

const emptyDatabase = sharedPglite();
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const tokens = {
  operator: 'operator-token-0123456789',
  viewer: 'viewer-token-0123456789',
  producer: 'producer-token-0123456789',
};
/** A field of a message in protobuf; values are short. */
function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = [value.length & 0x7f, value.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, (size[0] ?? 0) | 0x80, size[1] ?? 0]), value]);
}
const attribute = (key: string, value: string): Buffer => field(9, field(1, key), field(2, field(1, value)));
const call = [
  attribute('gen_ai.operation.name', 'execute_tool'),
  attribute('gen_ai.conversation.id', 'c-1'),
  attribute('gen_ai.tool.name', 'read_file'),
];
const span = field(2, field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 1)), ...call);
const request = field(1, field(2, span));
const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function started(deps: Partial<ServerDeps> = {}): Promise<{ address: string; log: MemoryLog }> {
  const otlpGrpcPort = await freePort();
  const { server, log } = await startServer({ openDatabase: emptyDatabase, otlpGrpcPort, ...deps });
  stops.push(() => server.stop());
  return { address: `127.0.0.1:${String(otlpGrpcPort)}`, log };
}

/** @returns the name of the status, and its details */
function send(
  address: string,
  { path = TRACES, body = request, authorization = '' } = {},
): Promise<[string | undefined, string]> {
  const client = new Client(address, credentials.createInsecure());
  stops.push(() => {
    client.close();
    return Promise.resolve();
  });
  const metadata = new Metadata();
  if (authorization !== '') metadata.set('authorization', authorization);
  const asIs = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, body, metadata, (error) => {
      resolve([status[error?.code ?? status.OK], error?.details ?? '']);
    });
  });
}

it('OTLP/gRPC: spans of an exporter become events of their session', async () => {
  const { address, log } = await started();
  const exporter = new OTLPTraceExporter({ url: `http://${address}` });
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  stops.push(() => provider.shutdown());
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.conversation.id': 'c-1',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.tool.call.id': 'call-1',
    'gen_ai.tool.call.arguments': '{"path":"a"}',
    'gen_ai.tool.call.result': 'an empty file',
  };
  provider.getTracer('test').startSpan('execute_tool read_file', { attributes }).end();
  await provider.forceFlush();
  expect(log.values(topics.events)).toMatchObject([
    { type: 'tool_call_request', sessionId: 'c-1', callId: 'call-1', name: 'read_file' },
    { type: 'tool_result', sessionId: 'c-1', callId: 'call-1', result: 'an empty file' },
  ]);
});

it.each([
  ['a client without a token', '', 'UNAUTHENTICATED'],
  ['a wrong token', 'Bearer wrong-token-0123456789', 'UNAUTHENTICATED'],
  ['a viewer', `Bearer ${tokens.viewer}`, 'PERMISSION_DENIED'],
  ['a producer', `Bearer ${tokens.producer}`, 'OK'],
  ['an operator', `Bearer ${tokens.operator}`, 'OK'],
])('OTLP/gRPC: %s sends spans', async (_who, authorization, expected) => {
  const { address } = await started({ tokens });
  expect((await send(address, { authorization }))[0]).toBe(expected);
});

it.each([
  ['no protobuf', { body: Buffer.from('\u0007no protobuf') }, 'INVALID_ARGUMENT', /not a valid OTLP traces/],
  ['metrics', { path: TRACES.replaceAll(/trace/gi, 'metrics') }, 'UNIMPLEMENTED', /./],
  ['17 MB', { body: Buffer.alloc(17 * 1024 * 1024) }, 'RESOURCE_EXHAUSTED', /larger than max/],
] as const)('OTLP/gRPC: %s is refused', async (_what, request, expected, details) => {
  const { address, log } = await started();
  const [name, text] = await send(address, request);
  expect(name).toBe(expected);
  expect(text).toMatch(details);
  expect(log.values(topics.events)).toEqual([]);
});

it('OTLP/gRPC: an empty export is accepted', async () => {
  const { address, log } = await started();
  expect(await send(address, { body: Buffer.alloc(0) })).toEqual(['OK', '']);
  expect(log.values(topics.events)).toEqual([]);
});

it('OTLP/gRPC: an exporter is told to try again while the log cannot be written', async () => {
  const { address, log } = await started();
  log.failure = new Error('the disk is full');
  const [name, text] = await send(address);
  expect(name).toBe('UNAVAILABLE');
  expect(text).toMatch(/^The event log could not write/);
  log.failure = undefined;
  expect(await send(address)).toEqual(['OK', '']);
  expect(log.values(topics.events)).toMatchObject([{ sessionId: 'c-1', name: 'read_file' }]);
});

it('OTLP/gRPC: a port in use is named', async () => {
  const { address } = await started();
  const otlpGrpcPort = Number(address.split(':')[1]);
  await expect(startServer({ openDatabase: emptyDatabase, otlpGrpcPort })).rejects.toThrow(
    `OTLP/gRPC cannot listen on ${address}`,
  );
});
