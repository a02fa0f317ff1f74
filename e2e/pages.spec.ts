import { expect, type Page, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine, expectNoViolations } from './support/page.ts';

const tokens = { operator: 'the-operators-token', viewer: 'the-viewers-token' };
const session = 'a-long-day';
const AT = 150;

let server: OwnServer;
let url: string;

/** A server with user logins, and a long session with a loop in the middle. */
test.beforeAll(async () => {
  server = await startOwnServer({
    LOOPWATCH_API_TOKEN: tokens.operator,
    LOOPWATCH_PRIVACY_STORE_TEXT: 'false',
    LOOPWATCH_VIEWER_TOKEN: tokens.viewer,
    LOOPWATCH_SERVER_GRAFANA_URL: 'http://grafana.example/d/loops',
    LOOPWATCH_SERVER_KAFKA_UI_URL: 'http://kafka.example/{topic}/{partition}/{offset}',
  });
  url = server.url;
  const call = (name: string, n: number) => ({
    sessionId: session,
    agent: 'clerk',
    type: 'tool_call_request',
    name,
    args: { n },
  });
  const before = Array.from({ length: AT }, (_, n) => call('read_page', n));
  const loop = Array.from({ length: 6 }, () => call('open_drawer', 0));
  const after = Array.from({ length: AT }, (_, n) => call('write_page', n));
  const response = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${tokens.operator}` },
    body: [...before, ...loop, ...after, { sessionId: session, type: 'session_ended' }]
      .map((event) => JSON.stringify(event))
      .join('\n'),
  });
  expect(response.status).toBe(202);
});

test.afterAll(async () => {
  await server.stop();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

async function logIn(page: Page, role: keyof typeof tokens): Promise<void> {
  const response = await page.request.post(`${url}/api/v1/auth/login`, { data: { token: tokens[role] } });
  expect(response.ok()).toBe(true);
}

async function openIncident(page: Page): Promise<void> {
  await page.goto(`${url}/incidents`);
  await page.getByRole('link', { name: /^open_drawer ×/ }).click();
  await page.getByRole('link', { name: 'Open full page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('open_drawer ×');
}

test('login: returns a viewer to the linked page, where controls explain read-only access', async ({
  page,
}) => {
  await page.goto(`${url}/incidents?detector=tool-repeat`);
  const token = page.getByLabel('Token');
  await token.fill('something else');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(token).toHaveAccessibleDescription(/Unknown token/);
  await expectFine(page, 'Unknown token');
  await page.setViewportSize({ width: 1440, height: 900 });
  await token.fill(tokens.viewer);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(`${url}/incidents?detector=tool-repeat`);
  await openIncident(page);

  const why = page.getByRole('region', { name: 'Messages' }).getByText('Viewers have read-only access');
  for (const name of ['Acknowledge', 'False positive', 'Mute']) {
    const button = page.getByRole('button', { name });
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAttribute('title', /^Viewers have read-only access/);
  }
  await page.getByRole('button', { name: 'False positive' }).press('Enter');
  await expect(why).toHaveCount(1);
  await page.keyboard.press('f');
  await expect(why).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'False positive', pressed: true })).toHaveCount(0);
  await expectNoViolations(page);

  await page.goto(`${url}/sessions/${session}`);
  await page.getByRole('button', { name: 'Turn detection off' }).press('Enter');
  await expect(why).toHaveCount(1);
  await page.goto(`${url}/settings`);
  await expect(page.getByRole('note')).toContainText('Viewers have read-only access');
  await expect(page.getByLabel('max_repeats').first()).toBeDisabled();
});

test('login: is requested again on the current page after it expires', async ({ page }) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/incidents`);
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  // All requests from before the logout have completed.
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  const notice = page.getByRole('heading', { level: 1, name: 'Your session has expired' });
  // The page learns it from its next request, which may precede the click.
  await Promise.any([
    page.getByRole('button', { name: 'Open', exact: true }).click(),
    notice.waitFor({ state: 'visible' }),
  ]);
  await expect(notice).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Log in again' }).click();
  await page.getByLabel('Token').fill(tokens.operator);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page).toHaveURL(/\/incidents(\?state=open)?$/);
});

test('session: hides text until requested if privacy.store_text is off', async ({ page }) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/sessions/${session}?at=1`);
  const second = page.locator('li[aria-current="true"]');
  await expect(second).toContainText('characters hidden');
  // The list scrolls to the event while it is loaded, perhaps below the pointer.
  await expect(async () => {
    await second.getByRole('button', { expanded: false }).click({ timeout: 5_000 });
    await expect(second.getByRole('button', { expanded: true })).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(second.getByRole('term')).toBeHidden();
  await page.getByRole('button', { name: 'Show text' }).click();
  await expect(second.getByRole('term')).toHaveText('n');
  await expect(second.getByRole('definition')).toHaveText('1');
});

test('session: shows the raw record of an event once its text is requested', async ({ page }) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/sessions/${session}?at=1`);
  await page.locator('li[aria-current="true"]').getByRole('button', { expanded: false }).click();
  await page.getByRole('button', { name: 'Raw record of event 1', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Record of event #1' });
  await expect(dialog).toContainText('hidden because privacy.store_text is off');
  await expect(dialog).not.toContainText('"read_page"');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await expect(dialog).toContainText(/loopwatch\.events\/0\/\d+/);
  await expect(dialog.getByRole('link', { name: 'in Kafka' })).toBeVisible();
  await expect(dialog).toContainText('"read_page"');
  await dialog.getByRole('button', { name: 'Raw' }).click();
  await expect(dialog.locator('pre')).toHaveText(/^\{.*"name":"read_page".*\}$/);
  await expectNoViolations(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('session: links lead to an event and to the start of the loop', async ({ page }) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/sessions/${session}?at=${String(AT - 20)}`);
  const marked = page.locator('li[aria-current="true"]');
  await expect(marked).toBeInViewport();
  await expect(marked).toContainText(`#${String(AT - 20)}`);
  await expect(marked).toContainText('read_page');

  await page.getByRole('link', { name: 'loop start' }).click();
  await expect(marked).toContainText('open_drawer');
  await expect(marked).toBeInViewport();
  await page.goBack();
  await expect(marked).toContainText(`#${String(AT - 20)}`);
  await expect(marked).toBeInViewport();
});

test('incident: zooms the session timeline, and links to Kafka and Grafana', async ({ page }) => {
  await logIn(page, 'operator');
  await openIncident(page);
  const around = page.getByRole('region', { name: 'Session timeline' });
  const line = around.getByRole('img');
  const whole = await line.getAttribute('aria-label');
  const box = await line.boundingBox();
  if (box === null) throw new Error('The line is drawn');
  await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
  await page.mouse.up();
  await expect(line).not.toHaveAttribute('aria-label', whole ?? '');
  await around.getByRole('button', { name: 'Reset zoom' }).click();
  await expect(line).toHaveAttribute('aria-label', whole ?? '');
  await around.getByRole('button', { name: 'Zoom to loop' }).click();
  await expect(line).toHaveAttribute('aria-label', /^Events 148 to 15\d;/);

  const record = page.getByRole('region', { name: 'Details' });
  const place = /loopwatch\.events\/0\/\d+$/;
  await expect(record.getByText(place).first()).toBeVisible();
  await expect(record.getByRole('link', { name: 'in Kafka' }).first()).toHaveAttribute(
    'href',
    /^http:\/\/kafka\.example\/loopwatch\.events\/\d\/\d+$/,
  );
  await expect(record.getByRole('link', { name: 'Grafana' })).toHaveAttribute('href', /from=\d+&to=\d+$/);
  await page.goto(`${url}/?range=24h`);
  await expect(page.getByRole('link', { name: 'Grafana' })).toHaveAttribute('href', /from=now-24h&to=now$/);
});

test('settings: reject an invalid value, keep edits when another user saves, and save over them', async ({
  page,
}) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/settings`);
  const row = page.getByRole('listitem').filter({ hasText: 'max_repeats' }).first();
  const field = row.getByRole('textbox');
  const save = page.getByRole('button', { name: 'Save' });
  await field.fill('1');
  await expect(page.getByRole('alert')).toContainText('expected a whole number from 2');
  await expect(save).toBeDisabled();
  await expectNoViolations(page);

  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Status' }).click();
  await expect.poll(() => asked).toEqual(['Discard 1 unsaved change?']);
  await expect(field).toHaveValue('1');

  await field.fill('9');
  const other = await page.request.put(`${url}/api/v1/settings/server`, {
    data: { set: { 'tool_call_loop.max_repeats': 6 } },
    headers: { origin: url },
  });
  expect(other.status()).toBe(200);
  await expect(page.getByRole('note')).toContainText('operator saved version 1 in the meantime');
  await expect(field).toHaveValue('9');
  await save.click();
  await expect(page.getByRole('region', { name: 'Messages' }).getByText('Saved 1 change')).toBeVisible();
  await page.reload();
  await expect(field).toHaveValue('9');
  await row.getByRole('button', { name: 'Reset tool_call_loop.max_repeats to the inherited value' }).click();
  await save.click();
  await expect(row).toContainText('preset');
});

test('settings: prices are edited in fields, checked beside them, and linked to by section', async ({
  page,
}) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/settings#prices`);
  const prices = page.getByRole('region', { name: 'Prices' });
  await expect(prices).toBeInViewport();
  const name = prices.getByLabel('New model');
  const tools = page.getByRole('region', { name: 'Tools', exact: true });
  await expect(tools.locator('datalist option').first()).toBeAttached();
  await name.fill('my-model');
  await name.press('Enter');
  const entry = prices.getByRole('group', { name: 'my-model' });
  const save = page.getByRole('button', { name: 'Save' });
  await entry.getByLabel('Input', { exact: true }).fill('0.25');
  await entry.getByLabel('Output').fill('-2');
  await expect(entry.getByLabel('Output')).toHaveAccessibleDescription(/must be at least 0/);
  await expect(save).toBeDisabled();
  await expectNoViolations(page);
  await entry.getByLabel('Output').fill('2');
  await save.click();
  await expect(page.getByRole('region', { name: 'Messages' }).getByText('Saved 1 change')).toBeVisible();
  const saved = await page.request.get(`${url}/api/v1/settings/server`);
  expect(await saved.json()).toMatchObject({ set: { prices: { 'my-model': { input: 0.25, output: 2 } } } });

  // Leaving undoes what is not saved, if the user agrees.
  page.once('dialog', (dialog) => void dialog.accept());
  await entry.getByLabel('Output').fill('3');
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Budget' }).click();
  await expect(page.getByRole('region', { name: 'Budget' })).toBeInViewport();
  await page.getByRole('link', { name: 'Status' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Status' })).toBeVisible();
  await page.goto(`${url}/settings#prices`);
  await expect(entry.getByLabel('Output')).toHaveValue('2');
  await expectFine(page, 'my-model');
  await prices.getByRole('button', { name: 'Reset prices to the inherited value' }).click();
  await save.click();
  await expect(entry).toBeHidden();
});

test('backtest: reports the recall of current and changed thresholds', async ({ page }) => {
  await logIn(page, 'operator');
  await openIncident(page);
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(page.getByRole('button', { name: 'Acknowledged' })).toBeVisible();
  await page.getByRole('link', { name: 'Tuning' }).click();
  await page.getByLabel('Same call in a row').fill('15');
  await page.getByRole('button', { name: 'Run on 1 session' }).click();
  const card = page.getByRole('region', { name: 'Backtest' });
  await expect(card).toContainText('1 session, 307 events');
  const recall = card.getByRole('row', { name: /^Recall/ }).getByRole('cell');
  await expect(recall).toHaveText(['100%', '0%']);
  await expectNoViolations(page);
});

test('unknown path: shows “Not found” and a link to the incidents', async ({ page }) => {
  await logIn(page, 'operator');
  await page.goto(`${url}/nowhere`);
  await expect(page.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('link', { name: 'Go to incidents' }).click();
  await expect(page).toHaveURL(`${url}/incidents`);
});
