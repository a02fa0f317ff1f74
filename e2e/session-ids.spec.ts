import { expect, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';

/** Ids that mean something in a URL, or that browsers rewrite. */
const ids = [
  '.',
  '..',
  '~..',
  '...',
  '%2e',
  '%2E%2E',
  'a/b',
  '/',
  'a?b#c',
  'a b+c',
  '日本語 🙂',
  '~',
  '%',
  '\\',
  'a;b&c=d',
];

let server: OwnServer;

test.beforeAll(async () => {
  server = await startOwnServer();
  const lines = ids.map((sessionId, index) =>
    JSON.stringify({
      sessionId,
      time: Date.now() - index,
      type: 'prompt_started',
      text: `Prompt of ${sessionId}`,
    }),
  );
  const response = await fetch(`${server.url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(response.status).toBe(202);
  await expect
    .poll(async () => {
      const answer = await fetch(`${server.url}/api/v1/sessions`);
      return ((await answer.json()) as { total: number }).total;
    })
    .toBe(ids.length);
});

test.afterAll(async () => {
  await server.stop();
});

test('session: its page opens by its link and its address, whatever its id', async ({ page }) => {
  const heading = page.getByRole('heading', { level: 1 });
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await page.setViewportSize({ width: 700, height: 900 });
  for (const id of ids) {
    await page.goto(`${server.url}/sessions`);
    await page.getByRole('link', { name: `Prompt of ${id}`, exact: true }).click();
    await expect(heading).toHaveText(`Prompt of ${id}`);
    await expect(transcript).toContainText(`Prompt of ${id}`);
    await page.reload();
    await expect(heading).toHaveText(`Prompt of ${id}`);
    await expect(transcript).toContainText(`Prompt of ${id}`);
  }
});
