import { homedir } from 'node:os';
import { join } from 'node:path';
import { type HookAgent, hookAgents } from '@loopwatch/contract/api';
import { UsageError } from '../errors.ts';
import { hookCommandLine } from './hook-command.ts';
import { type HookTarget } from './hook-target.ts';

/** How a coding agent is configured to call the hook. */
export interface HookedAgent {
  /** Name in commands and URLs. */
  readonly name: HookAgent;
  /** Display name. */
  readonly title: string;
  /** The user's settings file, for all projects. */
  readonly userFile: (env: NodeJS.ProcessEnv) => string;
  /** The settings file within a project folder. */
  readonly projectFile: string;
  /** How the file lists hooks: each event with groups of hooks or with hooks; a plugin is a file of its own. */
  readonly layout: 'groups' | 'hooks' | 'plugin';
  /** The hook events to register, by the names of the agent. */
  readonly events: readonly string[];
  /** The entry for each event. */
  readonly hook: (target: HookTarget) => object;
  /** What the user has to do after installation. */
  readonly note: string;
}

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
    hook: (target) => target,
    note: restart,
  },
};

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
