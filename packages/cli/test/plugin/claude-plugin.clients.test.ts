import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, modelReply, startScriptedUpstream, tempDir } from '@loopwatch/testkit';
import { blocksCheckedBy, root } from '@loopwatch/testkit/documented';
import { expect, inject, it, onTestFinished } from 'vitest';
import { commandFile } from '../../src/runtime/installation.ts';
import { startedServer } from '../hooks/hook-runs.ts';

const run = promisify(execFile);
const plugin = 'clients/claude-code';

const agents = inject('codingAgents');

/** What Claude Code loads from a clone: in a folder of its own, because its hooks call one server. */
async function cloneFor(url: string, folder: string): Promise<string> {
  const clone = join(folder, 'loopwatch');
  for (const part of ['.claude-plugin', plugin])
    await cp(join(root, part), join(clone, part), { recursive: true });
  const hooks = join(clone, plugin, 'hooks/hooks.json');
  const text = await readFile(hooks, 'utf8');
  // The other tests on this machine must not make the hooks give up or pause: eight times as long.
  const patient = text.replaceAll('-m 0.5 ', '-m 4 ').replaceAll('/50000)', '/400000)');
  await writeFile(hooks, patient.replaceAll('http://localhost:4600', url));
  return clone;
}

it('Claude Code finds no fault in the plugin, nor in its marketplace', async () => {
  for (const path of ['.', plugin]) {
    const { stdout } = await run(join(agents, 'claude'), [
      'plugin',
      'validate',
      '--strict',
      join(root, path),
    ]);
    expect(stdout).toContain('Validation passed');
  }
});

it('Claude Code, with the plugin installed as documented, is denied the fourth call of a loop and can ask', async () => {
  const folder = await tempDir();
  onTestFinished(() => folder.remove());
  const home = folder.path;
  const port = String(await freePort());
  await startedServer(port);
  await cloneFor(`http://localhost:${port}`, home);
  const bin = join(home, 'bin');
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${commandFile}" "$@"\n`;
  await writeFile(join(bin, 'npx'), npx);
  await chmod(join(bin, 'npx'), 0o755);
  const file = join(home, 'absent.ts');
  const answers: string[] = [];
  await using model = await startScriptedUpstream((request, index) => {
    const said = request.bytes.toString();
    answers.push(said);
    if (index > 12) return modelReply(request, { text: 'I give up.' });
    if (said.includes('Loopwatch denied this call')) return modelReply(request, { text: 'I stop here.' });
    return modelReply(request, {
      text: 'Let me look.',
      calls: [{ name: 'Read', args: { file_path: file } }],
    });
  });
  const env = {
    HOME: home,
    PATH: `${bin}:${agents}:${process.env['PATH'] ?? ''}`,
    ANTHROPIC_BASE_URL: model.url.replace(/\/v1$/, ''),
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const [, fromClone] = blocksCheckedBy(import.meta.url).filter(({ language }) => language === 'sh');
  await run('bash', ['-ec', fromClone?.text ?? 'exit 1'], { cwd: home, env });
  const listed = await run('claude', ['mcp', 'list'], { cwd: home, env });
  expect(listed.stdout).toMatch(/loopwatch: npx -y loopwatch mcp - .* Connected/);

  const args = ['--print', 'Read absent.ts.', '--allowedTools', 'Read'];
  const child = run('claude', args, { cwd: home, env });
  child.child.stdin?.end();
  expect((await child).stdout).toContain('I stop here.');
  expect(answers.filter((said) => said.includes('Loopwatch denied this call'))).toHaveLength(1);
  // Its tools are offered to the model.
  expect(answers.join('\n')).toContain('check_for_loop');
});
