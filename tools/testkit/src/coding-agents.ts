import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.ts';

const run = promisify(execFile);

const manifest = join(import.meta.dirname, '../../../packages/cli/test/hooks/agents/package.json');

/**
 * The coding agents whose hooks are tested, as published by their vendors: installed once and kept in
 * `~/.cache/loopwatch` until their versions change. They are far too large to be dependencies.
 *
 * @returns the folder with their commands
 * @throws Error of npm
 */
export async function codingAgents(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(manifest));
  const folder = await cachedFolder(`agents-${hash.digest('hex').slice(0, 16)}`, async (work) => {
    await copyFile(manifest, join(work, 'package.json'));
    const npm = (...args: string[]) => run('npm', args, { cwd: work });
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock');
    // Their install scripts select the binary for this system; those of the others compile unused parts.
    await npm('rebuild', '@anthropic-ai/claude-code', 'opencode-ai');
  });
  return join(folder, 'node_modules/.bin');
}
