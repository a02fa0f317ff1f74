import { parseArgs } from 'node:util';
import { fetchRuns, github } from './fetch-runs.ts';
import type { RunCache } from './run-cache.ts';
import { publicRuns } from './runs.ts';

/** `npm run loopbench -- fetch [--from DIR|URL]`. @returns the exit status */
export async function fetchCommand(args: readonly string[], cache: RunCache): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { from: { type: 'string', default: github } },
  });
  const runs = publicRuns();
  const missing = runs.filter((run) => !cache.has(run)).length;
  const say = (message: string) => process.stderr.write(`${message}\n`);
  say(
    `${String(runs.length)} public runs, ${String(runs.length - missing)} of them in ${cache.folder} already`,
  );
  const { fetched, problems } = await fetchRuns(runs, {
    from: values.from,
    cache,
    onProgress: say,
    onRetry: say,
  });
  for (const problem of problems) say(problem);
  say(`${String(fetched)} runs fetched, ${String(missing - fetched)} missing`);
  return fetched === missing ? 0 : 1;
}
