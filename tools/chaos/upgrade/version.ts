import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TopicRecord, tempDir } from '@loopwatch/testkit';
import type { Results } from '../expected.ts';

/** A version of Loopwatch: a checkout that is built. */
export interface Version {
  readonly name: 'earlier' | 'present';
  readonly root: string;
  /** Its program. */
  readonly command: string;
}

/** @throws Error if there is no build in the folder */
export function versionAt(name: Version['name'], folder: string): Version {
  const root = resolve(folder);
  const command = join(root, 'packages/cli/bin/loopwatch.js');
  if (existsSync(command) && existsSync(join(root, 'packages/cli/dist'))) return { name, root, command };
  throw new Error(
    `${root} has no build of Loopwatch. Make one: git worktree add --detach ${root} COMMIT && cd ${root} && npm ci && npm run build`,
  );
}

/** What this version finds in the records of an events topic. */
export async function expectedBy(
  { root }: Version,
  topic: string,
  records: readonly TopicRecord[],
  settings: object,
): Promise<Results> {
  await using folder = await tempDir('loopwatch-replay');
  const [input, output] = [join(folder.path, 'records.json'), join(folder.path, 'results.json')];
  await writeFile(input, JSON.stringify({ topic, records, settings }));
  const script = fileURLToPath(new URL('replay.mjs', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=@loopwatch/source', script, root, input, output],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The replay by the version in ${root} failed with code ${String(code)}`);
  return JSON.parse(await readFile(output, 'utf8')) as Results;
}
