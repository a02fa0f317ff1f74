import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.ts';

const run = promisify(execFile);

/**
 * Packages from npm that only tests use and that are too large, or too particular about their dependencies, to be dependencies of
 * the project. They are installed the first time and kept in `~/.cache/loopwatch` until the manifest changes.
 *
 * @param name first part of the folder's name
 * @param manifest path of a `package.json` with exact versions
 * @param finish runs in the folder after the installation
 * @returns the folder with `node_modules`
 * @throws Error of npm
 */
export async function npmEnvironment(
  name: string,
  manifest: string,
  { options = [], finish }: { options?: readonly string[]; finish?: (folder: string) => Promise<void> } = {},
): Promise<string> {
  const hash = createHash('sha256').update(await readFile(manifest));
  return cachedFolder(`${name}-${hash.digest('hex').slice(0, 16)}`, async (work) => {
    await copyFile(manifest, join(work, 'package.json'));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', ...options];
    await run('npm', ['install', ...quiet], { cwd: work });
    await finish?.(work);
  });
}
