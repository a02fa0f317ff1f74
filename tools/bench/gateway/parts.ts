import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { resolveSettings, topicNames } from '@loopwatch/contract';
import { Gateway } from '@loopwatch/gateway';
import type { RecordSink } from '@loopwatch/log';
import { openDatabase } from '@loopwatch/storage';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Agent, request as send } from 'undici';

/**
 * The processes of the gateway's bench: `upstream`, `bare`, `gateway`, each by its name as the first argument, the
 * upstream's URL as the second, the gateway's folder as the third. Reports its port to the parent, and ends with it.
 */

/** Number of chunks of a streamed response. */
const PIECES = 50;
/** Time from the first chunk to the second. */
const PAUSE_MS = 5;

const role = process.argv[2] ?? '';
const upstream = process.argv[3] ?? '';
process.once('disconnect', () => process.exit(0));
process.send?.({ port: await start() });

function start(): Promise<number> {
  if (role === 'upstream') return listen(answer);
  if (role === 'bare') return listen(bareProxy());
  return startGateway();
}

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A model with a prepared response, which it streams chunk by chunk. */
function answer(...[incoming, response]: Parameters<RequestListener>): void {
  incoming.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    let piece = 0;
    const next = (): void => {
      if (piece === PIECES) {
        response.write(chunk({}, 'stop'));
        response.end('data: [DONE]\n\n');
        return;
      }
      response.write(chunk({ content: `word${String(piece)} ` }, null));
      piece += 1;
      // The first token is out before there is a second one.
      if (piece === 1) setTimeout(next, PAUSE_MS);
      else setImmediate(next);
    };
    next();
  });
}

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_763_757_600, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

/** A minimal streaming proxy: forwards the request and the response. */
function bareProxy(): RequestListener {
  const dispatcher = new Agent({ connections: null, pipelining: 1 });
  return (incoming, response) => {
    const headers = without(incoming.headers, 'host', 'connection');
    void send(`${upstream}${incoming.url?.slice('/v1'.length) ?? ''}`, {
      dispatcher,
      method: 'POST',
      headers,
      body: incoming,
    }).then(({ statusCode, headers: answered, body }) => {
      response.writeHead(statusCode, without(answered, 'transfer-encoding', 'connection'));
      pipeline(body, response, () => undefined);
    });
  };
}

function without(headers: IncomingHttpHeaders, ...names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

/** The gateway with its defaults, except for a log that accepts everything immediately; its database is in a folder. */
async function startGateway(): Promise<number> {
  const dir = process.argv[4] ?? '';
  const resolved = resolveSettings({
    environment: {},
    flags: { 'gateway.upstream': upstream, 'gateway.port': 0, preset: 'proxy' },
  });
  if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
  const done = (): Promise<void> => Promise.resolve();
  const sink: RecordSink = { open: done, publish: done, close: done };
  const logger = pino({ level: 'warn' });
  const topics = topicNames({ prefix: 'bench.' });
  const gateway = new Gateway({
    settings: resolved.settings,
    topics,
    sink,
    registry: new Registry(),
    logger,
    openDatabase: () => openDatabase({ data_dir: dir, database_url: undefined }, logger),
  });
  return (await gateway.start()).port;
}
