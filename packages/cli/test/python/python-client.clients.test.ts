import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith, spawnCli, tempDir } from '@loopwatch/testkit';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
const client = join(root, 'clients/python');
const crewai = join(client, 'tests/crewai-requirements.txt');
const suites = readdirSync(join(client, 'tests')).filter((name) => name.startsWith('test_'));

let url: string;
/** The folder that the wheel is installed to. */
let installed: string;
const started: AsyncDisposable[] = [];

beforeAll(async () => {
  const folder = await tempDir();
  const data = join(folder.path, 'data');
  const server = spawnCli(['start', '--no-samples', '--port', '0', '--data-dir', data]);
  installed = join(folder.path, 'installed');
  started.push(folder, server);
  [url = ''] = /http:[^\s"]+/.exec(await server.line(/Loopwatch .* is at http/)) ?? [];
});

afterAll(async () => {
  for (const each of started.toReversed()) await each[Symbol.asyncDispose]();
});

/** Installs the wheel, and nothing else. @param args where */
async function installWheel(python: string, ...args: readonly string[]): Promise<void> {
  const packages = join(root, '.cache/packages');
  const wheel = readdirSync(packages).find((name) => name.endsWith('.whl')) ?? 'no wheel';
  await output(python, ['-m', 'pip', 'install', '--quiet', '--no-index', ...args, join(packages, wheel)]);
}

/** What a command wrote; its error contains the output. */
async function output(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: client, env: { ...process.env, LOOPWATCH_URL: url, ...env } };
  const { stdout, stderr } = await run(program, args, options);
  return stdout + stderr;
}

describe('the Python client', () => {
  // The README's examples run as a reader has them: on the wheel.
  it.each(suites)('%s', async (suite) => {
    const args = ['-W', 'ignore', join('tests', suite)];
    const python = suite === 'test_crewai.py' ? await pythonWith(crewai) : inject('clientsPython');
    const isReadme = suite === 'test_readme.py';
    if (isReadme) await installWheel(python, '--target', installed);
    // Otherwise LiteLLM downloads its prices.
    const env = {
      PYTHONPATH: isReadme ? installed : join(client, 'src'),
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    };
    const printed = await output(python, args, env);
    expect(printed).toMatch(/Ran \d+ tests? in .*\n\nOK/);
  });

  it('has types that hold, where it needs no framework', async () => {
    const python = await pythonWith(join(client, 'tests/mypy-requirements.txt'));
    const checked = output(python, [
      '-m',
      'mypy',
      '--strict',
      '--cache-dir=/dev/null',
      'src/loopwatch/__init__.py',
    ]);
    expect(await checked).toMatch(/^Success/);
  });

  it('README.md: its examples are those that test_readme.py runs, and its packages exist', () => {
    const blocks = blocksCheckedBy(import.meta.url, 'clients/python/README.md');
    const examples = blocks.filter(({ language }) => language === 'python');
    const tested = /assertEqual\(len\(EXAMPLES\), (\d+)\)/.exec(
      readFileSync(join(client, 'tests/test_readme.py'), 'utf8'),
    )?.[1];
    expect(examples).toHaveLength(Number(tested));
    const [guardrail] = blocks.filter(({ language }) => language === 'yaml').map(({ text }) => text);
    expect(guardrail).toContain('guardrail: loopwatch_guardrail.guardrail\n');
    expect(examples.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^guardrail = LoopwatchGuardrail$/m),
    );
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
    const project = /^name = "(.+)"$/m.exec(readFileSync(join(client, 'pyproject.toml'), 'utf8'))?.[1];
    const { name } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
      name: string;
    };
    expect(commands).toEqual([expect.stringContaining(`pip install ${project}\nnpx ${name} start `)]);
  });

  it('installs from its wheel without any dependency, and stops a loop', async () => {
    const folder = await tempDir();
    started.push(folder);
    await output('python3', ['-m', 'venv', folder.path]);
    const python = join(folder.path, 'bin/python');
    await installWheel(python);
    const script = [
      'import os, loopwatch',
      'guard = loopwatch.Guard(os.environ["LOOPWATCH_URL"], timeout=60)',
      'read = guard.tool(lambda path: "not found", name="read")',
      'print([read("a") == "not found" for _ in range(5)], guard.stopped)',
    ].join('\n');
    expect(await output(python, ['-c', script])).toBe('[True, True, True, False, False] False\n');
  });
});
