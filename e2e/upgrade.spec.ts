import { type CliProcess, freePort, spawnCli, type TempDir, tempDir } from '@loopwatch/testkit';
import { expect, type Page, test } from '@playwright/test';

const sessionsCode = '**/assets/SessionsPage-*.js';

/** Counts how often the page is loaded. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  return () => loads;
}

let folder: TempDir;
let server: CliProcess;
let port: string;
let url: string;

async function start(): Promise<void> {
  const args = ['start', '--port', port, '--data-dir', folder.path, '--no-samples'];
  server = spawnCli(args, {}, { from: 'build' });
  await server.line(/Loopwatch .* is at http/);
}

test.beforeAll(async () => {
  folder = await tempDir();
  port = String(await freePort());
  url = `http://localhost:${port}`;
  await start();
});

test.afterAll(async () => {
  await server.stop();
  await folder.remove();
});

test('server restart: a page opened meanwhile shows that the server is unavailable, and recovers by itself', async ({
  page,
}) => {
  await page.goto(`${url}/incidents`);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  expect(await server.stop('SIGTERM')).toBe(0);

  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect(page.getByRole('heading', { name: 'The server is unavailable' })).toBeVisible();
  await expect(page).toHaveURL(`${url}/sessions`);
  const loads = countLoads(page);
  await start();
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();
  expect(loads()).toBe(1);
});

test('upgrade: a page whose assets were renamed reloads itself once', async ({ page }) => {
  await page.goto(`${url}/incidents`);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();

  const loads = countLoads(page);
  // The file names that this page knows are gone; those of the next load exist.
  await page.route(sessionsCode, (route) =>
    loads() === 0 ? route.fulfill({ status: 404 }) : route.continue(),
  );
  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();
  expect(loads()).toBe(1);

  await page.goto(`${url}/incidents`);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await page.unroute(sessionsCode);
  await page.route(sessionsCode, (route) => route.fulfill({ status: 404 }));
  const before = loads();
  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect(page.getByRole('heading', { name: 'The code of this page is missing' })).toBeVisible();
  expect(loads(), 'reloads that did not help').toBe(before + 1);
});
