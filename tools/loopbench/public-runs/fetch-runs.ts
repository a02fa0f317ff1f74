import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Dataset, datasets } from './datasets.ts';
import { DownloadError, type DownloadOptions, download, ServerUnavailable } from './download.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { RunCache } from './run-cache.ts';
import type { PublicRun } from './runs.ts';

export interface FetchOptions extends DownloadOptions {
  /** A server with the paths of raw.githubusercontent.com (`/owner/name/revision/path`), or a folder with them. */
  readonly from: string;
  readonly cache: RunCache;
  readonly onProgress?: (message: string) => void;
}

/** What became of the runs that were not in the cache. */
export interface FetchSummary {
  fetched: number;
  /** Why runs are missing, each with its file and what to do. */
  readonly problems: string[];
}

export const github = 'https://raw.githubusercontent.com';
/** Files under way at the same time. */
const CONCURRENCY = 4;
const PROGRESS_FILES = 20;

/** Fetches the runs that are not in the cache. Each is kept only if it is the run that was labelled. */
export async function fetchRuns(runs: readonly PublicRun[], options: FetchOptions): Promise<FetchSummary> {
  const files = byFile(runs.filter((run) => !options.cache.has(run)));
  const summary: FetchSummary = { fetched: 0, problems: [] };
  const total = files.length;
  let isStopped = false;
  const work = async () => {
    for (let own = files.shift(); own !== undefined && !isStopped; own = files.shift()) {
      try {
        await fetchFile(own, options, summary);
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        summary.problems.push(error.message);
        // Asking for each of the other files as often would take hours and annoy the server.
        if (error instanceof ServerUnavailable) isStopped = true;
      }
      const read = total - files.length;
      if (read % PROGRESS_FILES === 0) options.onProgress?.(`${String(read)} of ${String(total)} files`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return summary;
}

async function fetchFile(
  runs: readonly PublicRun[],
  options: FetchOptions,
  summary: FetchSummary,
): Promise<void> {
  const [{ dataset: name, path }] = runs as [PublicRun];
  const dataset = datasets[name];
  if (dataset === undefined) throw new DownloadError(`public-runs.jsonl names an unknown dataset: ${name}`);
  const place = placeOf(options.from, dataset, path);
  const text = isUrl(options.from) ? await download(place, options) : await readLocal(place);
  for (const run of runs) {
    const problem = keep(run, dataset, text, options.cache);
    if (problem === undefined) summary.fetched += 1;
    else summary.problems.push(`${place}: ${problem}`);
  }
}

/** Puts a run into the cache. @returns why it is not the run that was labelled */
function keep(run: PublicRun, dataset: Dataset, text: string, cache: RunCache): string | undefined {
  const { sessionId, part, fingerprint } = run;
  try {
    const events = dataset.read(sessionId, text, part);
    const found = fingerprintOf(events);
    if (found === fingerprint) {
      cache.write(run, events);
      return undefined;
    }
    return `${sessionId} has changed since it was labelled (its calls have the fingerprint ${found}, not ${fingerprint}). It is left out, because its label may be wrong.`;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `${sessionId} cannot be read (${reason}). The file has changed or is incomplete. It is left out.`;
  }
}

function byFile(runs: readonly PublicRun[]): PublicRun[][] {
  const files = new Map<string, PublicRun[]>();
  for (const run of runs) {
    const key = `${run.dataset} ${run.path}`;
    const own = files.get(key);
    if (own === undefined) files.set(key, [run]);
    else own.push(run);
  }
  return [...files.values()];
}

function isUrl(from: string): boolean {
  return /^https?:\/\//.test(from);
}

function placeOf(from: string, { repository, revision }: Dataset, path: string): string {
  if (!isUrl(from)) return join(from, repository, revision, path);
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${from.replace(/\/+$/, '')}/${repository}/${revision}/${encoded}`;
}

async function readLocal(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new DownloadError(
      `${file}: no such file. A folder named with --from must have the repositories' files as OWNER/NAME/REVISION/PATH.`,
    );
  }
}
