import { expect, type Page, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine, expectNoViolations } from './support/page.ts';

const LOOPWATCH_API_TOKEN = 'the-operators-token';
const LOOPWATCH_VIEWER_TOKEN = 'the-viewers-token';
let server: OwnServer;
let url: string;

test.beforeAll(async () => {
  server = await startOwnServer({ LOOPWATCH_API_TOKEN, LOOPWATCH_VIEWER_TOKEN });
  url = server.url;
});

test.afterAll(async () => {
  await server.stop();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

async function logIn(page: Page, path: string, token = LOOPWATCH_API_TOKEN): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function statusWith(token: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: '{"sessionId":"s-1","name":"read_file"}',
  });
  return answer.status;
}

test('tokens: one is created, shown once, used, and revoked', async ({ page }) => {
  await logIn(page, '/settings');
  await page.getByRole('main').getByRole('link', { name: 'Tokens' }).click();
  await expect(page.getByRole('heading', { name: 'No tokens yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New token' }).click();
  const form = page.getByRole('dialog', { name: 'New token' });
  await form.getByRole('button', { name: 'Create token' }).click();
  await expect(form.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/);
  await expectNoViolations(page);
  await form.getByLabel('Name').fill('billing agent');
  await form.getByRole('button', { name: '30 days' }).click();
  await form.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token for billing agent' });
  const token = (await shown.getByLabel('Token', { exact: true }).textContent()) ?? '';
  expect(token).toMatch(/^lw_[0-9a-f]{64}$/);
  await expectNoViolations(page);
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(/Never used · expires /)).toBeVisible();
  expect(await page.content()).not.toContain(token);

  expect(await statusWith(token)).toBe(200);
  await page.reload();
  await expect(page.getByText(/Last used /)).toBeVisible();
  await expectFine(page, 'billing agent');

  // The name is taken.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'New token' }).click();
  await form.getByLabel('Name').fill('billing agent');
  await form.getByRole('button', { name: 'Create token' }).click();
  await expect(form.getByLabel('Name')).toHaveAccessibleDescription(/There is a token named billing agent/);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Revoke billing agent' }).click();
  await page.getByRole('button', { name: 'Revoke billing agent now' }).click();
  await expect(page.getByText('Revoked billing agent')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No tokens yet' })).toBeVisible();
  expect(await statusWith(token)).toBe(401);
});

test('audit log: lists who changed what, filters by action, who and target, and loads more', async ({
  page,
}) => {
  const change = async (user: string, scope: string, repeats: number) => {
    const answer = await fetch(`${url}/api/v1/settings/${encodeURIComponent(scope)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${LOOPWATCH_API_TOKEN}`, 'loopwatch-user': user },
      body: JSON.stringify({ set: { 'tool_cycle.min_repeats': repeats } }),
    });
    expect(answer.status).toBe(200);
  };
  for (let n = 0; n < 60; n += 1) await change('ann', 'server', 3 + (n % 7));
  await change('ben', 'model:openai/gpt-5-mini', 4);
  await logIn(page, '/settings/audit');
  const entries = page.getByRole('region', { name: 'Changes' }).locator('> ul > li, ul > li:has(time)');
  await expect(entries).toHaveCount(50);
  await expect(entries.first()).toContainText('ben');
  await expectFine(page, 'changed settings');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(entries.nth(60)).toBeVisible();

  await entries.first().getByText('1 override after this change').click();
  await expect(entries.first()).toContainText('tool_cycle.min_repeats: 4');
  await page.getByRole('button', { name: 'ben', exact: true }).click();
  await expect(entries).toHaveCount(1);
  expect(new URL(page.url()).search).toBe('?actor=ben');
  await page.getByRole('button', { name: 'Remove filter: who ben' }).click();
  await page.getByLabel('Action').selectOption({ label: 'erased sessions' });
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'model:openai/gpt-5-mini' }).click();
  await expect(entries).toHaveCount(1);
  await page.getByRole('link', { name: 'Open' }).click();
  await expect(page).toHaveURL(/scope=model/);
});

test('tokens: viewers see them, and change none', async ({ page }) => {
  await logIn(page, '/settings/tokens', LOOPWATCH_VIEWER_TOKEN);
  const create = page.getByRole('button', { name: 'New token' });
  await expect(create).toBeDisabled();
  await create.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText('Viewers have read-only access')).toBeVisible();
});
