import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, test } from '@playwright/test';
import { rows as rowsOf } from './support/page.ts';

test('first start: shows and counts loops of the sample sessions within a minute, and keeps incidents across a restart', async ({
  page,
}) => {
  await using folder = await tempDir();
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const args = ['start', '--port', port, '--data-dir', folder.path];
  await using first = spawnCli(args, {}, { from: 'build' });
  await first.line(/Loopwatch .* is at http/);

  // While a row fades in, its contrast is not the final one.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`${url}/incidents`);
  const rows = rowsOf(page);
  await expect(rows.filter({ hasText: 'content-repeat' }).first()).toBeVisible();
  await expect(rows.filter({ hasText: 'tool-repeat' }).first()).toBeVisible();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(
    /loopwatch_verdicts_total\{detector="content-repeat",phase="opened",action="chance"\} [1-9]/,
  );
  expect(metrics).toMatch(
    /loopwatch_verdicts_total\{detector="tool-repeat",phase="opened",action="chance"\} [1-9]/,
  );

  const posted = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: 5 }, () =>
      JSON.stringify({ sessionId: 'posted', type: 'tool_call_request', name: 'ping', args: { host: 'a' } }),
    ).join('\n'),
  });
  expect(posted.status).toBe(202);
  await expect(rows.filter({ hasText: /ping ×5/ })).toBeVisible();

  expect(await first.stop('SIGTERM')).toBe(0);
  await using second = spawnCli([...args, '--no-samples'], {}, { from: 'build' });
  await second.line(/Loopwatch .* is at http/);
  await page.goto(`${url}/incidents`);
  await expect(rows.filter({ hasText: /ping ×5/ })).toBeVisible();
});
