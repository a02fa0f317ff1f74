import { homedir } from 'node:os';
import { join } from 'node:path';
import { type HookAgent, hookAgents } from '@loopwatch/contract/api';
import { UsageError } from '../errors.ts';
import { hookCommandLine } from './hook-command.ts';
import { type HookTarget } from './hook-target.ts';
import { opencodePlugin } from './opencode-plugin.ts';
import { piExtension } from './pi-extension.ts';

interface AgentFile {
  /** Name in commands and URLs. */
  readonly name: HookAgent;
  /** Display name. */
  readonly title: string;
  /** The user's settings file, for all projects. */
  readonly userFile: (env: NodeJS.ProcessEnv) => string;
  /** The settings file within a project folder; undefined if projects have no hooks of their own. */
  readonly projectFile: string | undefined;
  /** The hook events to register, by the names of the agent. */
  readonly events: readonly string[];
  /** What the user has to do after installation. */
  readonly note: string;
}

/** An agent whose settings list hooks. */
export interface ListedHooks extends AgentFile {
  /** In JSON, each event with groups of hooks or with hooks; in TOML, each a table; in YAML, each event with hooks. */
  readonly layout: 'groups' | 'hooks' | 'toml' | 'yaml';
  /** The entry for each event. */
  readonly hook: (target: HookTarget) => object;
}

/** An agent that loads a program, which is a file of its own. */
interface PluginFile extends AgentFile {
  readonly layout: 'plugin';
  /** The text of the file. */
  readonly hook: (target: HookTarget) => string;
}

/** How a coding agent is configured to call the hook. */
export type HookedAgent = ListedHooks | PluginFile;

/** The agent ends a hook after this time, whatever delays it; for the server, the hook itself waits less. */
const TIMEOUT_SECONDS = 5;

const restart = 'Restart sessions that are already running.';

export const hookedAgents: Readonly<Record<HookAgent, HookedAgent>> = {
  'claude-code': {
    name: 'claude-code',
    title: 'Claude Code',
    userFile: (env) => join(env['CLAUDE_CONFIG_DIR'] || join(homeFolder(env), '.claude'), 'settings.json'),
    projectFile: '.claude/settings.json',
    layout: 'groups',
    events: [
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'SessionEnd',
    ],
    hook: (target) => ({
      type: 'command',
      command: hookCommandLine('claude-code', target),
      timeout: TIMEOUT_SECONDS,
    }),
    note: restart,
  },
  codex: {
    name: 'codex',
    title: 'Codex',
    userFile: (env) => join(env['CODEX_HOME'] || join(homeFolder(env), '.codex'), 'hooks.json'),
    projectFile: '.codex/hooks.json',
    layout: 'groups',
    events: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
    hook: (target) => ({
      type: 'command',
      command: hookCommandLine('codex', target),
      timeout: TIMEOUT_SECONDS,
    }),
    note: 'Codex runs a new hook only after you have trusted it: open /hooks in its next session.',
  },
  gemini: {
    name: 'gemini',
    title: 'Gemini CLI',
    userFile: (env) => join(homeFolder(env), '.gemini', 'settings.json'),
    projectFile: '.gemini/settings.json',
    layout: 'groups',
    events: ['BeforeAgent', 'BeforeTool', 'AfterTool', 'SessionEnd'],
    hook: (target) => ({
      name: 'loopwatch',
      type: 'command',
      command: hookCommandLine('gemini', target),
      timeout: TIMEOUT_SECONDS * 1_000,
    }),
    note: restart,
  },
  copilot: {
    name: 'copilot',
    title: 'Copilot',
    userFile: (env) =>
      join(env['COPILOT_HOME'] || join(homeFolder(env), '.copilot'), 'hooks', 'loopwatch.json'),
    projectFile: '.github/hooks/loopwatch.json',
    layout: 'hooks',
    events: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
    hook: (target) => ({
      type: 'command',
      command: hookCommandLine('copilot', target),
      // The first is for Copilot CLI, the second for Visual Studio Code.
      timeoutSec: TIMEOUT_SECONDS,
      timeout: TIMEOUT_SECONDS,
    }),
    note: `${restart} Copilot CLI and the agent of Visual Studio Code both read this file.`,
  },
  cursor: {
    name: 'cursor',
    title: 'Cursor',
    userFile: (env) => join(homeFolder(env), '.cursor', 'hooks.json'),
    projectFile: '.cursor/hooks.json',
    layout: 'hooks',
    events: ['beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'sessionEnd'],
    hook: (target) => ({ command: hookCommandLine('cursor', target), timeout: TIMEOUT_SECONDS }),
    note: 'Restart Cursor if its settings do not list the hooks.',
  },
  opencode: {
    name: 'opencode',
    title: 'opencode',
    userFile: (env) =>
      join(env['XDG_CONFIG_HOME'] || join(homeFolder(env), '.config'), 'opencode', 'plugin', 'loopwatch.js'),
    projectFile: '.opencode/plugin/loopwatch.js',
    layout: 'plugin',
    events: ['plugin'],
    hook: opencodePlugin,
    note: restart,
  },
  pi: {
    name: 'pi',
    title: 'pi',
    userFile: (env) =>
      join(env['PI_CODING_AGENT_DIR'] || join(homeFolder(env), '.pi', 'agent'), 'extensions', 'loopwatch.js'),
    projectFile: '.pi/extensions/loopwatch.js',
    layout: 'plugin',
    events: ['plugin'],
    hook: piExtension,
    note: `${restart} Or reload their extensions: /reload.`,
  },
  kimi: {
    name: 'kimi',
    title: 'Kimi Code',
    userFile: (env) => join(env['KIMI_CODE_HOME'] || join(homeFolder(env), '.kimi-code'), 'config.toml'),
    projectFile: undefined,
    layout: 'toml',
    // It would add the answer to `UserPromptSubmit` to the prompt.
    events: [
      'TurnStarted',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'SubagentStart',
      'SubagentStop',
      'SessionEnd',
    ],
    hook: (target) => ({ command: hookCommandLine('kimi', target), timeout: TIMEOUT_SECONDS }),
    note: restart,
  },
  grok: {
    name: 'grok',
    title: 'Grok Build',
    userFile: (env) => join(env['GROK_HOME'] || join(homeFolder(env), '.grok'), 'hooks', 'loopwatch.json'),
    projectFile: '.grok/hooks/loopwatch.json',
    layout: 'groups',
    events: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
    hook: (target) => ({
      type: 'command',
      ...fromVariable(hookCommandLine('grok', target), target),
      timeout: TIMEOUT_SECONDS,
    }),
    note: `${restart} It also runs the hooks of Claude Code's and Cursor's settings.`,
  },
  hermes: {
    name: 'hermes',
    title: 'Hermes',
    userFile: (env) => join(env['HERMES_HOME'] || join(homeFolder(env), '.hermes'), 'config.yaml'),
    projectFile: undefined,
    layout: 'yaml',
    events: ['pre_llm_call', 'pre_tool_call', 'post_tool_call', 'on_session_finalize'],
    hook: (target) => ({
      command: inShell(hookCommandLine('hermes', target), target),
      timeout: TIMEOUT_SECONDS,
    }),
    note: 'Hermes asks at its next start in a terminal whether its new hooks may run; elsewhere, start it with --accept-hooks.',
  },
};

/**
 * The command for an agent that looks for variables in it first: it would replace that of the token by its value, and refuse those
 * that only the command sets. It leaves one with a default to the shell.
 */
function fromVariable(command: string, { script }: HookTarget): object {
  const name = 'LOOPWATCH_HOOK';
  return script === undefined ? { command: `eval "\${${name}:-}"`, env: { [name]: command } } : { command };
}

/** The command for an agent that starts programs without a shell. */
function inShell(command: string, { script }: HookTarget): string {
  return script === undefined ? `sh -c '${command.replaceAll("'", "'\\''")}'` : command;
}

/** @throws UsageError with the known names */
export function findHookedAgent(name: string): HookedAgent {
  const agent = hookAgents.find((one) => one === name);
  if (agent === undefined)
    throw new UsageError(`${name}: expected an agent, one of ${hookAgents.join(', ')}`);
  return hookedAgents[agent];
}

/** Whether a settings entry calls a Loopwatch hook, on any server. */
export function isLoopwatchHook(entry: unknown): boolean {
  const [, agent] = /\/api\/v1\/hooks\/([\w-]+)/.exec(JSON.stringify(entry)) ?? [];
  return hookAgents.some((name) => name === agent);
}

/** The home folder, as the shell of a hook sees it. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}
