import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { messageOf } from '@loopwatch/contract';
import { hookAgents } from '@loopwatch/contract/api';
import type { Command } from 'commander';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { UsageError } from '../errors.ts';
import { addHook, findHooks, removeHook } from '../hooks/hook-settings.ts';
import { findHookedAgent, type HookedAgent, hookedAgents } from '../hooks/hooked-agents.ts';
import { describedCommand } from './summaries.ts';

interface Options {
  readonly project?: boolean;
  readonly yes?: boolean;
}

interface InstallOptions extends Options {
  readonly url: string;
  readonly tokenEnv?: string;
}

const agentArgument = `one of ${hookAgents.join(', ')}`;

/** `loopwatch hook`: sets up the hooks through which Loopwatch stops loops of coding agents. */
export function hookCommand(): Command {
  const command = describedCommand('hook');
  const change = (name: string, description: string) =>
    command
      .command(`${name} <agent>`)
      .description(`${description}; AGENT: ${agentArgument}`)
      .option('--project', "change the current folder's settings instead of the user's")
      .option('--yes', 'do not ask for confirmation');
  change('install', "adds the hook to the agent's settings, after showing the change")
    .option('--url <url>', 'address of the Loopwatch server', 'http://localhost:4600')
    .option(
      '--token-env <name>',
      "environment variable of the agent that holds the server's ingest token, such as LOOPWATCH_INGEST_TOKEN",
    )
    .action(install);
  change('uninstall', "removes the hook from the agent's settings").action(uninstall);
  command
    .command('status [agent]')
    .description('shows where the hook is installed and whether the server responds; exit 1 if not')
    .option('--project', "check the current folder's settings")
    .action(status);
  return command;
}

async function install(name: string, options: InstallOptions): Promise<void> {
  const agent = findHookedAgent(name);
  if (!/^https?:\/\/[^\s'"]+$/.test(options.url))
    throw new UsageError(`--url ${options.url}: expected an address such as http://localhost:4600`);
  if (options.tokenEnv !== undefined && !/^\w+$/.test(options.tokenEnv))
    throw new UsageError(`--token-env ${options.tokenEnv}: expected the name of an environment variable`);
  const file = settingsFile(agent, options);
  const text = await readOrEmpty(file);
  const target = { url: options.url, tokenEnv: options.tokenEnv };
  if (await confirmAndWrite(file, text, addHook(file, text, agent, target), options)) printLine(agent.note);
}

async function uninstall(name: string, options: Options): Promise<void> {
  const agent = findHookedAgent(name);
  const file = settingsFile(agent, options);
  const text = await readOrEmpty(file);
  if (findHooks(file, text, agent).events.length === 0) printLine(`${file} has no Loopwatch hook`);
  else await confirmAndWrite(file, text, removeHook(file, text, agent), options);
}

async function status(name: string | undefined, options: Options): Promise<void> {
  const agents = name === undefined ? Object.values(hookedAgents) : [findHookedAgent(name)];
  let isWorking = false;
  for (const agent of agents) {
    const file = settingsFile(agent, options);
    const { events, server } = findHooks(file, await readOrEmpty(file), agent);
    const missing = agent.events.filter((event) => !events.includes(event));
    if (events.length === 0 || server === undefined) {
      printLine(`${agent.title}: not installed (${file})`);
      continue;
    }
    const fault = await checkServer(server);
    const missingText =
      missing.length === 0
        ? ''
        : `, missing ${missing.join(', ')}: run \`loopwatch hook install ${agent.name}\``;
    printLine(`${agent.title}: installed (${file})${missingText}; ${server} ${fault ?? 'answers'}`);
    isWorking ||= missing.length === 0 && fault === undefined;
  }
  process.exitCode = isWorking ? 0 : 1;
}

/** @returns why the server is not healthy; undefined if it is */
async function checkServer(server: string): Promise<string | undefined> {
  try {
    const { ok, status: code } = await fetch(`${server}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return ok ? undefined : `answers ${String(code)}`;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return `does not respond: ${messageOf(cause ?? error)}`;
  }
}

function settingsFile(agent: HookedAgent, { project }: Options): string {
  return project === true ? resolve(agent.projectFile) : agent.userFile(process.env);
}

async function readOrEmpty(file: string): Promise<string> {
  return existsSync(file) ? await readFile(file, 'utf8') : '';
}

/** Shows the change, asks, and writes the file in one step. @returns whether it was changed */
async function confirmAndWrite(
  file: string,
  before: string,
  after: string,
  { yes }: Options,
): Promise<boolean> {
  if (before === after) {
    printLine(`${file} is up to date`);
    return false;
  }
  const patchOptions = { context: 2, headerOptions: FILE_HEADERS_ONLY };
  process.stdout.write(createTwoFilesPatch(file, file, before, after, undefined, undefined, patchOptions));
  if (yes !== true && !(await isConfirmed())) {
    printLine('No changes made');
    process.exitCode = 1;
    return false;
  }
  await mkdir(dirname(file), { recursive: true });
  const mode = existsSync(file) ? (await stat(file)).mode : 0o600;
  const next = `${file}.${String(process.pid)}.tmp`;
  await writeFile(next, after, { mode });
  await rename(next, file);
  printLine(`Changed ${file}`);
  return true;
}

/** @throws UsageError without a terminal */
async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('cannot ask for confirmation without a terminal: pass --yes to change the file');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Change the file? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}
