import { type CliProcess, spawnCli, tempDir, waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../server/test/notifications/receiver.ts';

/** Enough of the same call to open an incident. */
const loop = Array.from({ length: 6 }, () =>
  JSON.stringify({ sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } }),
).join('\n');

it('notifications: a server that is killed while sending sends the same message after its restart', async () => {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret: 's' };
  const env = { LOOPWATCH_NOTIFICATIONS: JSON.stringify([entry]) };
  const start = async (): Promise<{ process: CliProcess; url: string }> => {
    const process = spawnCli(['start', '--no-samples', '--port', '0', '--data-dir', dir.path], env);
    onTestFinished(async () => {
      await process.stop('SIGKILL');
    });
    const line = await process.line(/Loopwatch .* is at http/);
    return { process, url: (JSON.parse(line) as { url: string }).url };
  };
  const first = await start();
  // The message has arrived, but the server gets no reply.
  const killed = new Promise<void>((resolve) => {
    receiver.reply = () => {
      process.kill(first.process.pid, 'SIGKILL');
      resolve();
      return {};
    };
  });
  const posted = await fetch(`${first.url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: loop,
  });
  expect(posted.status).toBe(202);
  await killed;
  await first.process.exited;
  receiver.reply = () => ({});
  const second = await start();
  const ids = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const types = () => receiver.received.map(({ json }) => json['type']);
  await waitFor(async () => {
    const response = await fetch(`${second.url}/api/v1/notifications`);
    const { items } = (await response.json()) as { items: { waiting: number; sent: number }[] };
    return items[0]?.waiting === 0 && items[0].sent > 0;
  });
  // The repeated message includes an escalation before the restart.
  expect(types().every((type) => type === 'incident.opened' || type === 'incident.escalated')).toBe(true);
  expect(receiver.received.length).toBeGreaterThan(1);
  const distinct = new Set(ids());
  expect(distinct.size).toBeLessThanOrEqual(2);
  await second.process.stop();
});
