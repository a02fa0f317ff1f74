import type { HookAgent } from '@loopwatch/contract/api';
import {
  FIRST_PAUSE_SECONDS,
  type HookTarget,
  hookUrl,
  PAUSE_PARTS,
  SLOW_PARTS,
  WAIT_PARTS,
} from './hook-target.ts';
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
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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

// What slow answers in a row have taken, in tenths of the longest time; the length and the end of their pause, in seconds.
let [parts, pause, until] = [0, 0, 0];
try {
  [parts, pause, until] = readFileSync(state, 'utf8').split(' ').map(Number);
} catch {}
const now = () => Math.floor(Date.now() / 1_000);
const longest = values.pause * 60;
const left = until - now();
if (!(left > 0 && left <= longest)) {
  const { text, tookMs } = await post(url, process.env[values['token-env']], waitMs, input);
  process.stdout.write(text);
  try {
    const slow = Math.floor((tookMs * ${String(WAIT_PARTS)}) / waitMs);
    if (slow < ${String(SLOW_PARTS)}) rmSync(state, { force: true });
    else {
      parts = (parts || 0) + slow;
      if (parts >= ${String(PAUSE_PARTS)}) {
        pause = Math.min(Math.max((pause || 0) * 2, ${String(FIRST_PAUSE_SECONDS)}), longest);
        until = now() + pause;
      }
      writeFileSync(state, [parts, pause || 0, until || 0].join(' ') + '\\n');
    }
  } catch {}
}
`;
