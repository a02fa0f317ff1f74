import { homedir } from 'node:os';
import { join } from 'node:path';
import { type HookAgent, hookAgents } from '@loopwatch/contract/api';
import { UsageError } from '../errors.ts';

/** What a hook needs to reach the server. */
export interface HookTarget {
  /** Address of the server, without a path. */
  readonly url: string;
  /** Name of the environment variable that holds the server's token, where it has a login. */
  readonly tokenEnv: string | undefined;
}

/** How one coding agent is hooked. */
export interface HookedAgent {
  /** As the command names it. */
  readonly name: HookAgent;
  /** As people call it. */
  readonly title: string;
  /** Its settings for all projects of the user. */
  readonly userFile: (env: NodeJS.ProcessEnv) => string;
  /** Its settings in a project's folder. */
  readonly projectFile: string;
  /** The moments at which it calls the hook, by its own names. */
  readonly events: readonly string[];
  /** The entry of each of them. */
  readonly hook: (target: HookTarget) => object;
  /** What its user has to do besides. */
  readonly note: string;
}

/** Longest that an agent waits for an answer: a server that hangs must not hold it up. */
const WAIT_SECONDS = 5;

export const hookedAgents: Readonly<Record<HookAgent, HookedAgent>> = {
  'claude-code': {
    name: 'claude-code',
    title: 'Claude Code',
    userFile: (env) => join(env['CLAUDE_CONFIG_DIR'] || join(homeOf(env), '.claude'), 'settings.json'),
    projectFile: '.claude/settings.json',
    events: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
    hook: ({ url, tokenEnv }) => ({
      type: 'http',
      url: addressOf('claude-code', url),
      timeout: WAIT_SECONDS,
      ...(tokenEnv !== undefined && {
        headers: { Authorization: `Bearer $${tokenEnv}` },
        allowedEnvVars: [tokenEnv],
      }),
    }),
    note: 'Sessions that run already have to be restarted.',
  },
  codex: {
    name: 'codex',
    title: 'Codex',
    userFile: (env) => join(env['CODEX_HOME'] || join(homeOf(env), '.codex'), 'hooks.json'),
    projectFile: '.codex/hooks.json',
    events: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
    hook: (target) => ({ type: 'command', command: commandOf('codex', target), timeout: WAIT_SECONDS }),
    note: 'Codex runs a new hook only after you have trusted it: open /hooks in its next session.',
  },
  gemini: {
    name: 'gemini',
    title: 'Gemini CLI',
    userFile: (env) => join(homeOf(env), '.gemini', 'settings.json'),
    projectFile: '.gemini/settings.json',
    events: ['BeforeAgent', 'BeforeTool', 'AfterTool', 'SessionEnd'],
    hook: (target) => ({
      name: 'loopwatch',
      type: 'command',
      command: commandOf('gemini', target),
      timeout: WAIT_SECONDS * 1_000,
    }),
    note: 'Sessions that run already have to be restarted.',
  },
};

/** @throws UsageError that names the agents there are */
export function hookedAgentOf(name: string): HookedAgent {
  const agent = hookAgents.find((one) => one === name);
  if (agent === undefined)
    throw new UsageError(`${name}: expected an agent, one of ${hookAgents.join(', ')}`);
  return hookedAgents[agent];
}

/** Whether an entry of the settings was made by Loopwatch, whichever server it names. */
export function isOurs(entry: unknown): boolean {
  return /\/api\/v1\/hooks\/(?:claude-code|codex|gemini)\b/.test(JSON.stringify(entry));
}

/** The server that an entry of ours names. */
export function serverOf(entry: unknown): string | undefined {
  return /(https?:\/\/[^\s'"\\]+)\/api\/v1\/hooks\//.exec(JSON.stringify(entry))?.[1];
}

function addressOf(agent: HookAgent, url: string): string {
  return `${url.replace(/\/$/, '')}/api/v1/hooks/${agent}`;
}

/** Says nothing and succeeds where the server is away, so that the agent goes on. */
function commandOf(agent: HookAgent, { url, tokenEnv }: HookTarget): string {
  const login = tokenEnv === undefined ? '' : ` -H "authorization: Bearer $${tokenEnv}"`;
  return (
    `curl -sf --max-time ${String(WAIT_SECONDS - 1)} -H 'content-type: application/json'${login} ` +
    `--data-binary @- '${addressOf(agent, url)}' || true`
  );
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}
