import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Copies } from '@loopwatch/formats';
import { RecordReader } from '../events/read-records.ts';
import { commandFile } from '../runtime/installation.ts';
import { writeError } from '../runtime/output.ts';
import type { Source } from './find-sources.ts';
import type { ScannedLoop } from './scan-report.ts';

/** Events per request. */
const BATCH_SIZE = 2000;
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 200;

/**
 * Runs the dashboard with the sessions of these loops in a temporary folder and opens a browser. Resolves when the user
 * stops it.
 *
 * @param sources the sources of the loops
 * @param preset the preset that found them
 */
export async function showInDashboard(
  loops: readonly ScannedLoop[],
  sources: readonly Source[],
  preset: string,
): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${String(port)}`;
  const folder = mkdtempSync(join(tmpdir(), 'loopwatch-scan-'));
  const args = [commandFile, 'start', '--no-samples', '--port', String(port), '--data-dir', folder];
  // Histories are often older than what a server keeps by default.
  args.push('--preset', preset, '--set', 'storage.retention_days=null');
  const dashboard = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, LOOPWATCH_LOG_LEVEL: 'error' },
  });
  const exited = once(dashboard, 'exit');
  const stop = () => dashboard.kill('SIGTERM');
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await Promise.race([waitUntilReady(url), exited]);
    if (dashboard.exitCode !== null) throw new Error('the dashboard did not start; see its message above');
    const copies = new Copies();
    for (const source of sources) {
      const own = loops.filter(({ file }) => source.files.includes(file));
      if (own.length === 0) continue;
      const reader = new RecordReader('auto', source.session, (event) => copies.isCopy(event));
      await postSessions(url, reader, source, new Set(own.map(({ sessionId }) => sessionId)));
    }
    writeError(`The dashboard shows these sessions at ${url}/incidents; press Ctrl+C to stop.\n`);
    openBrowser(`${url}/incidents`);
    await exited;
  } finally {
    dashboard.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port found');
  return address.port;
}

async function waitUntilReady(url: string): Promise<void> {
  const until = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < until) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await delay(POLL_MS);
  }
  throw new Error('the dashboard was not ready within a minute');
}

/** Sends the events of the given sessions of a source. */
async function postSessions(
  url: string,
  reader: RecordReader,
  source: Source,
  sessions: ReadonlySet<string>,
): Promise<void> {
  let lines: string[] = [];
  const flush = async () => {
    if (lines.length === 0) return;
    const body = lines.join('\n');
    lines = [];
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the dashboard rejected events: ${await answer.text()}`);
  };
  for (const file of source.files) {
    for await (const records of reader.read(file, { isLast: file === source.files.at(-1) })) {
      for (const event of records.flatMap((record) => record.events)) {
        if (!sessions.has(event.sessionId ?? '')) continue;
        lines.push(JSON.stringify(event));
        if (lines.length >= BATCH_SIZE) await flush();
      }
    }
  }
  await flush();
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Ignores failures: the terminal shows the address as well. */
function openBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}
