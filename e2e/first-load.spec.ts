import { expect, type Page, test } from '@playwright/test';
import { type Running, startDashboard } from './support/running.ts';

let server: Running;

test.beforeAll(async () => {
  server = await startDashboard();
});

test.afterAll(async () => {
  await server.stop();
});

test.use({ viewport: { width: 1440, height: 900 } });

interface Transfer {
  readonly path: string;
  /** Of headers and body, as sent. */
  bytes: number;
}

/** Records what the page loads, as the browser's own tools count it; that is without what WebSockets carry. */
async function recordTransfers(page: Page): Promise<Transfer[]> {
  const transfers = new Map<string, Transfer>();
  const list: Transfer[] = [];
  const devtools = await page.context().newCDPSession(page);
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!request.url.startsWith('http')) return;
    const transfer = { path: request.url.replace(server.url, ''), bytes: 0 };
    transfers.set(requestId, transfer);
    list.push(transfer);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const transfer = transfers.get(requestId);
    if (transfer !== undefined) transfer.bytes = encodedDataLength;
  });
  await devtools.send('Network.enable');
  return list;
}

test('first visit: the overview with its charts takes few requests, none of them twice, and less than 245 kB', async ({
  page,
}) => {
  const transfers = await recordTransfers(page);
  await page.goto(server.url);
  await expect(page.getByRole('table', { name: 'Open loops, newest first' })).toBeVisible();
  await expect(page.locator('canvas').first()).toBeVisible();
  await page.waitForLoadState('networkidle');

  const table = transfers.map(({ path, bytes }) => `${String(bytes)} ${path}`).join('\n');
  const paths = transfers.map(({ path }) => path);
  expect(new Set(paths).size, table).toBe(paths.length);
  expect(transfers.length, table).toBeLessThanOrEqual(15);
  const total = transfers.reduce((sum, { bytes }) => sum + bytes, 0);
  // Less would mean that something was not counted.
  expect(total, table).toBeGreaterThan(150_000);
  expect(total, table).toBeLessThan(245_000);
});
