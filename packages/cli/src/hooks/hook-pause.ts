import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookAgent } from '@loopwatch/contract/api';
import { stateFolder } from './hook-target.ts';

const LONGEST_SECONDS = 86_400;

/** How many seconds the hooks of an agent still pause because the server was slow; 0 if they do not. */
export async function pauseLeft(home: string, agent: HookAgent): Promise<number> {
  const text = await readFile(join(home, stateFolder, `hook-${agent}`), 'utf8').catch(() => '');
  const [, , until = 0] = text.split(' ').map(Number);
  const left = until - Math.floor(Date.now() / 1_000);
  // An end that is too far away is from before the clock was set back.
  return left > 0 && left <= LONGEST_SECONDS ? left : 0;
}
