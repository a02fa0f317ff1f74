import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitFor } from '@loopwatch/testkit';
import { blocksCheckedBy, root } from '@loopwatch/testkit/documented';
import { expect, it } from 'vitest';
import { sharedServer } from './server.ts';

const run = promisify(execFile);
const host = sharedServer();
const [, ...blocks] = blocksCheckedBy(import.meta.url);
const commands = blocks.flatMap(({ text }) => text.trim().split('\n'));

interface Found {
  readonly agent: string;
  readonly title: string;
  readonly evidence: unknown;
}

async function incidents(): Promise<readonly Found[]> {
  const response = await fetch(`http://${host()}/api/v1/incidents`);
  return ((await response.json()) as { items: Found[] }).items;
}

it('examples: each agent has a command that watches it and one that stops it', () => {
  expect(commands.map((command) => /(\S+)\/agent\.(ts|py)( --stop)?$/.exec(command)?.slice(1))).toEqual([
    ['examples/order-desk', 'ts', undefined],
    ['examples/order-desk', 'py', undefined],
    ['examples/order-desk', 'ts', ' --stop'],
    ['examples/order-desk', 'py', ' --stop'],
  ]);
});

it.each(commands)('%s', async (command) => {
  const before = await incidents();
  const env = { ...process.env, LOOPWATCH_URL: `http://${host()}` };
  const { stdout } = await run('bash', ['-c', command], { cwd: root, env });
  const calls = stdout.split('\n').filter((line) => /^\d+\. find_order\(4711\): No order 4711\.$/.test(line));
  const isStopped = command.endsWith('--stop');
  expect(calls).toHaveLength(isStopped ? 3 : 20);
  expect(stdout.includes('\n4. find_order(4711): Loopwatch denied this call: ')).toBe(isStopped);
  expect(/^Ended: .*was called 3 times in a row with the same result/m.test(stdout)).toBe(isStopped);
  const found = await waitFor(async () => {
    const after = await incidents();
    return after.length > before.length && after;
  });
  expect(found[0]).toMatchObject({ agent: 'order-desk' });
  expect(found[0]?.title).toMatch(/^find_order ×/);
});
