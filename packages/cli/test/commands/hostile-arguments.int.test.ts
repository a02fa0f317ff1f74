import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e';

it.each([
  [[HOSTILE]],
  [[`--${HOSTILE}`]],
  [['replay', `--${HOSTILE}`]],
  [['replay', `${HOSTILE}.jsonl`]],
  [['replay', '--format', HOSTILE, 'events.jsonl']],
  [['config', '--config', `${HOSTILE}.yaml`]],
  [['config', '--config', 'hostile.yaml']],
  [['hook', 'install', `--${HOSTILE}`]],
  [['hook', 'install', 'claude-code', '--project', '--yes']],
  [['tokens', 'create', 'name', '--role', HOSTILE]],
  [['doctor', '--brokers', `${HOSTILE}:1`]],
  [['repair', 'log', '--data-dir', HOSTILE]],
])('hostile arguments, case %#: the command prints nothing that controls a terminal', async (args) => {
  await using dir = await tempDir();
  await mkdir(join(dir.path, '.claude'));
  await writeFile(join(dir.path, '.claude/settings.json'), `{ // ${HOSTILE}\n}`);
  await writeFile(join(dir.path, 'hostile.yaml'), `server:\n  ${JSON.stringify(HOSTILE)}: 1\n`);
  await using cli = spawnCli(args, { HOME: dir.path }, { cwd: dir.path });
  const status = await cli.exited;
  const isSuccess = args.includes('--yes');
  expect(status).toBe(isSuccess ? 0 : 2);
  const printed = [...cli.stdout, ...cli.stderr];
  expect(printed.length).toBeGreaterThan(0);
  expect(printed.join('').replaceAll('\t', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
