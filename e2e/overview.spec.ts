import { type CliProcess, freePort, spawnCli, type TempDir, tempDir } from '@loopwatch/testkit';
import { expect, test } from '@playwright/test';
import { expectLive } from './support/page.ts';

let folder: TempDir;
let server: CliProcess;
let url: string;

test.beforeEach(async () => {
  folder = await tempDir();
  const port = String(await freePort());
  url = `http://localhost:${port}`;
  const args = ['start', '--port', port, '--data-dir', folder.path, '--no-samples'];
  server = spawnCli(args, {}, { from: 'build' });
  await server.line(/Loopwatch .* is at http/);
});

test.afterEach(async () => {
  await server.stop('SIGTERM');
  await folder.remove();
});

/** The same call of a session so many times. */
async function call(sessionId: string, times: number): Promise<void> {
  const event = { sessionId, type: 'tool_call_request', name: 'ping', args: { host: 'a' } };
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: times }, () => JSON.stringify(event)).join('\n'),
  });
  expect(response.status).toBe(202);
}

test('after 120 identical calls the page says 120, and a minute later that it is quiet', async ({ page }) => {
  test.setTimeout(150_000);
  await call('s-burst', 120);
  await page.goto(url);
  await expectLive(page);
  const looping = page.getByRole('table', { name: 'Open incidents, newest first' });
  await expect(looping).toContainText('ping');
  await expect(looping).toContainText('120 times', { timeout: 15_000 });
  await looping.getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('120 times');
  await expect(page.getByText(/^no events since/)).toBeVisible({ timeout: 90_000 });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('120 times');
  await page.goto(url);
  await expect(page.getByText('No session is looping.')).toBeVisible();
});
