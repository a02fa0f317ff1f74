import { createInterface } from 'node:readline/promises';
import { erasureSchema, sessionPath } from '@loopwatch/contract/api';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { counted } from '../runtime/counted.ts';
import { print, printable } from '../runtime/output.ts';
import { ApiClient, type ServerOptions, serverOptions } from '../server/api-client.ts';
import { describedCommand } from './summaries.ts';

interface EraseOptions extends ServerOptions {
  readonly session?: string;
  readonly tag?: string;
  readonly tenant?: string;
  readonly yes?: boolean;
}

/** `loopwatch erase`: asks a running server to erase sessions. */
export function eraseCommand(): Command {
  const command = describedCommand('erase')
    .option('--session <id>', 'the session with this id, with its sub-agents')
    .option('--tag <name:value>', 'the sessions with this tag')
    .option('--tenant <name>', 'the sessions of this tenant')
    .option('--yes', 'do not ask for confirmation');
  for (const option of serverOptions) command.addOption(option);
  return command.action(erase);
}

async function erase(options: EraseOptions): Promise<void> {
  const { path, what } = chosen(options);
  const client = new ApiClient(options);
  if (options.yes !== true && !(await isConfirmed(what))) {
    print('Nothing erased\n');
    process.exitCode = 1;
    return;
  }
  const { sessions, incidents, messages, remains } = await client.read(erasureSchema, 'DELETE', path);
  const counts = [counted(sessions, 'session'), counted(incidents, 'incident'), counted(messages, 'message')];
  print(`Erased ${counts.join(', ')}\n`);
  for (const { where, until } of remains)
    print(`What Loopwatch cannot erase: ${where}. It remains until ${until}.\n`);
}

/** @throws UsageError unless exactly one is chosen */
function chosen({ session, tag, tenant }: EraseOptions): { readonly path: string; readonly what: string } {
  // As from a variable of the shell that is not set.
  const empty = Object.entries({ session, tag, tenant }).find(([, value]) => value === '')?.[0];
  if (empty !== undefined) throw new UsageError(`--${empty} is empty: pass the ${empty} to erase`);
  const matching = (query: Record<string, string>) => `/sessions?${String(new URLSearchParams(query))}`;
  const ways = [
    session === undefined ? [] : { path: sessionPath(session), what: `session ${session}` },
    tag === undefined ? [] : { path: matching({ tag }), what: `all sessions with the tag ${tag}` },
    tenant === undefined ? [] : { path: matching({ tenant }), what: `all sessions of the tenant ${tenant}` },
  ].flat();
  const [only] = ways;
  if (only === undefined || ways.length > 1)
    throw new UsageError(
      'pass exactly one of --session, --tag and --tenant, which names the sessions to erase',
    );
  return only;
}

/** @throws UsageError without a terminal */
async function isConfirmed(what: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`cannot ask for confirmation without a terminal: pass --yes to erase ${what}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = printable(
      `Erase ${what} for good? Agents that still send them should be stopped first. [y/N] `,
    );
    return /^y(?:es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
