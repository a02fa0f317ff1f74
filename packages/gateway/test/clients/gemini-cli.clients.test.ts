import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { modelReply, tempDir } from '@loopwatch/testkit';
import { expect, inject, it, onTestFinished } from 'vitest';
import { GatewayBench, type Script } from '../harness.ts';

/** Runs Gemini CLI through a gateway, in front of a model that reads what `path` names. */
async function run(path: (said: string) => string) {
  const home = await tempDir();
  onTestFinished(() => home.remove());
  const folder = join(home.path, 'project');
  await mkdir(join(home.path, '.gemini'), { recursive: true });
  await mkdir(folder);
  await writeFile(join(folder, 'present.ts'), 'export const found = true;\n');
  await writeFile(
    join(home.path, '.gemini/settings.json'),
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
  );
  const script: Script = (request) => {
    const said = request.bytes.toString();
    if (said.includes('found = true')) return modelReply(request, { text: 'It is there.' });
    const args = { file_path: join(folder, path(said)) };
    return modelReply(request, { text: 'Let me look.', calls: [{ name: 'read_file', args }] });
  };
  const bench = await GatewayBench.start(script, { preset: 'balanced' });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const args = ['--model', 'gemini-2.5-pro', '--prompt', 'Read absent.ts.', '--yolo', '--skip-trust'];
  const child = spawn(join(inject('codingAgents'), 'gemini'), args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      GOOGLE_GEMINI_BASE_URL: bench.url,
      GEMINI_API_KEY: 'none',
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const asked = bench.upstream.requests.filter(({ path: sent }) => sent.includes('enerateContent'));
  return { said, code: await exited, asked: asked.length, bench };
}

it('Gemini CLI: a model that never gives up is stopped, and the agent ends with the reason', async () => {
  const { said, code, asked, bench } = await run(() => 'absent.ts');
  expect(said).toContain("Tool call loop detected: 'read_file'");
  expect(code).toBe(0);
  expect(asked).toBeLessThanOrEqual(6);
  expect(bench.texts('error')).toEqual([]);
});

it('Gemini CLI: a healthy run ends with its answer', async () => {
  const { said, code, bench } = await run((heard) =>
    heard.includes('functionResponse') ? 'present.ts' : 'absent.ts',
  );
  expect(said).toContain('It is there.');
  expect(code).toBe(0);
  expect(bench.texts('warn', 'error')).toEqual([]);
});
