import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ClientOutcome } from './client-case.ts';
import type { Client } from './describe-clients.ts';

/** One process a client: it takes all cases, and says how each ended. */
export async function inProcess(
  command: string,
  args: readonly string[],
  cases: Parameters<Client['run']>[0],
): Promise<readonly ClientOutcome[]> {
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' } });
  child.stdin.end(cases.map((given) => `${JSON.stringify(given)}\n`).join(''));
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}:\n${errors}`);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ClientOutcome);
}
