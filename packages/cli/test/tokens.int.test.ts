import { freePort, spawnCli } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { dataDir } from '../../server/test/server-runs.ts';

const LOOPWATCH_API_TOKEN = 'the-operators-token';

it('loopwatch tokens: creates, lists and revokes tokens of a running server', async () => {
  const port = String(await freePort());
  const server = spawnCli(['start', '--no-samples', '--port', port, '--data-dir', await dataDir()], {
    LOOPWATCH_API_TOKEN,
  });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  await server.line(/Loopwatch .* is at http/);
  const url = `http://127.0.0.1:${port}`;
  const tokens = async (...args: string[]) => {
    const cli = spawnCli(['tokens', ...args, '--server', url], { LOOPWATCH_API_TOKEN });
    const exit = await cli.exited;
    return { exit, stdout: cli.stdout, stderr: cli.stderr.join('\n') };
  };
  const post = async (token: string) =>
    (
      await fetch(`${url}/api/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{"sessionId":"s-1","type":"session_ended"}',
      })
    ).status;

  const created = await tokens('create', 'billing agent', '--role', 'producer', '--expires', '90d');
  expect(created).toMatchObject({ exit: 0, stdout: [expect.stringMatching(/^lw_[0-9a-f]{64}$/)] });
  expect(created.stderr).toContain('only time');
  const token = created.stdout[0] ?? '';
  expect(await post(token)).toBe(202);

  await expect
    .poll(async () => (await tokens('list')).stdout[1])
    .toMatch(
      /^billing agent {2}producer {2}[-\d]+ [\d:]+Z {2}[-\d]+ [\d:]+Z {2}[-\d]+ [\d:]+Z {2}[-\da-f]{36}$/,
    );
  expect(await tokens('create', 'billing agent', '--role', 'viewer')).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('There is a token named billing agent'),
  });
  expect(await tokens('revoke', 'billing')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('no token is named billing'),
  });
  expect(await tokens('revoke', 'billing agent')).toMatchObject({
    exit: 0,
    stdout: ['Revoked billing agent'],
  });
  expect(await post(token)).toBe(401);
  expect(await tokens('list')).toMatchObject({
    exit: 0,
    stdout: [],
    stderr: expect.stringContaining('There are no tokens'),
  });
});

it.each([
  ['without a role', ['create', 'a'], '--role'],
  ['with a role that does not exist', ['create', 'a', '--role', 'admin'], 'producer, viewer, operator'],
  ['with a time that is none', ['create', 'a', '--role', 'viewer', '--expires', 'soon'], 'Expected 90d'],
])('loopwatch tokens: refuses to create a token %s', async (_case, args, named) => {
  const cli = spawnCli(['tokens', ...args]);
  expect(await cli.exited).toBe(2);
  expect(cli.stderr.join('\n')).toContain(named);
});
