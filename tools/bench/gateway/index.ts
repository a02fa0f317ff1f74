import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figures, progress } from '../measure.ts';
import { measureRates } from './rates.ts';
import type { CpuTimes, Ports } from './sides.ts';
import { measureTimes } from './times.ts';

/** Messages in a request, on average; 2 is a made-up question without tools. */
const usual = [2, 60];
const all = [2, 20, 60, 200];

/**
 * The gateway's added latency and its throughput, compared with a bare proxy on the same HTTP library and a direct call, for
 * what agents send: histories with tools, which grow from request to request. Each is a separate process.
 */
export async function gateway(full: boolean, sizes?: readonly number[]): Promise<Figures[]> {
  const children: ChildProcess[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'loopwatch-bench-'));
  try {
    const upstream = await startPart(children, 'upstream');
    const origin = `http://127.0.0.1:${String(upstream)}`;
    const ports: Ports = {
      direct: upstream,
      bare: await startPart(children, 'bare', origin),
      gateway: await startPart(children, 'gateway', origin, dir),
    };
    const processes = new Map(Object.keys(ports).map((side, i) => [side, children[i]]));
    const cpuTimes: CpuTimes = (side) => cpuTime(processes.get(side));
    const figures: Figures[] = [];
    for (const messages of sizes ?? (full ? all : usual)) {
      for (const isStream of [true, false]) {
        progress(`gateway: ${String(messages)} messages, ${isStream ? 'streams' : 'whole answers'}`);
        figures.push(...(await measureTimes(ports, messages, isStream)));
        const modes = isStream ? (['tokens', 'burst'] as const) : (['whole'] as const);
        for (const mode of modes) figures.push(await measureRates(ports, cpuTimes, messages, mode));
      }
    }
    return figures;
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map(ended));
    await rm(dir, { recursive: true, force: true });
  }
}

/** CPU time that a process has taken so far, ms. */
async function cpuTime(child: ChildProcess | undefined): Promise<number> {
  if (child === undefined) return Number.NaN;
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1000;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function startPart(children: ChildProcess[], role: string, upstream = '', dir = ''): Promise<number> {
  const child = fork(fileURLToPath(new URL('./parts.ts', import.meta.url)), [role, upstream, dir]);
  children.push(child);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return message.port;
}
