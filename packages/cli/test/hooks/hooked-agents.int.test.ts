import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HookAgent } from '@loopwatch/contract/api';
import { type CliProcess, freePort, type TempDir, tempDir, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { hookCommand, serverOn } from './hook-runs.ts';

interface Hook {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A hook as Copilot and Cursor list it, and a group of them as the others do. */
type Entry = Hook & { readonly hooks?: readonly Hook[] };

/** The hooks in an agent's settings, by event. */
function hooksIn(file: string, text: string): Readonly<Record<string, readonly Entry[]>> {
  if (file.endsWith('.toml')) {
    const commands = [...text.matchAll(/^event = "(\w+)"\ncommand = (.*)$/gm)];
    return Object.fromEntries(
      commands.map(([, event = '', command = '']) => [event, [{ command: JSON.parse(command) as string }]]),
    );
  }
  const settings: unknown = file.endsWith('.yaml') ? parse(text) : JSON.parse(text);
  return (settings as { readonly hooks: Readonly<Record<string, Entry[]>> }).hooks;
}

const files: Readonly<Record<Exclude<HookAgent, 'opencode' | 'pi'>, string>> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  copilot: '.copilot/hooks/loopwatch.json',
  cursor: '.cursor/hooks.json',
  kimi: '.kimi-code/config.toml',
  grok: '.grok/hooks/loopwatch.json',
  hermes: '.hermes/config.yaml',
};

let url: string;
let data: TempDir;
let server: CliProcess;

beforeAll(async () => {
  const port = String(await freePort());
  url = `http://localhost:${port}`;
  data = await tempDir();
  server = serverOn(port, data.path);
  await server.line(/Loopwatch .* is at http/);
});

afterAll(async () => {
  await server.stop('SIGKILL');
  await data.remove();
});

/** Calls a hook as its agent does. @returns its output; undefined when it failed, which does not block the agent */
async function runHook({ command, env: own }: Hook, home: string, input: object): Promise<unknown> {
  const env = { PATH: process.env['PATH'], HOME: home, ...own };
  const shell = spawn('sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  shell.stdin.end(JSON.stringify(input));
  const said = text(shell.stdout);
  const code = await new Promise((resolve) => shell.on('close', resolve));
  expect(code).toBe(0);
  const out = await said;
  return out === '' ? undefined : JSON.parse(out);
}

it.each<[agent: keyof typeof files, before: string, after: string]>([
  ['claude-code', 'PreToolUse', 'PostToolUse'],
  ['codex', 'PreToolUse', 'PostToolUse'],
  ['gemini', 'BeforeTool', 'AfterTool'],
  ['copilot', 'PreToolUse', 'PostToolUse'],
  ['cursor', 'preToolUse', 'postToolUse'],
  ['kimi', 'PreToolUse', 'PostToolUse'],
  ['grok', 'PreToolUse', 'PostToolUse'],
  ['hermes', 'pre_tool_call', 'post_tool_call'],
])('hook of %s: after installation it denies a loop', async (agent, before, after) => {
  const home = await tempDir();
  onTestFinished(() => home.remove());
  const install = (at: string) =>
    hookCommand(home.path, 'install', agent, '--url', at, '--wait', '4000', '--yes');
  const sessionId = `looping-${agent}`;
  const hook = async (event: string, input: object) => {
    const hooks = hooksIn(files[agent], await readFile(join(home.path, files[agent]), 'utf8'));
    const [found] = hooks[event] ?? [];
    const entry = found?.hooks?.[0] ?? found;
    if (entry === undefined) throw new Error(`no hook for ${event}`);
    const turn = agent === 'codex' ? { turn_id: 't-1' } : {};
    const session = agent === 'cursor' ? { conversation_id: sessionId } : { session_id: sessionId };
    return runHook(entry, home.path, { ...session, hook_event_name: event, ...turn, ...input });
  };
  let calls = 0;
  const call = async (path: string, result: string): Promise<unknown> => {
    calls += 1;
    const id = agent === 'gemini' || agent === 'copilot' ? {} : { tool_use_id: `call-${String(calls)}` };
    const input = { tool_name: 'read_file', tool_input: { path }, ...id };
    const said = await hook(before, input);
    if (!/deny|block/.test(JSON.stringify(said ?? {})))
      await hook(after, { ...input, [agent === 'cursor' ? 'tool_output' : 'tool_response']: result });
    return said;
  };

  const installed = await install(`http://localhost:${String(await freePort())}`);
  expect(installed).toMatchObject({ code: 0, stderr: '' });
  expect(installed.stdout).toMatch(/^\+ *(?:"hooks": \{|\[\[hooks\]\]|hooks:)$/m);
  expect(installed.stdout).toMatch(/ does not respond \(.*\): start it \(`loopwatch start`\)/);
  expect(await hookCommand(home.path, 'status', agent)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('does not respond'),
  });
  expect(await call('absent', 'no such file: absent')).toBeUndefined();

  expect(await install(url)).toMatchObject({ code: 0, stderr: '' });
  expect(await hookCommand(home.path, 'status', agent)).toMatchObject({ code: 0 });
  for (let n = 0; n < 3; n += 1) expect(await call('absent', 'no such file: absent')).toEqual({});
  expect(JSON.stringify(await call('absent', ''))).toContain(
    'Loopwatch denied this call: You have called read_file 3 times',
  );
  expect(await call('present', 'export const a = 1;')).toEqual({});

  let page: unknown;
  await waitFor(
    async () => {
      page = await (await fetch(`${url}/api/v1/incidents?sessionId=${sessionId}`)).json();
      const { items } = page as { items: { outcome: string | null }[] };
      return items[0]?.outcome === 'recovered';
    },
    { describe: () => `one incident that recovered; there are ${JSON.stringify(page)}` },
  );
  expect(page).toMatchObject({
    items: [{ detector: 'tool-repeat', action: 'block', count: 4, sessionId }],
  });
  expect(await hookCommand(home.path, 'uninstall', agent, '--yes')).toMatchObject({ code: 0 });
  expect(existsSync(join(home.path, files[agent]))).toBe(false);
});
