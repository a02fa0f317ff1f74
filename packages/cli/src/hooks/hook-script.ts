import type { HookAgent } from '@loopwatch/contract/api';
import { type HookTarget, hookUrl, PAUSE_PARTS, SLOW_PARTS, WAIT_PARTS } from './hook-target.ts';
import { postText } from './post-text.ts';

/**
 * What a hook does where there is no POSIX shell, as a script for Node: Windows runs the hooks of one agent by cmd and those of
 * another by PowerShell, and both understand this command. It does what {@link hookCommandLine} does, with the same state.
 */
export function scriptCommandLine(
  agent: HookAgent,
  target: HookTarget & { readonly script: string },
): string {
  const { waitMs, pauseMinutes, tokenEnv, script, url } = target;
  const seconds = String(waitMs / 1_000);
  const token = tokenEnv === undefined ? '' : ` --token-env ${tokenEnv}`;
  return `node "${script}" -m ${seconds} --pause ${String(pauseMinutes)}${token} "${hookUrl(agent, url)}"`;
}

/** The script: `node hook.mjs -m SECONDS --pause MINUTES [--token-env NAME] URL`. */
export const scriptText = `// Posts a hook's input to Loopwatch and prints its answer. Written by \`loopwatch hook install\`.
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

${postText}

const { values, positionals } = parseArgs({
  options: { wait: { type: 'string', short: 'm' }, pause: { type: 'string' }, 'token-env': { type: 'string' } },
  allowPositionals: true,
});
const [url] = positionals;
const waitMs = values.wait * 1_000;
const state = join(dirname(fileURLToPath(import.meta.url)), 'hook-' + basename(url));
const input = readFileSync(0);

// A byte for each tenth of the longest time that slow answers in a row have taken.
const slow = statSync(state, { throwIfNoEntry: false });
const isPaused = slow?.size >= ${String(PAUSE_PARTS)} && Date.now() - slow.mtimeMs < values.pause * 60_000;
if (!isPaused) {
  const { text, tookMs } = await post(url, process.env[values['token-env']], waitMs, input);
  process.stdout.write(text);
  try {
    const parts = Math.floor((tookMs * ${String(WAIT_PARTS)}) / waitMs);
    if (parts >= ${String(SLOW_PARTS)}) appendFileSync(state, ' '.repeat(parts));
    else rmSync(state, { force: true });
  } catch {}
}
`;
