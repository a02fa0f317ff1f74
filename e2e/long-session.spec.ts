import { expect, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine } from './support/page.ts';

const LOOP = 12;

let server: OwnServer;
let url: string;

/** Sessions of 10,000 and 100,000 events, each with a loop in the middle. */
test.beforeAll(async () => {
  server = await startOwnServer();
  url = server.url;
  for (const count of [10_000, 100_000]) await send(`s-${String(count)}`, count);
});

async function send(sessionId: string, count: number): Promise<void> {
  const start = Date.now() - count * 10;
  const lines = Array.from({ length: count }, (_, i) => {
    const isLoop = i >= count / 2 && i < count / 2 + 2 * LOOP;
    const step = Math.floor(i / 2);
    const part =
      i === count - 1
        ? { type: 'session_ended' }
        : i === 0
          ? { type: 'prompt_started', text: 'Sort the drawers of customer ACME' }
          : i % 2 === 0
            ? {
                type: 'tool_call_request',
                name: isLoop ? 'open_drawer' : 'read_page',
                args: isLoop ? {} : { step },
              }
            : { type: 'tool_result', result: isLoop ? 'it is stuck' : `page ${String(step)}` };
    return JSON.stringify({ sessionId, agent: 'clerk', time: start + i * 10, ...part });
  });
  for (let from = 0; from < count; from += 20_000) {
    const response = await fetch(`${url}/api/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.slice(from, from + 20_000).join('\n'),
    });
    expect(response.status).toBe(202);
  }
  await expect
    .poll(async () => {
      const answer = await fetch(`${url}/api/v1/sessions/${sessionId}`);
      return answer.ok ? ((await answer.json()) as { events: number }).events : 0;
    })
    .toBe(count);
}

test.afterAll(async () => {
  await server.stop();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

for (const count of [10_000, 100_000]) {
  test(`session: a link leads to an event of ${String(count)} by one request for events`, async ({
    page,
  }) => {
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events?')) requests.push(request.url());
    });
    const at = count - 110;
    await page.goto(`${url}/sessions/s-${String(count)}?at=${String(at)}`);
    const marked = page.locator('li[aria-current="true"]');
    await expect(marked).toContainText(`#${String(at)}`);
    await expect(marked).toBeInViewport();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sort the drawers of customer ACME');
    expect(requests).toHaveLength(1);
  });
}

test('session: its map, search and replay lead to events that are not loaded', async ({ page }) => {
  await page.goto(`${url}/sessions/s-10000?at=10`);
  const marked = page.locator('li[aria-current="true"]');
  await expect(marked).toContainText('read_page');
  await page.getByLabel('Search in this session').fill('page 4321');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Matches' }).getByRole('button').first().click();
  await expect(marked).toContainText('#8642');
  await expect(marked).toBeInViewport();
  await page.getByRole('button', { name: 'Play through the loop' }).click();
  await expect(marked).toContainText('open_drawer');
  await expect(page.getByRole('group', { name: 'Replay of the loop' })).toContainText(`step ${String(LOOP)}`);
  await expect(marked).toContainText(`#${String(5_000 + 2 * (LOOP - 1))}`);
  // Also back to an earlier event.
  await page.getByLabel('Search in this session').fill('page 1234');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Matches' }).getByRole('button').first().click();
  await expect(marked).toContainText('#2468');
  await expect(marked).toBeInViewport();
  await page.getByLabel('Position in the session').press('End');
  await expect(page).toHaveURL(/at=9999/);
  await marked.getByRole('button', { expanded: false }).click();
  await expect(marked).toContainText('Session ended');
  await expectFine(page, 'Whole session');
});
