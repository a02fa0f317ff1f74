import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tempDir } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { hookCommandLine } from '../../src/hooks/hook-command.ts';
import { scriptText } from '../../src/hooks/hook-script.ts';
import { addHook, findHooks } from '../../src/hooks/hook-settings.ts';
import { hookDefaults } from '../../src/hooks/hook-target.ts';
import { hookedAgents } from '../../src/hooks/hooked-agents.ts';

/** A hook by its script, which also runs in a POSIX shell. */
async function installed(answer: RequestListener, more: object = {}) {
  const posts: { readonly body: string; readonly login: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ body, login: request.headers.authorization });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = await tempDir();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await home.remove();
  });
  const script = join(home.path, 'a user/loopwatch/hook.mjs');
  await mkdir(dirname(script), { recursive: true });
  await writeFile(script, scriptText);
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const target = { url, tokenEnv: undefined, ...hookDefaults, waitMs: 4_000, script, ...more };
  const run = async () => {
    const env = { PATH: process.env['PATH'], TOKEN: 'secret' };
    const shell = spawn('sh', ['-c', hookCommandLine('codex', target)], { env });
    shell.stdin.end('{"n":1}');
    const closed = new Promise((resolve) => shell.on('close', resolve));
    const [out, complaint, code] = await Promise.all([text(shell.stdout), text(shell.stderr), closed]);
    expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
    return out;
  };
  return { run, posts, url, target, state: join(dirname(script), 'hook-codex') };
}

it('hook script: posts the input with the token, and prints the answer', async () => {
  const { run, posts } = await installed((_, response) => response.end('{"decision":"deny"}'), {
    tokenEnv: 'TOKEN',
  });
  expect(await run()).toBe('{"decision":"deny"}');
  expect(posts).toEqual([{ body: '{"n":1}', login: 'Bearer secret' }]);
});

it.each<[what: string, answer: RequestListener]>([
  ['an error', (_, response) => response.writeHead(500).end('{}')],
  ['a web page', (_, response) => response.end('<html></html>')],
  ['no response', (request) => request.socket.destroy()],
])('hook script: prints nothing on %s', async (_, answer) => {
  const { run, posts } = await installed(answer);
  expect(await run()).toBe('');
  expect(posts).toHaveLength(1);
});

it('hook script: pauses after a server that hangs, and asks again after the pause', async () => {
  const { run, posts, state } = await installed(() => undefined, { waitMs: 3_000 });
  await run();
  const asked = posts.length;
  await run();
  expect(posts).toHaveLength(asked);
  const [slow = '', pause = ''] = (await readFile(state, 'utf8')).split(' ');
  expect(pause).toBe('10');
  await writeFile(state, `${slow} ${pause} 1\n`);
  await run();
  expect(posts).toHaveLength(asked + 1);
  expect((await readFile(state, 'utf8')).split(' ')[1]).toBe('20');
});

it('hook script: settings on Windows tell of the server, the token and the wait', () => {
  const agent = hookedAgents.gemini;
  const script = 'C:\\Users\\a user\\.local\\state\\loopwatch\\hook.mjs';
  const target = { url: 'http://localhost:4600', tokenEnv: 'TOKEN', ...hookDefaults, script };
  expect(findHooks('f.json', addHook('f.json', '', agent, target), agent)).toEqual({
    events: agent.events,
    server: 'http://localhost:4600',
    tokenEnv: 'TOKEN',
    waitMs: 500,
  });
});
