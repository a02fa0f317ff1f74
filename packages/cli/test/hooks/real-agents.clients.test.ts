import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HookAgent } from '@loopwatch/contract/api';
import {
  freePort,
  modelReply,
  type ScriptedUpstream,
  startScriptedUpstream,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { hookCommand, serverOn, startedServer } from './hook-runs.ts';

interface RealAgent {
  readonly agent: HookAgent;
  /** In the folder of the installed commands. */
  readonly command: string;
  readonly args: readonly string[];
  /** The call that reads a file. */
  readonly read: (path: string) => { readonly name: string; readonly args: object };
  /** Configures the scripted model; `url` ends with the port. */
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Other settings, by file. */
  readonly settings?: (url: string) => Readonly<Record<string, string>>;
  /** Whether its hooks name a transcript, which tells of usage. */
  readonly hasTranscript?: boolean;
  /** Whether an answer of its hooks can end a turn; others can only be told. */
  readonly canEnd?: boolean;
}

const task = 'Read absent.ts.';
/** The provider that docs/gateway.md configures. */
const codexProvider = blocksCheckedBy(import.meta.url)[0]!.text;

const agents: readonly RealAgent[] = [
  {
    agent: 'claude-code',
    command: 'claude',
    hasTranscript: true,
    canEnd: true,
    args: ['--print', task, '--allowedTools', 'Read'],
    read: (path) => ({ name: 'Read', args: { file_path: path } }),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    // The Claude Agent SDK, in a program of its user.
    agent: 'claude-code',
    command: '../@anthropic-ai/claude-agent-sdk/sdk.mjs',
    hasTranscript: true,
    canEnd: true,
    args: [],
    read: (path) => ({ name: 'Read', args: { file_path: path } }),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    agent: 'codex',
    command: 'codex',
    hasTranscript: true,
    args: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      '--dangerously-bypass-approvals-and-sandbox',
      task,
    ],
    read: (path) => ({ name: 'exec_command', args: { cmd: `cat ${path}` } }),
    env: () => ({ OPENAI_API_KEY: 'none' }),
    settings: (url) => ({
      '.codex/config.toml': `model = "scripted"\n${codexProvider.replace('http://localhost:4610', url)}`,
    }),
  },
  {
    agent: 'gemini',
    command: 'gemini',
    hasTranscript: true,
    canEnd: true,
    args: ['--model', 'gemini-2.5-pro', '--prompt', task, '--yolo', '--skip-trust'],
    read: (path) => ({ name: 'read_file', args: { file_path: path } }),
    env: (url) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'none',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    settings: () => ({
      '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
  },
  {
    agent: 'copilot',
    command: 'copilot',
    args: ['--prompt', task, '--allow-all-tools'],
    read: (path) => ({ name: 'view', args: { path } }),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_OFFLINE: 'true',
      // It unpacks itself there.
      XDG_CACHE_HOME: join(commands, '../../cache'),
    }),
  },
  {
    agent: 'opencode',
    command: 'opencode',
    canEnd: true,
    args: ['run', task],
    read: (filePath) => ({ name: 'read', args: { filePath } }),
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      // It installs the types for plugins, which this one does not need.
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_fetch_retries: '0',
    }),
    settings: (url) => {
      const models = { m: { name: 'm', limit: { context: 100_000, output: 4_000 } } };
      const options = { baseURL: `${url}/v1`, apiKey: 'none' };
      const scripted = { npm: '@ai-sdk/openai-compatible', name: 'scripted', options, models };
      return {
        '.config/opencode/opencode.json': JSON.stringify({
          share: 'disabled',
          model: 'scripted/m',
          small_model: 'scripted/m',
          provider: { scripted },
        }),
      };
    },
  },
  {
    agent: 'pi',
    command: 'pi',
    hasTranscript: true,
    canEnd: true,
    args: ['--print', '--model', 'scripted/m', task],
    read: (path) => ({ name: 'read', args: { path } }),
    // It needs Node 22.
    env: () => ({ PI_OFFLINE: '1', PATH: `${node22()}:${process.env['PATH'] ?? ''}` }),
    settings: (url) => {
      const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
      const scripted = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none' };
      const providers = { scripted: { ...scripted, models: [{ id: 'm', name: 'm', cost }] } };
      return { '.pi/agent/models.json': JSON.stringify({ providers }) };
    },
  },
  {
    agent: 'grok',
    command: 'grok',
    args: ['--single', task, '--model', 'm', '--always-approve', '--no-auto-update'],
    read: (path) => ({ name: 'read_file', args: { target_file: path } }),
    env: () => ({ XAI_API_KEY: 'none' }),
    settings: (url) => ({
      '.grok/config.toml':
        `[models]\ndefault = "m"\n\n[model.m]\nmodel = "m"\nbase_url = "${url}/v1"\napi_key = "none"\n` +
        'api_backend = "chat_completions"\ncontext_window = 200000\n',
    }),
  },
];

const commands = inject('codingAgents');

function node22(): string {
  return join(commands, `../node-22-${process.arch}/bin`);
}

/** A running agent and its scripted model. */
interface Run {
  readonly said: string;
  readonly model: ScriptedUpstream;
}

/** A server until the test ends. @returns its address */
async function ownServer(...settings: readonly string[]): Promise<string> {
  const port = String(await freePort());
  await startedServer(port, ...settings);
  return `http://localhost:${port}`;
}

/** Waits until a server answers a hook in less time than counts as slow. */
async function answersQuickly(url: string): Promise<void> {
  const body = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 'first', source: 'startup' });
  await waitFor(async () => {
    const askedAt = performance.now();
    await (await fetch(`${url}/api/v1/hooks/claude`, { method: 'POST', body })).text();
    return performance.now() - askedAt < 100;
  });
}

/** Makes the plugins among the hooks wait longer than can be asked for, whatever else this machine does. */
async function waitLonger(home: string): Promise<void> {
  const files = await readdir(home, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('/loopwatch.js'))) {
    const plugin = await readFile(join(home, file), 'utf8');
    await writeFile(join(home, file), plugin.replace('"waitMs": 4000', '"waitMs": 120000'));
  }
}

/** Runs an agent with its hook, which asks the server at `url`, in front of a model that makes the calls that `path` names. */
async function run(
  { agent, command, args, read, env, settings: files }: RealAgent,
  path: (said: string) => string,
  url: string,
): Promise<Run> {
  const home = await tempDir();
  onTestFinished(() => home.remove());
  const folder = join(home.path, 'project');
  await mkdir(folder);
  await writeFile(join(folder, 'present.ts'), 'export const found = true;\n');
  const model = await startScriptedUpstream((request, index) => {
    const said = request.bytes.toString();
    // A title for the session.
    if (request.path.endsWith('/chat/completions') && request.json['tools'] === undefined)
      return modelReply(request, { text: 'Absent' });
    if (index > 12) return modelReply(request, { text: 'I give up.' });
    if (said.includes('found = true')) return modelReply(request, { text: 'It is there.' });
    return modelReply(request, { text: 'Let me look.', calls: [read(join(folder, path(said)))] });
  });
  onTestFinished(() => model[Symbol.asyncDispose]());
  const modelUrl = model.url.replace(/\/v1$/, '');
  for (const [file, content] of Object.entries(files?.(modelUrl) ?? {})) {
    await mkdir(join(home.path, file, '..'), { recursive: true });
    await writeFile(join(home.path, file), content);
  }
  // Neither a server's first answers nor the other tests on this machine must make the hooks pause.
  await answersQuickly(url);
  const options = ['--url', url, '--wait', '4000', '--yes'];
  expect(await hookCommand(home.path, 'install', agent, ...options)).toMatchObject({ code: 0, stderr: '' });
  await waitLonger(home.path);

  const program = `import { query } from ${JSON.stringify(join(commands, command))};
    const run = query({ prompt: ${JSON.stringify(task)}, options: { allowedTools: ['Read'] } });
    for await (const message of run) if (message.type === 'result') console.log(message.result);`;
  const isLibrary = command.endsWith('.mjs');
  const started = isLibrary ? process.execPath : join(commands, command);
  const child = spawn(started, isLibrary ? ['--input-type=module', '--eval', program] : args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home.path, ...env(modelUrl) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exited;
  return { said: `${said}\n${complained}`, model };
}

// Stops by hooks: Claude Code; Claude Agent SDK; Codex; Gemini CLI; Copilot CLI; opencode; pi; Grok Build
it.each(agents)(
  '$command: its hook denies the fourth call of a loop, and the agent continues differently',
  async (agent) => {
    const url = await ownServer();
    const isDenied = (heard: string) => heard.includes('Loopwatch denied this call');
    const { said } = await run(agent, (heard) => (isDenied(heard) ? 'present.ts' : 'absent.ts'), url);
    expect(said).toContain('It is there.');

    let page: unknown;
    await waitFor(
      async () => {
        page = await (await fetch(`${url}/api/v1/incidents`)).json();
        return (page as { items: { outcome: string | null }[] }).items[0]?.outcome === 'recovered';
      },
      { describe: () => `one incident that recovered; there are ${JSON.stringify(page)}` },
    );
    expect(page).toMatchObject({ items: [{ detector: 'tool-repeat', action: 'block', count: 4 }] });

    // Hooks do not tell of usage; the agent's transcript does, if they name it.
    let sessions: unknown;
    await waitFor(
      async () => {
        sessions = await (await fetch(`${url}/api/v1/sessions`)).json();
        const { items } = sessions as { items: { tokens: object | null; turns: number }[] };
        const isKnown = (tokens: object | null) => tokens !== null || agent.hasTranscript !== true;
        return items.some(({ tokens, turns }) => isKnown(tokens) && turns >= 4);
      },
      { describe: () => `a session with turns, and tokens if known; there are ${JSON.stringify(sessions)}` },
    );
  },
);

/** For the tests that ask their agent only: each has a session of its own. */
let sharedUrl = '';
const shared: AsyncDisposable[] = [];

beforeAll(async () => {
  const port = String(await freePort());
  const dir = await tempDir();
  const server = serverOn(port, dir.path);
  shared.push(dir, server);
  await server.line(/Loopwatch .* is at http/);
  sharedUrl = `http://localhost:${port}`;
});

afterAll(async () => {
  for (const each of shared.toReversed()) await each[Symbol.asyncDispose]();
});

it.each(agents.filter(({ canEnd }) => canEnd))(
  '$command: a model that never gives up is asked no more after the third denial',
  async (agent) => {
    const { model } = await run(agent, () => 'absent.ts', sharedUrl);
    expect(model.requests.at(-1)?.bytes.toString()).toContain('Loopwatch denied this call');
    // Three calls run, and three are denied. Some also ask at the start, for other purposes.
    expect(model.requests.length).toBeGreaterThanOrEqual(6);
    expect(model.requests.length).toBeLessThanOrEqual(8);
  },
);

it('claude: with on_budget: ask and no user to ask, the turn ends after three questions', async () => {
  const [claude] = agents;
  if (claude === undefined) throw new Error('Claude Code comes first');
  const url = await ownServer('--set', 'budget.calls=2', '--set', 'on_budget=ask');
  let files = 0;
  const { model } = await run(claude, () => `absent-${String((files += 1))}.ts`, url);
  // Two calls run, three are asked about and not approved, and the next is denied.
  expect(model.requests.length).toBeGreaterThanOrEqual(6);
  expect(model.requests.length).toBeLessThanOrEqual(8);
  expect(model.requests.at(-1)?.bytes.toString()).toContain(
    'Loopwatch: This session has used its budget: 2 of 2',
  );
});
