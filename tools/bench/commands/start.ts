import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, tempDir } from '@loopwatch/testkit';
import { type Figures, median, progress, rounded } from '../measure.ts';

const ROUNDS = 9;
const ALL_ROUNDS = 25;
const STARTS = 3;
const TIMEOUT_MS = 60_000;
const POLL_MS = 5;
/** The time that `node -e 0` takes on a quiet machine. The limits in milliseconds apply there; the ratios anywhere. */
const NODE_MS = 50;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = `${root}packages/cli/bin/loopwatch.js`;
const sample = `${root}samples/tool-repeat-read-file.events.jsonl`;

interface Command {
  readonly args: readonly string[];
  /** `null`: the baseline. */
  readonly limitMs: number | null;
}

const commands: Readonly<Record<string, Command>> = {
  'node -e 0': { args: ['-e', '0'], limitMs: null },
  'loopwatch --version': { args: [bin, '--version'], limitMs: 150 },
  'loopwatch --help': { args: [bin, '--help'], limitMs: 150 },
  'loopwatch replay of a sample': { args: [bin, 'replay', sample], limitMs: 400 },
  'loopwatch scan of a sample': { args: [bin, 'scan', sample], limitMs: 400 },
};

/** Start times of the built commands, in turn, compared with `node -e 0` of the same run. */
export async function start(full: boolean): Promise<Figures[]> {
  const rounds = full ? ALL_ROUNDS : ROUNDS;
  const spent = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]));
  // The first round fills the file cache.
  for (let round = -1; round < rounds; round += 1) {
    progress(`start: commands, round ${String(round + 1)} of ${String(rounds)}`);
    for (const [name, { args }] of Object.entries(commands)) {
      const ms = await run(name, args);
      if (round >= 0) spent.get(name)?.push(ms);
    }
  }
  const node = median(spent.get('node -e 0') ?? []);
  const figures = Object.entries(commands).map(([name, { limitMs }]) =>
    figuresOf(name, spent.get(name) ?? [], limitMs, node),
  );
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    progress(`start: loopwatch start, ${String(round + 1)} of ${String(STARTS)}`);
    await using dir = await tempDir();
    first.push(await untilPage(dir.path));
    later.push(await untilPage(dir.path));
  }
  return [
    ...figures,
    figuresOf('loopwatch start to the page, new data folder', first, 4000, node),
    figuresOf('loopwatch start to the page, existing data folder', later, 4000, node),
  ];
}

function figuresOf(name: string, spent: readonly number[], limitMs: number | null, node: number): Figures {
  return {
    bench: `start, ${name}`,
    ms: Math.round(median(spent)),
    fastestMs: Math.round(Math.min(...spent)),
    ratio: rounded(median(spent) / node),
    required:
      limitMs === null
        ? 'nothing'
        : `<= ${String(limitMs / NODE_MS)} (${String(limitMs)} ms where node -e 0 takes ${String(NODE_MS)})`,
  };
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  const ms = performance.now() - began;
  // 3: loops were found.
  if (code !== 0 && code !== 3) throw new Error(`${name} ended with ${String(code)}`);
  return ms;
}

/** Milliseconds from the command to the first answer with the dashboard's page. */
async function untilPage(folder: string): Promise<number> {
  const port = String(await freePort());
  const began = performance.now();
  const child = spawn(process.execPath, [bin, 'start', '--port', port, '--data-dir', folder], {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  try {
    while (child.exitCode === null && performance.now() - began < TIMEOUT_MS) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      if (answer?.status === 200 && (await answer.text()).includes('<html')) return performance.now() - began;
      await delay(POLL_MS);
    }
    throw new Error('loopwatch start served no page');
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
