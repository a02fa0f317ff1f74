import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, startScriptedUpstream, tempDir } from '@loopwatch/testkit';
import { blocksCheckedBy, type FencedBlock, root } from '@loopwatch/testkit/documented';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { programs } from './programs.ts';
import { sessionsAt, sharedServer } from './server.ts';

const run = promisify(execFile);
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

const name = ({ page, title }: FencedBlock): string => `${page}: ${title}`;
const blocks = blocksCheckedBy(import.meta.url);
const [later, runnable] = [true, false].map((isLater) =>
  blocks.filter(({ title }) => (title === 'OpenTelemetry (2)') === isLater),
);
const cases = runnable!.map((block, at) => ({ name: name(block), file: `block-${String(at)}.ts`, block }));

const host = sharedServer();
let folder: string;
beforeAll(async () => {
  // Inside the package, so that imports resolve.
  folder = await mkdtemp(join(import.meta.dirname, '.programs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The model's APIs, behind the gateway's address. */
const startModel = () =>
  startScriptedUpstream(({ path }) => ({
    json: path.endsWith(':generateContent')
      ? { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
      : path.endsWith('/messages')
        ? { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], usage: {} }
        : { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] },
  }));

/** Writes the programs, with the addresses of what runs here. */
async function write(gateway = 'http://localhost:4610'): Promise<void> {
  for (const { name, file, block } of cases) {
    const { before = '', after = '' } = programs[name] ?? {};
    const text = block.text.replaceAll('http://localhost:4610', gateway).replaceAll('localhost:4600', host());
    await writeFile(join(folder, file), `${before}\n${text}\n${after}\nexport {};\n`);
  }
}

it('programs: each has its prerequisites, and is checked', () => {
  expect(Object.keys(programs).toSorted()).toEqual(cases.map((one) => one.name).toSorted());
});

describe('programs of the documentation', () => {
  it('programs: have no type errors', async () => {
    await write();
    await writeFile(
      join(folder, 'wrong.ts'),
      `import { createGuard } from '@loopwatch/guard';\ncreateGuard({ mode: 'halt' });\n`,
    );
    const settings = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { incremental: false, rootDir: root },
      include: ['*.ts'],
      references: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const checked = run(process.execPath, [compiler, '--project', folder]);
    const { stdout } = await checked.catch((error: unknown) => error as { stdout: string });
    expect(stdout.trim()).toMatch(/^\S*wrong\.ts\S* error TS2322: [^\n]*$/);
  });

  it.each(cases)('$name: works', async ({ name, file }) => {
    const { exported = {}, printed = [] } = programs[name]!;
    await using upstream = await startModel();
    await write(new URL(upstream.url).origin);
    const said: string[] = [];
    for (const method of ['log', 'warn'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((...texts) => void said.push(texts.join(' ')));
      onTestFinished(() => spy.mockRestore());
    }
    vi.stubEnv('OPENAI_API_KEY', 'none')
      .stubEnv('ANTHROPIC_API_KEY', 'none')
      .stubEnv('GEMINI_API_KEY', 'none');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await import(join(folder, file))).toMatchObject(exported);
    expect(said).toEqual(printed.map((pattern) => expect.stringMatching(pattern)));
    for (const { headers } of upstream.requests.filter(({ path }) => path.endsWith('/completions')))
      expect(headers['x-session-id']).toBe('checkout-42');
  });

  it('docs/guard.md: the session of the program is on the server', async () => {
    expect(await sessionsAt(host(), 1)).toEqual({ 'order-4711': 1 });
  });
});

it('docs/connect.md: the program for the AI SDK 7 has no type errors', async () => {
  const packages = ['ai@7.0.173', '@ai-sdk/otel@1.0.173'];
  const installed = await cachedFolder('ai-sdk-7.0.173', async (work) => {
    const quiet = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--engine-strict=false',
      '--loglevel=error',
    ];
    await writeFile(join(work, 'package.json'), '{"private":true,"type":"module"}');
    await run('npm', ['install', ...quiet, ...packages], { cwd: work });
  });
  await using dir = await tempDir();
  await symlink(join(installed, 'node_modules'), join(dir.path, 'node_modules'));
  await writeFile(join(dir.path, 'main.mts'), `declare const sessionId: string;\n${later![0]!.text}`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--types', ''];
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
  const { stdout } = await run(process.execPath, [compiler, ...options, ...modules, 'main.mts'], {
    cwd: dir.path,
  });
  expect(stdout).toBe('');
});
