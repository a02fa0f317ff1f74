import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { waitFor } from '@loopwatch/testkit';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';

const emptyDatabase = sharedPglite();
const MEBIBYTE = 1024 * 1024;
const line = '{"sessionId":"s-1","type":"turn_started","time":1}';
let registry: Registry;
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

beforeEach(async () => {
  registry = new Registry();
  ({ url, log, server } = await startServer({ openDatabase: emptyDatabase, registry }));
});

afterEach(() => server.stop());

const written = () => log.topics.get(topics.events) ?? [];

function open(headers: Record<string, string> = {}): ClientRequest {
  const { port } = new URL(url);
  return request({ host: '127.0.0.1', port, method: 'POST', path: '/api/v1/events', headers });
}

// oxlint-disable-next-line typescript/no-explicit-any
type Answer = { status: number; headers: Headers; body: any };

async function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    body: Buffer.from(body) as Uint8Array<ArrayBuffer>,
    headers,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

it('streamed events are in the log before their body ends', async () => {
  const posting = open();
  const answered = once(posting, 'response');
  for (const events of [1, 2, 3]) {
    posting.write(`${line}\n${line.slice(0, 10)}`);
    await waitFor(() => written().length === 2 * events - 1);
    posting.write(`${line.slice(10)}\n`);
    await waitFor(() => written().length === 2 * events);
  }
  posting.end();
  const [{ statusCode }] = (await answered) as [{ statusCode: number }];
  expect(statusCode).toBe(202);
});

it('a stopping server does not wait for a streamed body', async () => {
  const posting = open();
  const closed = once(posting, 'error');
  posting.write(`${line}\n`);
  await waitFor(() => written().length === 1);
  await server.stop();
  await closed;
});

it('complete lines of a truncated body are accepted', async () => {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const head = 'POST /api/v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n';
  await new Promise<void>((sent) => socket.write(`${head}${line}\n${line}\n${line}`, () => sent()));
  socket.destroy();
  await waitFor(() => written().length === 2);
  expect((await post(line)).status).toBe(202);
  expect(written()).toHaveLength(3);
});

it('lines before corrupt compressed data are accepted and counted', async () => {
  const text = Array.from({ length: 40_000 }, (_, n) => line.replace('1}', `${String(n)}}`)).join('\n');
  const whole = gzipSync(text);
  const { status, body } = await post(whole.subarray(0, whole.length / 2), { 'content-encoding': 'gzip' });
  expect([status, body.accepted]).toEqual([400, written().length]);
  expect(body.accepted).toBeGreaterThan(10_000);
  expect(body).toMatchObject({ rejected: [], unreadFromLine: written().length + 1 });
  const counted = await registry.metrics();
  expect(counted).toContain(
    `loopwatch_server_posted_events_total{result="accepted"} ${String(written().length)}`,
  );
});

it('an NDJSON body may be longer than other bodies', async () => {
  const long = line.replace('1}', `1,"text":"${'x'.repeat(2_000)}"}`);
  const lines = 1 + Math.ceil((21 * MEBIBYTE) / (long.length + 1));
  const answer = await post(`${long}\n`.repeat(lines));
  expect(answer).toMatchObject({ status: 202, body: { accepted: lines } });
});

it('an endless body is accepted up to 1 GiB', async () => {
  const blank = gzipSync(`${' '.repeat(MEBIBYTE - 1)}\n`.repeat(128));
  const body = Buffer.concat([
    gzipSync(`${line}\n`),
    ...Array.from({ length: 9 }, () => blank),
    gzipSync(line),
  ]);
  const answer = await post(body, { 'content-encoding': 'gzip' });
  expect(answer).toMatchObject({ status: 413, body: { accepted: 1, unreadFromLine: 2 } });
  expect(written()).toHaveLength(1);
});

it('requests get a 429 when a slow log fills the buffer', async () => {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  log.pause = () => hold;
  const large = line.replace('1}', `1,"text":"${'x'.repeat(15 * MEBIBYTE)}"}`);
  const answers = Array.from({ length: 10 }, () => post(large));
  const first = await Promise.race(answers);
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
  expect(first.body).toMatchObject({ accepted: 0, unreadFromLine: 1 });
  release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
  const accepted = statuses.filter((status) => status === 202).length;
  expect(accepted).toBeGreaterThan(0);
  expect(written()).toHaveLength(accepted);
  expect((await post(large)).status).toBe(202);
});
