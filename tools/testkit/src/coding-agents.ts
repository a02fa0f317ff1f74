import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmEnvironment } from './npm-environment.ts';

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
  const folder = await npmEnvironment('agents', manifest, {
    // pi needs a later Node than the one that installs it.
    options: ['--no-engine-strict'],
    // Their install scripts select the binary for this system; those of the others compile unused parts.
    finish: async (work) => {
      await run('npm', ['rebuild', '@anthropic-ai/claude-code', '@xai-official/grok', 'opencode-ai'], {
        cwd: work,
      });
    },
  });
  return join(folder, 'node_modules/.bin');
}
