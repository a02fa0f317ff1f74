import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { messageOf } from '@loopwatch/contract';
import { hookAgents } from '@loopwatch/contract/api';
import { type Command, InvalidArgumentError } from 'commander';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { UsageError } from '../errors.ts';
import { pauseLeft } from '../hooks/hook-pause.ts';
import { scriptText } from '../hooks/hook-script.ts';
import { addHook, findHooks, removeHook } from '../hooks/hook-settings.ts';
import { type HookInstallation, hookDefaults, stateFolder } from '../hooks/hook-target.ts';
import { findHookedAgent, type HookedAgent, homeFolder, hookedAgents } from '../hooks/hooked-agents.ts';
import { forgetOriginal, inStateFolder, keepOriginal, originalOf } from '../hooks/original-settings.ts';
import { checkServer, sendsTokenAway } from '../hooks/server-check.ts';
import { print } from '../runtime/output.ts';
import { writeWhole } from '../runtime/write-whole.ts';
import { describedCommand } from './summaries.ts';

interface Options {
  readonly project?: boolean;
  readonly yes?: boolean;
}

interface InstallOptions extends Options {
  readonly url: string;
  readonly tokenEnv?: string;
  readonly wait: number;
  readonly pause: number;
}

const agentArgument = `one of ${hookAgents.join(', ')}`;

/** `loopwatch hook`: sets up the hooks through which Loopwatch stops loops of coding agents. */
export function hookCommand(): Command {
  const command = describedCommand('hook');
  const changing = (name: string, description: string) =>
    command
      .command(`${name} <agent>`)
      .description(`${description}; AGENT: ${agentArgument}`)
      .option('--project', "change the current folder's settings instead of the user's")
      .option('--yes', 'do not ask for confirmation');
  changing('install', "adds the hook to the agent's settings, after showing the change")
    .option('--url <url>', 'address of the Loopwatch server', 'http://localhost:4600')
    .option(
      '--token-env <name>',
      "environment variable of the agent that holds the server's ingest token, such as LOOPWATCH_INGEST_TOKEN",
    )
    .option(
      '--wait <ms>',
      'longest time a hook waits for the server',
      wholeNumber(40, 4_000),
      hookDefaults.waitMs,
    )
    .option(
      '--pause <minutes>',
      'longest time hooks pause because the server is slow',
      wholeNumber(1, 1_440),
      hookDefaults.pauseMinutes,
    )
    .action(install);
  changing('uninstall', "removes the hook from the agent's settings").action(uninstall);
  command
    .command('status [agent]')
    .description(
      'shows where the hook is installed and whether the server responds; exit 1 if one does not work, or none is installed',
    )
    .option('--project', "check the current folder's settings")
    .option(
      '--yes',
      "with --project: also send the token to another machine that the project's settings name",
    )
    .action(status);
  return command;
}

async function install(name: string, options: InstallOptions): Promise<void> {
  const agent = findHookedAgent(name);
  if (!/^https?:\/\/[^\s'"?#]+$/.test(options.url) || !URL.canParse(options.url))
    throw new UsageError(`--url ${options.url}: expected an address such as http://localhost:4600`);
  if (options.tokenEnv !== undefined && !/^[A-Za-z_]\w*$/.test(options.tokenEnv))
    throw new UsageError(`--token-env ${options.tokenEnv}: expected the name of an environment variable`);
  const home = homeFolder(process.env);
  // Claude Code runs its hooks in Git Bash there.
  const needsScript = process.platform === 'win32' && agent.name !== 'claude-code';
  const script = needsScript ? join(home, stateFolder, 'hook.mjs') : undefined;
  const file = await settingsFile(agent, options);
  const before = await readIfExists(file);
  const target = {
    url: options.url,
    tokenEnv: options.tokenEnv,
    waitMs: options.wait,
    pauseMinutes: options.pause,
    script,
  };
  const after = addHook(file, before ?? '', agent, target);
  if (!(await isConfirmed(file, before ?? '', after, options))) return;
  if (script !== undefined) await inStateFolder(script, () => writeFile(script, scriptText));
  const isFirst = findHooks(file, before ?? '', agent).events.length === 0;
  const original = isFirst ? before : await originalBehind(home, file, before);
  if (original === undefined) {
    await change(file, after);
    await forgetOriginal(home, file);
  } else await keepOriginal(home, file, { before: original, after }, () => change(file, after));
  printLine(agent.note);
  const installed = {
    agent: agent.name,
    server: options.url,
    tokenEnv: options.tokenEnv,
    waitMs: options.wait,
  };
  const fault = await checkServer(installed, process.env);
  if (fault !== undefined) printLine(`So far, the agent works as without the hook: ${options.url} ${fault}`);
}

async function uninstall(name: string, options: Options): Promise<void> {
  const agent = findHookedAgent(name);
  const file = await settingsFile(agent, options);
  const before = await readIfExists(file);
  if (before === null || findHooks(file, before, agent).events.length === 0) {
    printLine(`${file} has no Loopwatch hook`);
    return;
  }
  const home = homeFolder(process.env);
  const original = await originalBehind(home, file, before);
  const after = original === undefined ? removeHook(file, before, agent) : original;
  if (!(await isConfirmed(file, before, after, options))) return;
  await change(file, after);
  await forgetOriginal(home, file);
}

/** What the settings were before the hook was added; null: no file; undefined: they have changed since then. */
async function originalBehind(
  home: string,
  file: string,
  text: string | null,
): Promise<string | null | undefined> {
  const original = await originalOf(home, file);
  return original?.after === text ? original.before : undefined;
}

async function status(name: string | undefined, options: Options): Promise<void> {
  const known = Object.values(hookedAgents).filter(
    ({ projectFile }) => options.project !== true || projectFile !== undefined,
  );
  const agents = name === undefined ? known : [findHookedAgent(name)];
  const working: boolean[] = [];
  for (const agent of agents) {
    const file = await settingsFile(agent, options);
    const hooks = await findIn(file, agent);
    if (hooks instanceof UsageError) {
      printLine(`${agent.title}: unknown (${hooks.message})`);
      working.push(false);
      continue;
    }
    const { events, server, tokenEnv, waitMs } = hooks;
    if (events.length === 0 || server === undefined) {
      printLine(`${agent.title}: not installed (${file})`);
      continue;
    }
    const missing = agent.events.filter((event) => !events.includes(event));
    const missingText = missing.length === 0 ? '' : `, missing ${missing.join(', ')}`;
    const outdatedText = waitMs === undefined ? ', by an earlier version' : '';
    const isCurrent = missingText + outdatedText === '';
    const update = isCurrent ? '' : `: run \`loopwatch hook install ${agent.name}\``;
    const installed = { agent: agent.name, server, tokenEnv, waitMs: waitMs ?? hookDefaults.waitMs };
    const isForeign = options.project === true && options.yes !== true;
    const fault =
      isForeign && sendsTokenAway(installed, process.env)
        ? `not checked: it would receive the value of ${String(tokenEnv)}; pass --yes if you trust it`
        : await checkServer(installed, process.env);
    const pause = await pauseLeft(homeFolder(process.env), agent.name);
    const pauseText =
      pause === 0 ? '' : `; its hooks pause for ${String(pause)} s, because the server was slow`;
    printLine(
      `${agent.title}: installed (${file})${missingText}${outdatedText}${update}; ${server} ${fault ?? 'answers'}${pauseText}`,
    );
    working.push(isCurrent && fault === undefined);
  }
  process.exitCode = working.length > 0 && working.every(Boolean) ? 0 : 1;
}

/** @returns why the file cannot be read */
async function findIn(file: string, agent: HookedAgent): Promise<HookInstallation | UsageError> {
  try {
    return findHooks(file, (await readIfExists(file)) ?? '', agent);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The file itself where a link names it, so that the link stays one. */
async function settingsFile(agent: HookedAgent, { project }: Options): Promise<string> {
  const { projectFile, title, userFile } = agent;
  if (project === true && projectFile === undefined)
    throw new UsageError(`--project: ${title} reads hooks from the user's settings only`);
  const file = project === true && projectFile !== undefined ? resolve(projectFile) : userFile(process.env);
  if (existsSync(file)) return realpath(file);
  // The file that a link names may not be there yet.
  const named = await readlink(file).catch(() => undefined);
  return named === undefined ? file : resolve(await realpath(dirname(file)), named);
}

async function readIfExists(file: string): Promise<string | null> {
  if (!existsSync(file)) return null;
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  });
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not in UTF-8; convert the file first`);
  return bytes.toString('utf8');
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${String(min)} to ${String(max)}`);
  };
}

/** Shows the change, if there is one, and asks. @returns whether to make it */
async function isConfirmed(
  file: string,
  before: string,
  after: string | null,
  { yes }: Options,
): Promise<boolean> {
  if (before === after) {
    printLine(`${file} is up to date`);
    return false;
  }
  const patchOptions = { context: 2, headerOptions: FILE_HEADERS_ONLY };
  print(createTwoFilesPatch(file, file, before, after ?? '', undefined, undefined, patchOptions));
  if (yes !== true && !(await agrees())) {
    printLine('No changes made');
    process.exitCode = 1;
    return false;
  }
  return true;
}

/** Writes the file in one step, or removes it. */
async function change(file: string, after: string | null): Promise<void> {
  await (after === null ? rm(file) : write(file, after)).catch((error: unknown) => {
    throw new UsageError(
      `${file} cannot be written: ${messageOf(error)}. Nothing has changed; make the file and its folder writable for your user`,
    );
  });
  printLine(`${after === null ? 'Removed' : 'Changed'} ${file}`);
}

/** Writes a file, and the folders that it needs. */
async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeWhole(file, text, 0o600);
}

/** @throws UsageError without a terminal */
async function agrees(): Promise<boolean> {
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
  print(`${text}\n`);
}
