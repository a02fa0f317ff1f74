import { expect, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine } from './support/page.ts';

let server: OwnServer;
let url: string;

/** Two agents that loop, one more often than the other. */
test.beforeAll(async () => {
  server = await startOwnServer();
  url = server.url;
  const loop = (sessionId: string, agent: string, env: string, time = Date.now()) =>
    Array.from({ length: 6 }, () => ({
      time,
      sessionId,
      agent,
      agentVersion: '1.2.0',
      tags: { env },
      model: 'gpt-5-mini',
      backend: 'openai',
      type: 'tool_call_request',
      name: 'open_drawer',
      args: { n: 0 },
    }));
  const events = [
    ...loop('s-1', 'coder', 'prod'),
    ...loop('s-2', 'coder', 'test'),
    ...loop('s-3', 'writer', 'prod'),
    // No loop: it counts in the rate.
    ...loop('s-4', 'coder', 'prod').slice(0, 1),
    // In the previous period: without any loop before, none is new.
    ...loop('s-0', 'writer', 'prod', Date.now() - 10 * 24 * 3_600_000),
  ];
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  });
  expect(response.status).toBe(202);
  await expect
    .poll(async () => ((await (await fetch(`${url}/api/v1/incidents`)).json()) as { total: number }).total)
    .toBe(4);
});

test.afterAll(async () => {
  await server.stop();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

test('breakdown: agents compared with the previous period, at most three clicks from the overview', async ({
  page,
}) => {
  await page.goto(url);
  await page.getByRole('link', { name: 'Compare agents' }).click();
  const coder = page.getByRole('row', { name: /coder/ });
  await expect(coder.getByRole('cell').first()).toHaveText('2new');
  await expect(coder.getByTitle('2 loops in 3 sessions')).toContainText('67');
  await page.getByRole('button', { name: 'Highest cost' }).click();
  await page.getByRole('menuitem', { name: 'Largest increase in loops' }).click();
  await expect(page).toHaveURL(/sort=-increase/);
  await expect(page.locator('tbody tr').first()).toContainText('coder');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Largest increase in loops' })).toBeVisible();
  await coder.getByRole('link', { name: 'coder' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page).toHaveURL(/agent=coder/);
});

test('breakdown: by a tag, whose rows lead to the incidents that have it', async ({ page }) => {
  await page.goto(`${url}/breakdown`);
  await page.getByRole('textbox', { name: 'Tag name' }).fill('env');
  await page.getByRole('button', { name: 'Group by tag' }).click();
  await expect(page.getByRole('heading', { name: 'By tag env' })).toBeVisible();
  await page.getByRole('link', { name: 'test' }).click();
  await expect(page.getByRole('button', { name: /tag env:test/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem')).toHaveCount(
    1,
  );
});

test('breakdown: is printed without its buttons', async ({ page }) => {
  await page.goto(`${url}/breakdown?by=agent`);
  await expect(page.getByText('writer')).toBeVisible();
  const copy = page.getByRole('button', { name: 'Copy link' });
  await expect(copy).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(copy).toBeHidden();
  await expect(page.getByText('writer')).toBeVisible();
});

test('breakdown: is accessible and fits the screen at any width', async ({ page }) => {
  await page.goto(`${url}/breakdown?by=agent`);
  await expectFine(page, 'writer');
});

test('tuning: a number that was moved survives a reload, and is applied to the server', async ({ page }) => {
  await page.goto(`${url}/tuning?of=recent`);
  const slider = page.getByRole('slider', { name: 'Same call in a row' });
  await slider.focus();
  await slider.press('ArrowRight');
  await expect(page).toHaveURL(/set=tool_call_loop.max_repeats/);
  const moved = await slider.inputValue();
  await page.reload();
  await expect(slider).toHaveValue(moved);
  await page.getByRole('button', { name: 'Apply to …' }).click();
  await page.getByRole('menuitem', { name: 'the server' }).click();
  await expect(page.getByRole('dialog')).toContainText('tool_call_loop.max_repeats');
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  const own = async () =>
    ((await (await fetch(`${url}/api/v1/settings/server`)).json()) as { set: Record<string, unknown> }).set;
  await expect.poll(own).toEqual({ 'tool_call_loop.max_repeats': Number(moved) });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(own).toEqual({});
});
