import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

it('loopwatch: on a full disk, a command says that it cannot write its output', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--conditions=@loopwatch/source', main, 'config'],
    { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] },
  );
  expect([status, stderr]).toEqual([1, 'Cannot write the output: ENOSPC: no space left on device, write\n']);
});
