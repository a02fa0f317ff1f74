import { type CliProcess, freePort, spawnCli, type TempDir, tempDir } from '@loopwatch/testkit';
import { expect, type Page, test } from '@playwright/test';
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

/** The same call of a session, `times` times. */
async function call(sessionId: string, times: number): Promise<void> {
  const event = { sessionId, type: 'tool_call_request', name: 'ping', args: { host: 'a' } };
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: times }, () => JSON.stringify(event)).join('\n'),
  });
  expect(response.status).toBe(202);
}

/** The number of open incidents, read at one moment from every part of the overview that shows it. */
function openEverywhere(page: Page): Promise<Readonly<Record<string, number>>> {
  return page.evaluate(() => {
    const numberIn = (text: string | null | undefined) => Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
    const tiles = document.querySelector('section[aria-label="Key figures"]')?.textContent ?? '';
    const detectors = [...document.querySelectorAll('section')].find(
      (section) => section.querySelector('h2')?.textContent === 'By detector',
    );
    return {
      card: numberIn(/Open now(\d+)/.exec(tiles)?.[1]),
      list: document.querySelectorAll('table[aria-label="Open incidents, newest first"] tbody tr').length,
      table: [...(detectors?.querySelectorAll('tbody tr td:nth-child(4)') ?? [])].reduce(
        (sum, cell) => sum + numberIn(cell.textContent),
        0,
      ),
      badge: numberIn(document.querySelector('nav a[href="/incidents"]')?.textContent.replace(/^\D+/, '')),
      tab: numberIn(/^\((\d+)\)/.exec(document.title)?.[1]),
    };
  });
}

test('overview: card, list, table, badge and tab title always agree under traffic', async ({ page }) => {
  await page.goto(url);
  await expectLive(page);
  const seen = new Set<number>();
  for (let looping = 1; looping <= 5; looping += 1) {
    await call(`s-${String(looping)}`, 12);
    await expect
      .poll(
        async () => {
          const open = await openEverywhere(page);
          expect(new Set(Object.values(open)).size, JSON.stringify(open)).toBe(1);
          return open['card'];
        },
        { intervals: [50], timeout: 15_000 },
      )
      .toBe(looping);
    seen.add(looping);
  }
  expect([...seen]).toEqual([1, 2, 3, 4, 5]);
});

test('overview: counts 120 identical calls, and shows the loop as quiet after a minute', async ({ page }) => {
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
