import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { detectionSchema, topicNames } from '@loopwatch/contract';
import { openDatabase } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { pgliteFolder } from '../../storage/test/pglite-folder.ts';
import type { Readiness } from '../src/health.ts';
import { createServer, type LoopwatchServer, type ServerDeps } from '../src/index.ts';
import { MemoryLog } from './memory-log.ts';

export const info = { version: '0.1.0', preset: 'balanced', configHash: '4f1c9a2' };
export const topics = topicNames({ prefix: 'loopwatch.' });
export const silent = pino({ level: 'silent' });

/** A dashboard that is not built, except for the login page. */
function loginPageOnly(): string {
  const dir = fileURLToPath(new URL('../../../.cache/login-page/', import.meta.url));
  mkdirSync(dir, { recursive: true });
  const sources = new URL('../../dashboard/', import.meta.url);
  for (const path of ['login.html', 'src/login/login.css']) {
    // Other processes may read the file meanwhile.
    const copy = join(dir, `${basename(path)}.${String(process.pid)}`);
    copyFileSync(fileURLToPath(new URL(path, sources)), copy);
    renameSync(copy, join(dir, basename(path)));
  }
  return dir;
}

/** A server over a log in memory and an embedded database in a folder of its own, on a free port of this machine. */
export async function startServer(deps: Partial<ServerDeps> = {}): Promise<{
  url: string;
  log: MemoryLog;
  server: LoopwatchServer;
  /** Resolves when everything that is in the log is in the database. */
  stored: () => Promise<void>;
}> {
  const log = new MemoryLog();
  const dir = deps.openDatabase === undefined ? await pgliteFolder() : undefined;
  const server = createServer({
    host: '127.0.0.1',
    port: 0,
    openDatabase: () => openDatabase({ data_dir: dir ?? '', database_url: undefined }, silent),
    topics,
    registry: new Registry(),
    logger: silent,
    info,
    retention: { days: null, megabytes: null },
    configured: { settings: detectionSchema.parse({}), origins: {}, hasModel: true },
    readiness: () => Promise.resolve({ log: { ok: true } }),
    dashboardDir: loginPageOnly(),
    log,
    // A test that moves the clock means both.
    ...(deps.now && { monotonic: deps.now }),
    ...deps,
  });
  const { url } = await server.start();
  const stop = async (): Promise<void> => {
    await server.stop();
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  };
  const stored = async (): Promise<void> => {
    await waitFor(async () => {
      const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { checks: Readiness };
      return log.delivered && checks['verdicts']?.ok === true && checks['verdicts'].detail === undefined;
    });
  };
  return { url, log, server: { ...server, stop }, stored };
}
