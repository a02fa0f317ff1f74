import { createServer } from 'node:net';
import type { Settings } from '@loopwatch/contract';
import * as z from 'zod';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that a port is free, or that Loopwatch itself uses it. */
export async function checkPort(
  name: 'server' | 'worker',
  { host, port }: Settings['worker' | 'server'],
): Promise<Diagnosis> {
  const what = `port ${String(port)} (${name})`;
  if (await isFree(host, port)) return { ok: true, what: `${what} is free` };
  if (await isLoopwatch(host, port)) return { ok: true, what: `${what} is used by a running Loopwatch` };
  const advice = `Another program uses the port. Stop it, or choose another port with --set ${name}.port=…`;
  return { ok: false, what, advice };
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => {
      done(false);
    });
    probe.listen(port, host, () => {
      probe.close(() => {
        done(true);
      });
    });
  });
}

/** What `/readyz` answers, also without a login and while it is not ready. */
const readiness = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean() })),
});

async function isLoopwatch(host: string, port: number): Promise<boolean> {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  try {
    const url = `http://${name}:${String(port)}/readyz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return readiness.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}
