import { parseArgs } from 'node:util';
import { analysis } from './analysis.ts';
import { scan } from './commands/scan.ts';
import { start } from './commands/start.ts';
import { content } from './content.ts';
import { dashboard } from './dashboard/index.ts';
import { formats } from './formats.ts';
import { gateway } from './gateway/index.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { masks } from './masks.ts';
import type { Bench } from './measure.ts';
import { memory } from './memory.ts';
import { million } from './million/index.ts';
import { recovery } from './recovery.ts';
import { semantic } from './semantic.ts';
import { soak } from './soak.ts';
import { worker, workerReal } from './worker.ts';
import { workers } from './workers.ts';

/**
 * `npm run bench [-- name …] [-- --full]`: one JSON line per figure on stdout, progress on stderr. `--full` adds the
 * large sizes. `memory --sessions 20000,50000` measures only these numbers of sessions of real traffic, and
 * `gateway --sessions 20,60` only these numbers of messages in a request. `soak` takes ten minutes, `million` half
 * an hour; they run only if they are named.
 */
const benches: Readonly<Record<string, Bench>> = {
  analysis,
  content,
  dashboard,
  formats,
  gateway,
  growth,
  latency,
  masks,
  memory,
  million,
  recovery,
  scan,
  semantic,
  soak,
  start,
  worker,
  'worker-real': workerReal,
  workers,
};

/** These run only if they are named. */
const longBenches = new Set(['million', 'soak']);

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, sessions: { type: 'string' } },
});
const sizes = values.sessions?.split(',').map(Number);
if (sizes?.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  process.stderr.write('--sessions needs positive integers, such as 20000,50000\n');
  process.exit(2);
}
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (names.length > 0 ? !names.includes(name) : longBenches.has(name)) continue;
  for (const figures of await bench(values.full, sizes)) process.stdout.write(`${JSON.stringify(figures)}\n`);
}
