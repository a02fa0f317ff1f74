import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { topicNames } from '@loopwatch/contract';
import { resolveSettings } from '@loopwatch/contract/internal';
import { Gateway } from '@loopwatch/gateway';
import { openDatabase } from '@loopwatch/storage';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Pool } from 'undici';
import { encodingSink } from './sink.ts';

/**
 * The processes of the gateway's bench: `upstream`, `bare`, `gateway`, each by its name as the first argument, the
 * upstream's origin as the second, the gateway's folder as the third. Reports its port to the parent, and ends with it.
 */

const [, , role = '', upstream = '', dir = ''] = process.argv;
process.once('disconnect', () => process.exit(0));
// Any message asks for the time that this process has spent on processors.
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.({ port: await start() });

async function start(): Promise<number> {
  // The proxies do without its conversations: a large heap takes long to mark.
  if (role === 'upstream') return listen((await import('./upstream.ts')).startUpstream());
  if (role === 'bare') return listen(createServer(bareProxy()));
  return startGateway();
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const notForwarded = new Set(['host', 'connection', 'transfer-encoding', 'keep-alive']);

/** A minimal streaming proxy on undici's cheapest interface: forwards the request and the response as they arrive. */
function bareProxy(): RequestListener {
  const pool = new Pool(upstream, { connections: null, pipelining: 1 });
  return (incoming, response) => {
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !notForwarded.has(name)),
    );
    const request = { method: 'POST' as const, path: incoming.url ?? '/', headers, body: incoming };
    pool.dispatch(request, {
      onRequestStart(controller) {
        response.on('drain', () => {
          controller.resume();
        });
      },
      onResponseStart(_controller, status, answered) {
        const kept = Object.entries(answered).filter(([name]) => !notForwarded.has(name));
        response.writeHead(status, Object.fromEntries(kept));
      },
      onResponseData(controller, chunk) {
        if (!response.write(chunk)) controller.pause();
      },
      onResponseEnd() {
        response.end();
      },
      onResponseError() {
        response.destroy();
      },
    });
  };
}

/** The gateway with its defaults; its database is in a folder. */
async function startGateway(): Promise<number> {
  const resolved = resolveSettings({
    environment: {},
    flags: { 'gateway.upstream': `${upstream}/v1`, 'gateway.port': 0, preset: 'proxy' },
  });
  if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
  const logger = pino({ level: 'warn' });
  const gateway = new Gateway({
    settings: resolved.settings,
    topics: topicNames({ prefix: 'bench.' }),
    sink: encodingSink,
    registry: new Registry(),
    logger,
    openDatabase: () => openDatabase({ data_dir: dir, database_url: undefined }, logger),
  });
  return (await gateway.start()).port;
}
