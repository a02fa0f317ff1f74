import { topicNames } from '@loopwatch/contract';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createServer, type LoopwatchServer, type ServerDeps } from '../src/index.ts';
import { MemoryLog } from './memory-log.ts';

export const info = { version: '0.1.0', preset: 'balanced', configHash: '4f1c9a2' };
export const topics = topicNames({ prefix: 'loopwatch.' });

/** A server over a log in memory, on a free port of this machine. */
export async function startServer(
  deps: Partial<ServerDeps> = {},
): Promise<{ url: string; log: MemoryLog; server: LoopwatchServer }> {
  const log = new MemoryLog();
  const server = createServer({
    host: '127.0.0.1',
    port: 0,
    verdicts: log.source(topics.verdicts),
    events: log.sink(),
    topics,
    registry: new Registry(),
    logger: pino({ level: 'silent' }),
    info,
    readiness: () => Promise.resolve({ log: { ok: true } }),
    dashboardDir: '/nowhere',
    ...deps,
  });
  const { url } = await server.start();
  return { url, log, server };
}
