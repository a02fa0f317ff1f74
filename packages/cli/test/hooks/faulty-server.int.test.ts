import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawnCli, tempDir } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hookCommandLine } from '../../src/hooks/hook-command.ts';
import { hookDefaults } from '../../src/hooks/hook-target.ts';
import { hookCommand } from './hook-runs.ts';

/** Hooks of an agent that makes six calls: a prompt, three for each call, and the end. */
const RUNS = 20;
/** The longest wait, so that a busy machine does not look like a slow server. */
const PATIENT = ['--wait', '4000'];
const denial = '{"decision":"deny","reason":"a loop"}';

interface FaultyServer {
  readonly url: string;
  /** What was posted, and with which login. */
  readonly posts: { readonly body: string; readonly login: string | undefined }[];
}

async function serve(answer: RequestListener): Promise<FaultyServer> {
  const posts: { body: string; login: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ body, login: request.headers.authorization });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://localhost:${String((server.address() as AddressInfo).port)}`, posts };
}

const respond =
  (status: number, type: string, body: string, afterMs = 0): RequestListener =>
  (_request, response) =>
    void setTimeout(() => response.writeHead(status, { 'content-type': type }).end(body), afterMs);
/** Longer than by default: the other tests on this machine slow each answer. */
const WAIT_MS = 4 * hookDefaults.waitMs;
const json = 'application/json';
const hang: RequestListener = () => undefined;
const drip: RequestListener = (_request, response) =>
  void response.writeHead(200, { 'content-type': json }).write('{"decision":"deny"}');

/** Runs a hook as an agent does, through a pipe or a socket. */
async function runHook(command: string, env: NodeJS.ProcessEnv, input = '{"n":1}'): Promise<string> {
  const shell = spawn('sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // A command may not read it.
  shell.stdin.on('error', () => undefined);
  shell.stdin.end(input);
  const [out, complaint, code] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    new Promise((resolve) => shell.on('close', resolve)),
  ]);
  expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
  return out;
}

async function homeEnv(): Promise<{ readonly HOME: string; readonly PATH: string | undefined }> {
  const home = await tempDir();
  onTestFinished(() => home.remove());
  return { HOME: home.path, PATH: process.env['PATH'] };
}

describe('hook: how long a server delays an agent', () => {
  it.each<[what: string, answer: RequestListener, asked: number, out: string]>([
    ['that is healthy is asked by every hook', respond(200, json, denial), RUNS, denial],
    ['that hangs is asked once', hang, 1, ''],
    ['that answers after six times the wait is asked once', respond(200, json, denial, 6 * WAIT_MS), 1, ''],
    ['that answers after 1.2 times the wait is asked once', respond(200, json, denial, 1.2 * WAIT_MS), 1, ''],
    [
      'that answers after 0.6 of the wait is asked twice',
      respond(200, json, denial, 0.6 * WAIT_MS),
      2,
      denial,
    ],
    [
      'that answers after 0.4 of the wait is asked three times',
      respond(200, json, denial, 0.4 * WAIT_MS),
      3,
      denial,
    ],
    [
      'that answers after 0.12 of the wait is asked by every hook',
      respond(200, json, denial, 0.12 * WAIT_MS),
      RUNS,
      denial,
    ],
    ['that answers 401 at once is asked by every hook', respond(401, json, '{"status":401}'), RUNS, ''],
    ['that answers HTML at once is asked by every hook', respond(200, 'text/html', '<html>'), RUNS, ''],
    ['that answers 401 after six times the wait is asked once', respond(401, json, '{}', 6 * WAIT_MS), 1, ''],
    [
      'that answers HTML after 0.6 of the wait is asked twice',
      respond(200, 'text/html', '<html>', 0.6 * WAIT_MS),
      2,
      '',
    ],
    ['that answers 500 at once is asked by every hook', respond(500, json, '{}'), RUNS, ''],
    ['that answers half an answer is asked by every hook', respond(200, json, '{"decision":'), RUNS, ''],
    ['that never ends its answer is asked once', drip, 1, ''],
    ['that answers other JSON is asked by every hook', respond(200, json, '"x"'), RUNS, ''],
  ])('hook: a server %s in twenty hooks', async (_what, answer, asked, out) => {
    const { url, posts } = await serve(answer);
    const env = await homeEnv();
    const command = hookCommandLine('codex', { ...hookDefaults, waitMs: WAIT_MS, url, tokenEnv: undefined });
    for (let run = 0; run < RUNS; run += 1) expect(await runHook(command, env)).toBe(run < asked ? out : '');
    expect(posts).toEqual(Array(asked).fill({ body: '{"n":1}', login: undefined }));
  });

  it('hook: after the pause the server is asked again, and one slow answer pauses again', async () => {
    const answers = [hang, hang, respond(200, json, denial), respond(200, json, denial)];
    const { url, posts } = await serve((request, response) => answers.shift()?.(request, response));
    const env = await homeEnv();
    const command = hookCommandLine('codex', { ...hookDefaults, waitMs: 1_000, url, tokenEnv: undefined });
    const state = join(env.HOME, '.local/state/loopwatch/hook-codex');
    const endPause = () => writeFile(state, '10 10 1\n');
    for (let run = 0; run < 4; run += 1) await runHook(command, env);
    expect(posts).toHaveLength(1);
    await endPause();
    for (let run = 0; run < 4; run += 1) await runHook(command, env);
    expect(posts).toHaveLength(2);
    await endPause();
    for (let run = 0; run < 2; run += 1) expect(await runHook(command, env)).toBe(denial);
    await expect(readFile(state)).rejects.toThrow('ENOENT');
  });

  it('hook: the first pause is short, and each that follows without a quick answer is twice as long', async () => {
    const { url } = await serve(hang);
    const env = await homeEnv();
    const command = hookCommandLine('codex', { ...hookDefaults, waitMs: 100, url, tokenEnv: undefined });
    const state = join(env.HOME, '.local/state/loopwatch/hook-codex');
    const pauses: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const before = Math.floor(Date.now() / 1_000);
      await runHook(command, env);
      const [slow, pause = 0, until = 0] = (await readFile(state, 'utf8')).trim().split(' ').map(Number);
      pauses.push(pause);
      expect(until).toBeGreaterThanOrEqual(before + pause);
      await writeFile(state, `${String(slow)} ${String(pause)} ${String(before)}\n`);
    }
    expect(pauses).toEqual([10, 20, 40, 60, 60]);
  });

  it.each<[what: string, state: string]>([
    ['of an earlier version', ' '.repeat(12)],
    ['that is damaged', 'a[$(exit)] / 1'],
    ['from before the clock was set back', '10 10 99999999999'],
  ])('hook: a state %s pauses nothing', async (_what, text) => {
    const { url, posts } = await serve(respond(200, json, denial));
    const env = await homeEnv();
    const command = hookCommandLine('codex', { ...hookDefaults, waitMs: 4_000, url, tokenEnv: undefined });
    const state = join(env.HOME, '.local/state/loopwatch/hook-codex');
    await mkdir(dirname(state), { recursive: true });
    await writeFile(state, text);
    expect(await runHook(command, env)).toBe(denial);
    expect(posts).toHaveLength(1);
  });

  it('hook: the token is sent, and stands in no argument', async () => {
    const { url, posts } = await serve(respond(200, json, denial));
    const env = { ...(await homeEnv()), TOKEN: 'secret-token' };
    const command = hookCommandLine('codex', { ...hookDefaults, url, tokenEnv: 'TOKEN' });
    // A curl that writes down its arguments and then runs.
    const bin = join(env.HOME, 'bin');
    await mkdir(bin);
    const log = join(env.HOME, 'arguments');
    const real = (await runHook('command -v curl', env)).trim();
    await writeFile(join(bin, 'curl'), `#!/bin/sh\nprintf '%s ' "$@" >>'${log}'\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    const long = JSON.stringify({ text: 'x'.repeat(200_000) });
    expect(await runHook(command, { ...env, PATH: `${bin}:${env.PATH ?? ''}` }, long)).toBe(denial);
    expect(posts).toEqual([{ body: long, login: 'Bearer secret-token' }]);
    const seen = await readFile(log, 'utf8');
    expect(seen).toContain(url);
    expect(seen).not.toContain('secret-token');
  });
});

describe('hook status', () => {
  it.each<[what: string, answer: RequestListener, options: string[], said: string]>([
    ['accepts a server that answers the hook', respond(200, json, '{}'), PATIENT, ' answers'],
    [
      'tells a server that requires a token',
      respond(401, json, '{}'),
      PATIENT,
      'requires a token; install the hook again with',
    ],
    [
      'tells a missing token',
      respond(401, json, '{}'),
      [...PATIENT, '--token-env', 'NO_SUCH_TOKEN'],
      'NO_SUCH_TOKEN is not set here',
    ],
    [
      'tells a rejected token',
      respond(401, json, '{}'),
      [...PATIENT, '--token-env', 'HOME'],
      'rejects the token in HOME',
    ],
    ['tells a web page', respond(200, 'text/html', '<html>'), PATIENT, 'answers 200 with a web page'],
    [
      'tells a server without the hook',
      respond(404, json, '{}'),
      PATIENT,
      'an older Loopwatch without this hook',
    ],
    ['tells a server that hangs', hang, [], 'does not answer within 500 ms'],
    ['tells a server that is too slow', respond(200, json, '{}', 2_000), PATIENT, 'longer --wait'],
  ])('hook status: %s', async (_what, answer, options, said) => {
    const { url, posts } = await serve(answer);
    const { HOME } = await homeEnv();
    await hookCommand(HOME, 'install', 'codex', '--url', url, '--yes', ...options);
    // It asks the server, too.
    posts.length = 0;
    const { code, stdout } = await hookCommand(HOME, 'status', 'codex');
    expect(stdout).toContain(said);
    expect(code).toBe(said === ' answers' ? 0 : 1);
    const harmless = { hook_event_name: 'LoopwatchStatus', session_id: 'loopwatch-hook-status' };
    const bodies = posts.map(({ body }) => JSON.parse(body) as unknown);
    if (said === 'longer --wait') expect(bodies).toEqual([harmless, harmless]);
    // A healthy answer on a busy machine may be slow the first time.
    else expect([[harmless], [harmless, harmless]]).toContainEqual(bodies);
  });
});

it('hook status: fails if one of the installed hooks does not work', async () => {
  const { url } = await serve(respond(200, json, '{}'));
  const { HOME } = await homeEnv();
  await hookCommand(HOME, 'install', 'codex', '--url', url, '--yes', ...PATIENT);
  expect(await hookCommand(HOME, 'status')).toMatchObject({ code: 0 });
  await hookCommand(HOME, 'install', 'gemini', '--url', 'http://127.0.0.1:9', '--yes', ...PATIENT);
  expect(await hookCommand(HOME, 'status')).toMatchObject({ code: 1 });
});

it('hook status: names settings that cannot be read, and goes on to the others', async () => {
  const { url } = await serve(respond(200, json, '{}'));
  const { HOME } = await homeEnv();
  await hookCommand(HOME, 'install', 'gemini', '--url', url, '--yes', ...PATIENT);
  await mkdir(join(HOME, '.codex'));
  await writeFile(join(HOME, '.codex/hooks.json'), '{');
  const { code, stdout } = await hookCommand(HOME, 'status');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Codex: unknown \(.*hooks\.json:1: .*fix the file first\)$/m);
  expect(stdout).toMatch(/^Gemini CLI: installed .* answers$/m);
});

it.each<[what: string, args: readonly string[], settings: Buffer | string, said: RegExp]>([
  ['an address with a query', ['--url', 'http://h/?a=1'], '{}', /expected an address/],
  ['a position in place of a variable', ['--token-env', '1X'], '{}', /expected the name/],
  [
    'settings that are not in UTF-8',
    [],
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    /not in UTF-8/,
  ],
])('hook install: %s is refused, and nothing changes', async (_what, args, settings, said) => {
  const { HOME } = await homeEnv();
  const file = join(HOME, '.codex/hooks.json');
  await mkdir(dirname(file));
  await writeFile(file, settings);
  const { code, stderr } = await hookCommand(HOME, 'install', 'codex', '--yes', ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  expect(await readFile(file)).toEqual(Buffer.from(settings));
});

it.each(['there', 'not there yet'])(
  'hook install: a link to settings that are %s stays one',
  async (where) => {
    const { HOME } = await homeEnv();
    const [link, file] = [join(HOME, '.codex/hooks.json'), join(HOME, 'dotfiles/codex.json')];
    await mkdir(dirname(link));
    if (where === 'there') {
      await mkdir(dirname(file));
      await writeFile(file, '{}');
    }
    await symlink('../dotfiles/codex.json', link);
    expect(await hookCommand(HOME, 'install', 'codex', '--yes')).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toContain('/api/v1/hooks/codex');
    expect(await hookCommand(HOME, 'uninstall', 'codex', '--yes')).toMatchObject({ code: 0 });
    expect(await readlink(link)).toBe('../dotfiles/codex.json');
    expect(existsSync(file)).toBe(where === 'there');
  },
);

it('hook status: says that the hooks of an agent pause, and for how long', async () => {
  const { url } = await serve(respond(200, json, '{}'));
  const { HOME } = await homeEnv();
  await hookCommand(HOME, 'install', 'codex', '--url', url, '--yes', ...PATIENT);
  const state = join(HOME, '.local/state/loopwatch/hook-codex');
  await mkdir(dirname(state), { recursive: true });
  await writeFile(state, `10 10 ${String(Math.floor(Date.now() / 1_000) + 600)}\n`);
  const { stdout } = await hookCommand(HOME, 'status', 'codex');
  expect(stdout).toMatch(/answers; its hooks pause for \d{3} s, because the server was slow$/);
  await writeFile(state, '10 10 1\n');
  expect((await hookCommand(HOME, 'status', 'codex')).stdout).toMatch(/answers$/);
});

it('hook status: a project gets no token for a server that is not this machine', async () => {
  const { HOME } = await homeEnv();
  const inProject = async (...args: string[]) => {
    await using cli = spawnCli(['hook', ...args, '--project'], { HOME }, { from: 'build', cwd: HOME });
    await cli.exited;
    return cli.stdout.join('\n');
  };
  const settings = ['--url', 'http://loops.invalid', '--token-env', 'HOME'];
  await inProject('install', 'codex', '--yes', ...settings);
  expect(await inProject('status', 'codex')).toContain('not checked: it would receive the value of HOME');
  expect(await inProject('status', 'codex', '--yes')).toContain('does not respond');
});

describe('hook uninstall', () => {
  it.each<[what: string, before: string | undefined]>([
    ['a missing file', undefined],
    ['an empty object', '{}'],
    ['one line', '{"model":"opus","list":[1,2]}'],
    ['Windows line ends and a mark', '\uFEFF{\r\n  "model": "opus"\r\n}\r\n'],
    ['mixed indentation and comments', '{\n   // mine\n\t"model": "opus",\n}'],
    ['an empty list of hooks', '{\n  "hooks": { "PreToolUse": [ ] }\n}\n'],
  ])('hook uninstall: %s is restored byte for byte, also after a second install', async (_what, before) => {
    const { HOME } = await homeEnv();
    const file = join(HOME, '.codex/hooks.json');
    await mkdir(dirname(file));
    if (before !== undefined) await writeFile(file, before);
    await hookCommand(HOME, 'install', 'codex', '--url', 'http://one:1', '--yes');
    await hookCommand(HOME, 'install', 'codex', '--url', 'http://two:2', '--yes');
    expect(await readFile(file, 'utf8')).toContain('http://two:2/');
    expect(await hookCommand(HOME, 'uninstall', 'codex', '--yes')).toMatchObject({ code: 0, stderr: '' });
    const after = await readFile(file, 'utf8').catch(() => undefined);
    expect(after).toBe(before);
  });

  it('hook uninstall: changes made since then are kept', async () => {
    const { HOME } = await homeEnv();
    const file = join(HOME, '.codex/hooks.json');
    await mkdir(dirname(file));
    await writeFile(file, '{"model":"opus"}');
    await hookCommand(HOME, 'install', 'codex', '--yes');
    await writeFile(file, (await readFile(file, 'utf8')).replace('opus', 'other'));
    await hookCommand(HOME, 'uninstall', 'codex', '--yes');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'other' });
  });
});

describe('hook install', () => {
  it.each<[what: string, blocked: string, named: string]>([
    ['the original settings cannot be kept', '.local/state', '.local/state/loopwatch cannot be written'],
    ['the settings cannot be written', '.codex', '.codex/hooks.json cannot be written'],
  ])('hook install: changes nothing if %s, and says how to fix it', async (_what, blocked, named) => {
    const { HOME } = await homeEnv();
    await mkdir(join(HOME, '.local'));
    await writeFile(join(HOME, blocked), 'a file, not a folder');
    const entries = async () =>
      (await readdir(HOME, { recursive: true })).filter((path) => path.endsWith('.json'));
    const failed = await hookCommand(HOME, 'install', 'codex', '--yes');
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(join(HOME, named)) as string });
    expect(failed.stderr).not.toMatch(/\n\s+at /);
    expect(failed.stderr).toContain('writable for your user');
    expect(await entries()).toEqual([]);
  });

  it('hook install: keeps what was kept before if the settings cannot be written again', async () => {
    const { HOME } = await homeEnv();
    const file = join(HOME, '.codex/hooks.json');
    await mkdir(dirname(file));
    await writeFile(file, '{"model":"opus", }');
    await hookCommand(HOME, 'install', 'codex', '--yes');
    const moved = join(HOME, 'elsewhere');
    await rename(dirname(file), moved);
    await writeFile(dirname(file), '');
    const failed = await hookCommand(HOME, 'install', 'codex', '--url', 'http://two:2', '--yes');
    expect(failed.code).toBe(2);
    await rm(dirname(file));
    await rename(moved, dirname(file));
    await hookCommand(HOME, 'uninstall', 'codex', '--yes');
    expect(await readFile(file, 'utf8')).toBe('{"model":"opus", }');
  });
});
