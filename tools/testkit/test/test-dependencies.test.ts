import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../src/index.ts';

const root = join(import.meta.dirname, '../../..');
const script = join(root, 'scripts/test-dependencies.ts');

/** A machine with everything: what each command does. */
const complete = {
  java: 'echo \'openjdk version "21.0.2" 2024-01-16\' >&2',
  javac: 'exit 0',
  mvn: 'exit 0',
  prometheus: 'exit 0',
  promtool: 'exit 0',
  python3: 'exit 0',
  id: 'echo 0',
  'apt-get': '[ -z "$CALLS" ] || echo "$*" >>"$CALLS"',
};
type Machine = Partial<typeof complete>;

let folder: TempDir;
afterEach(() => folder.remove());

async function run(machine: Machine) {
  folder = await tempDir();
  for (const [name, script] of Object.entries(machine))
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const calls = join(folder.path, 'calls');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], {
    cwd: root,
    encoding: 'utf8',
    // A browser, wherever this machine has its own.
    env: { PATH: folder.path, CALLS: calls, CHROMIUM_PATH: process.execPath },
  });
  const installed = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').slice(0, -1) : [];
  return { status, stderr, installed };
}

function without(...names: readonly (keyof Machine)[]): Machine {
  return Object.fromEntries(
    Object.entries(complete).filter(([name]) => !names.includes(name as keyof Machine)),
  );
}

const install = 'install -y -q --no-install-recommends';

describe('test dependencies', () => {
  it('installs nothing on a complete machine', async () => {
    expect(await run(complete)).toEqual({ status: 0, stderr: '', installed: [] });
  });

  it.each<[what: string, machine: Machine, packages: string]>([
    ['a missing command', without('mvn'), 'maven'],
    ['half of a package', without('promtool'), 'prometheus'],
    [
      'a Java that is too old',
      { ...complete, java: 'echo \'openjdk version "11.0.2"\' >&2' },
      'default-jdk-headless',
    ],
    ['a Python without environments', { ...complete, python3: 'exit 1' }, 'python3-venv'],
  ])('installs %s as root', async (_what, machine, packages) => {
    const installed = ['update -q', `${install} ${packages}`];
    expect(await run(machine)).toEqual({ status: 0, stderr: '', installed });
  });

  it.each<[who: string, machine: Machine, command: string]>([
    [
      'another user',
      { ...without('mvn', 'python3'), id: 'echo 1000' },
      `sudo apt-get update -q && sudo apt-get ${install} maven python3 python3-venv`,
    ],
    ['a machine without APT', without('mvn', 'python3', 'apt-get'), 'brew install maven python'],
  ])('tells %s the command and installs nothing', async (_who, machine, command) => {
    const { status, stderr, installed } = await run(machine);
    expect({ status, installed }).toEqual({ status: 1, installed: [] });
    expect(stderr).toContain(`\n  ${command}\n`);
  });

  it('fails when APT fails', async () => {
    const { status, stderr } = await run({ ...without('mvn'), 'apt-get': 'exit 100' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'Could not install maven: apt-get update -q failed\n',
    });
  });
});
