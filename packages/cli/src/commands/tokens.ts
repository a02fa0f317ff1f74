import { type ApiToken, apiTokensSchema, createdApiTokenSchema, roles } from '@loopwatch/contract/api';
import { Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { durationMs } from '../runtime/duration.ts';
import { print, printable, tableLines, writeError } from '../runtime/output.ts';
import { ApiClient, type ServerOptions, serverOptions } from '../server/api-client.ts';
import { describedCommand } from './summaries.ts';

interface CreateOptions extends ServerOptions {
  readonly role: string;
  /** Milliseconds. */
  readonly expires?: number;
}

/** `loopwatch tokens`: asks a running server for its tokens. */
export function tokensCommand(): Command {
  const list = new Command('list').description('lists the tokens, newest first').action(listTokens);
  const create = new Command('create')
    .description('creates a token, and prints nothing else on stdout')
    .argument('<name>', 'who or what uses the token')
    .addOption(
      new Option(
        '--role <role>',
        'producer: agents and their hooks; viewer: reads everything; operator: does everything',
      )
        .choices([...roles])
        .makeOptionMandatory(),
    )
    .option(
      '--expires <time>',
      'refuse the token after this time: 90d or 12h (default: never)',
      parseDuration,
    )
    .action(createToken);
  const revoke = new Command('revoke')
    .description('revokes a token at once')
    .argument('<name>', 'name or id of the token')
    .action(revokeToken);
  const command = describedCommand('tokens');
  for (const one of [list, create, revoke]) {
    for (const option of serverOptions) one.addOption(option);
    command.addCommand(one);
  }
  return command;
}

async function listTokens(options: ServerOptions): Promise<void> {
  const tokens = await read(new ApiClient(options));
  if (tokens.length === 0) {
    writeError('There are no tokens. To create one: loopwatch tokens create NAME --role ROLE\n');
    return;
  }
  const rows = [
    ['NAME', 'ROLE', 'CREATED', 'LAST USED', 'EXPIRES', 'ID'],
    ...tokens.map(({ id, name, role, createdAt, lastUsedAt, expiresAt }) => [
      printable(name),
      role,
      timeText(createdAt),
      lastUsedAt === null ? 'never' : timeText(lastUsedAt),
      expiresAt === null ? 'never' : `${expiresAt <= Date.now() ? 'expired ' : ''}${timeText(expiresAt)}`,
      id,
    ]),
  ];
  print(`${tableLines(rows).join('\n')}\n`);
}

async function createToken(name: string, { role, expires, ...options }: CreateOptions): Promise<void> {
  const expiresAt = expires === undefined ? null : Date.now() + expires;
  const wanted = { name, role, expiresAt };
  const { token } = await new ApiClient(options).read(createdApiTokenSchema, 'POST', '/tokens', wanted);
  writeError('This is the only time that the token is shown:\n');
  print(`${token}\n`);
}

async function revokeToken(name: string, options: ServerOptions): Promise<void> {
  const client = new ApiClient(options);
  const token = (await read(client)).find((one) => one.name === name || one.id === name);
  if (token === undefined) throw new UsageError(`no token is named ${name}: see loopwatch tokens list`);
  await client.request('DELETE', `/tokens/${encodeURIComponent(token.id)}`);
  print(`Revoked ${token.name}\n`);
}

async function read(client: ApiClient): Promise<readonly ApiToken[]> {
  return (await client.read(apiTokensSchema, 'GET', '/tokens')).items;
}

/** Minutes of UTC are enough for a list. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('Expected 90d, 12h or 2w.');
  return durationMs(amount, unit);
}
