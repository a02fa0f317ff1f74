import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { type Figures, progress, quantile, rounded } from '../measure.ts';

const SAMPLES = 1_500;
const WARM_UP = 300;
const CONCURRENT = 32;
const RATE_ROUNDS = 4;
const RATE_MS = 2_500;

type Side = 'direct' | 'bare' | 'gateway';
const sides: readonly Side[] = ['direct', 'bare', 'gateway'];

/** Milliseconds from sending the request to the first and to the last byte of the response body. */
interface Timing {
  readonly first: number;
  readonly total: number;
}

/**
 * The gateway's added latency and its throughput for streamed responses, compared with a bare streaming proxy on the same
 * HTTP library and a direct call: one at a time, alternating, then concurrently. Each is a separate process.
 */
export async function gateway(): Promise<Figures[]> {
  const children: ChildProcess[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'loopwatch-bench-'));
  try {
    const upstream = await startPart(children, 'upstream');
    const origins: Record<Side, string> = {
      direct: upstream,
      bare: await startPart(children, 'bare', `${upstream}/v1`),
      gateway: await startPart(children, 'gateway', `${upstream}/v1`, dir),
    };
    const pools = sides.map((side) => ({ side, pool: new Pool(origins[side], { connections: CONCURRENT }) }));
    const timings = await measureTimes(pools);
    const rates = await measureRates(pools);
    for (const { pool } of pools) await pool.destroy();
    return [
      ...(['first', 'total'] as const).flatMap((what) =>
        [0.5, 0.99].map((share) => added(timings, what, share)),
      ),
      {
        bench: 'gateway-rate',
        answersPerSecond: rounded(rates.gateway),
        barePerSecond: rounded(rates.bare),
        directPerSecond: rounded(rates.direct),
        concurrent: CONCURRENT,
        ratio: rounded(rates.gateway / rates.bare),
        required: '>= 0.8',
      },
    ];
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map(ended));
    await rm(dir, { recursive: true, force: true });
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function added(
  timings: Readonly<Record<Side, readonly Timing[]>>,
  what: keyof Timing,
  share: number,
): Figures {
  const ms = (side: Side): number =>
    quantile(
      timings[side].map((timing) => timing[what]),
      share,
    );
  const more = ms('gateway') - ms('bare');
  return {
    bench: `gateway-${what}-p${String(share * 100)}`,
    samples: SAMPLES,
    gatewayMs: rounded(ms('gateway')),
    bareMs: rounded(ms('bare')),
    directMs: rounded(ms('direct')),
    addedToBareMs: rounded(more),
    addedToDirectMs: rounded(ms('gateway') - ms('direct')),
    ratio: rounded(ms('gateway') / ms('bare')),
    required: what === 'first' && share === 0.5 ? 'addedToBareMs <= 0.3' : 'nothing',
  };
}

async function startPart(children: ChildProcess[], role: string, upstream = '', dir = ''): Promise<string> {
  const child = fork(fileURLToPath(new URL('./parts.ts', import.meta.url)), [role, upstream, dir]);
  children.push(child);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return `http://127.0.0.1:${String(message.port)}`;
}

type Pools = readonly { readonly side: Side; readonly pool: Pool }[];

async function measureTimes(pools: Pools): Promise<Record<Side, Timing[]>> {
  const timings: Record<Side, Timing[]> = { direct: [], bare: [], gateway: [] };
  for (let i = 0; i < SAMPLES + WARM_UP; i += 1) {
    // Alternating, and none always after the same other one.
    for (const { side, pool } of i % 2 === 0 ? pools : pools.toReversed()) {
      const timing = await ask(pool, i);
      if (i >= WARM_UP) timings[side].push(timing);
    }
    if (i % 500 === 0) progress(`gateway: ${String(i)} of ${String(SAMPLES + WARM_UP)}`);
  }
  return timings;
}

async function measureRates(pools: Pools): Promise<Record<Side, number>> {
  const answers: Record<Side, number> = { direct: 0, bare: 0, gateway: 0 };
  for (let round = 0; round < RATE_ROUNDS; round += 1) {
    for (const { side, pool } of round % 2 === 0 ? pools : pools.toReversed()) {
      const end = performance.now() + RATE_MS;
      const client = async (n: number): Promise<void> => {
        for (; performance.now() < end; answers[side] += 1) await ask(pool, n);
      };
      await Promise.all(Array.from({ length: CONCURRENT }, (_, n) => client(n)));
    }
    progress(`gateway: round ${String(round + 1)} of ${String(RATE_ROUNDS)}`);
  }
  const seconds = (RATE_ROUNDS * RATE_MS) / 1000;
  return {
    direct: answers.direct / seconds,
    bare: answers.bare / seconds,
    gateway: answers.gateway / seconds,
  };
}

async function ask(pool: Pool, n: number): Promise<Timing> {
  const body = JSON.stringify({
    model: 'gpt-5-mini',
    stream: true,
    messages: [
      { role: 'system', content: 'You are a careful engineer.' },
      { role: 'user', content: `Question ${String(n)}: what does this do?` },
    ],
  });
  const start = performance.now();
  const answer = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', 'x-session-id': `s-${String(n % 500)}` },
    body,
  });
  let first = 0;
  let last = '';
  for await (const chunk of answer.body) {
    if (first === 0) first = performance.now() - start;
    last = String(chunk);
  }
  if (!last.endsWith('[DONE]\n\n')) throw new Error(`incomplete response: ${last.slice(-200)}`);
  return { first, total: performance.now() - start };
}
