import { content } from './content.ts';
import { latency } from './latency.ts';
import type { Bench } from './measure.ts';
import { memory } from './memory.ts';
import { semantic } from './semantic.ts';
import { worker } from './worker.ts';

/**
 * `npm run bench [-- name …] [-- --full]`: one JSON line a figure on stdout, progress on stderr. `--full` takes the
 * large sizes too.
 */
const benches: Readonly<Record<string, Bench>> = { content, latency, memory, semantic, worker };

const names = process.argv.slice(2).filter((argument) => argument !== '--full');
const full = process.argv.includes('--full');
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const figures of await bench(full)) process.stdout.write(`${JSON.stringify(figures)}\n`);
}
