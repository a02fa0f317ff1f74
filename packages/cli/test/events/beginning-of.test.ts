import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { beginningOf } from '../../src/events/beginning-of.ts';

it('the beginning of a file: at most as many bytes as asked for, and none of what is no file', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'a');
  await writeFile(file, 'abc');
  expect(beginningOf(file, 2)?.toString()).toBe('ab');
  expect(beginningOf(file, 9)?.toString()).toBe('abc');
  expect(beginningOf(dir.path, 2)).toBeUndefined();
  expect(beginningOf(join(dir.path, 'b'), 2)).toBeUndefined();
});

it('the beginning of a pipe is left in it', async () => {
  const source = JSON.stringify(new URL('../../src/events/beginning-of.ts', import.meta.url).href);
  const script = `import { beginningOf } from ${source}; beginningOf('/dev/stdin', 2); process.stdin.pipe(process.stdout);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  child.stdin.end('abc');
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(out).toBe('abc');
});
