import { expect, type Page, test } from '@playwright/test';
import { expectLive, expectNoViolations, rows } from './support/page.ts';
import { type Running, startDashboard } from './support/running.ts';

let server: Running;
let problems: string[];

test.beforeAll(async () => {
  server = await startDashboard();
});

test.afterAll(() => server.stop());

/** Errors of the console and the page, including violations of the content security policy. */
test.beforeEach(async ({ page }) => {
  problems = [];
  // The console does not mention what a script caught.
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      console.error(`The content security policy forbids ${effectiveDirective} ${blockedURI}`);
    });
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // The samples are verdicts only, without sessions in the log; the page omits their timeline.
    const missing = /\/api\/v1\/sessions\/[^/]+\/events/.test(message.location().url);
    if (['error', 'warning'].includes(message.type()) && !missing) problems.push(message.text());
  });
});

test.afterEach(() => expect(problems).toEqual([]));

async function openList(page: Page, query = ''): Promise<void> {
  await page.goto(`${server.url}/incidents${query}`);
  await expectLive(page);
  await expect(rows(page).first()).toBeVisible();
}

test('list: shows a new incident at once, and opens and closes it by keyboard', async ({ page }) => {
  await openList(page);
  server.addLoop('i-live-1');
  const first = rows(page).first();
  await expect(first).toContainText('fetch_url ×5');
  await expect(first).toContainText('night-shift');

  await page.keyboard.press('j');
  await expect(first.getByRole('link')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/peek=i-live-1$/);
  const beside = page.getByRole('complementary', { name: 'Incident details' });
  const heading = beside.getByRole('heading', { level: 2 }).first();
  await expect(heading).toHaveText(/^fetch_url ×5/);
  await expect(beside.getByRole('region', { name: 'Why this is a loop' })).toContainText('threshold 5');

  await page.keyboard.press('j');
  await expect(heading).not.toHaveText(/^fetch_url/);
  await page.keyboard.press('k');
  await expect(heading).toHaveText(/^fetch_url/);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(`${server.url}/incidents`);
  await expect(first.getByRole('link')).toBeFocused();
});

test('list: animates new rows unless reduced motion is preferred', async ({ page }) => {
  for (const [reducedMotion, motion] of [
    ['no-preference', /arrive/],
    ['reduce', /^none$/],
  ] as const) {
    await page.emulateMedia({ reducedMotion });
    await openList(page);
    server.addLoop(`i-motion-${reducedMotion}`);
    const arrived = page.locator('li[data-arrived]').first();
    await expect(arrived).toBeVisible();
    expect(await arrived.evaluate((row) => getComputedStyle(row).animationName)).toMatch(motion);
  }
});

test('incident: opens from its URL with its evidence', async ({ page }) => {
  await page.goto(`${server.url}/incidents/i-7714ac`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^web_search ×10/);
  const pair = page.getByRole('region', { name: 'First and latest call' });
  await expect(pair.locator('mark').first()).toHaveText('practice');
  await page.goto(`${server.url}/incidents/i-a83c55`);
  await expect(page.getByRole('region', { name: 'Context' }).locator('mark')).toHaveCount(22);
});

test('triage: is shown to other users, and can be undone', async ({ page, context }) => {
  await page.goto(`${server.url}/incidents/i-c4410e`);
  const other = await context.newPage();
  await other.goto(`${server.url}/incidents`);
  await expect(rows(other).first()).toBeVisible();
  const judge = page.getByRole('button', { name: 'False positive' });
  await judge.click();
  await expect(judge).toHaveAttribute('aria-pressed', 'true');
  await expect(rows(other).filter({ hasText: 'false positive' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(judge).toHaveAttribute('aria-pressed', 'false');
  await expect(rows(other).filter({ hasText: 'false positive' })).toHaveCount(0);
});

test('triage: assigns and comments for all users, and deletes a comment', async ({ page, context }) => {
  await page.goto(`${server.url}/incidents/i-03bb19`);
  const other = await context.newPage();
  await other.goto(`${server.url}/incidents/i-03bb19`);
  const theirs = other.getByRole('region', { name: 'Triage' });
  await expect(theirs.getByLabel('Assignee')).toHaveValue('');
  await page.getByLabel('Assignee').fill('night shift');
  await page.keyboard.press('Enter');
  await expect(theirs.getByLabel('Assignee')).toHaveValue('night shift');
  await expect(theirs).toContainText('assigned to night shift');
  await page.getByRole('button', { name: 'Set your name' }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Commenting as Ada')).toBeVisible();
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await expect(theirs).toContainText('assigned to Ada');
  await page.getByLabel('Comment').fill('Seen before.');
  await page.getByRole('button', { name: 'Comment' }).click();
  await expect(theirs).toContainText('Seen before.');
  await expectNoViolations(page);

  await other.goto(`${server.url}/incidents?assignee=Ada`);
  await expect(rows(other)).toHaveCount(1);
  await page.reload();
  await expect(page.getByText('Commenting as Ada')).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('region', { name: 'Triage' })).not.toContainText('Seen before.');
});

test('triage: acknowledges several selected incidents at once', async ({ page }) => {
  await openList(page);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected incidents' });
  await expect(bar).toContainText('2 incidents');
  await bar.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(rows(page).filter({ hasText: 'acknowledged' })).toHaveCount(2);
  await page.keyboard.press('u');
  await expect(rows(page).filter({ hasText: 'acknowledged' })).toHaveCount(0);
});

test('list: filters by a value of a menu, which counts what it leads to', async ({ page }) => {
  await openList(page);
  await page.getByRole('button', { name: 'Detector', exact: true }).click();
  const values = page.getByRole('menuitemcheckbox');
  const detector = (await values.first().locator('[title]').textContent()) ?? '';
  const count = (await values.first().locator('small').textContent()) ?? '';
  await values.first().click();
  await expect(page).toHaveURL(new RegExp(`detector=${detector}`));
  await page.keyboard.press('Escape');
  await expect(page.getByText(`${count} matching`)).toBeVisible();

  // The counts of the other menus follow the filter.
  await page.getByRole('button', { name: 'Agent', exact: true }).click();
  await expect(values.first()).toBeVisible();
  const counts = await values.locator('small').allTextContents();
  const sum = counts.reduce((total, text) => total + Number(text), 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(Number(count));
});

test('list: has selectable and resizable columns, a CSV download, and groups by cause', async ({ page }) => {
  await openList(page);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Confidence' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: /^Sort by confidence/ })).toBeVisible();
  const agent = page.getByRole('separator', { name: 'Width of agent' });
  await agent.focus();
  for (let n = 0; n < 4; n += 1) await page.keyboard.press('ArrowLeft');
  const width = await agent.getAttribute('aria-valuetext');
  expect(width).toMatch(/^2\d\d pixels$/);
  await page.reload();
  await expect(page.getByRole('button', { name: /^Sort by confidence/ })).toBeVisible();
  await expect(agent).toHaveAttribute('aria-valuetext', width ?? '');
  await agent.dblclick();
  await expect(agent).toHaveAttribute('aria-valuetext', 'default');

  await page.getByRole('button', { name: 'Download' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'As CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('incidents.csv');

  await page.getByRole('button', { name: 'Group by cause' }).click();
  await expect(page).toHaveURL(/by=cause/);
  const causes = page.getByRole('list', { name: 'Causes' }).getByRole('listitem');
  await expect(causes.first()).toContainText('×');
  await causes.first().getByRole('link').click();
  await expect(page).toHaveURL(/group=/);
  await expect(rows(page).first()).toBeVisible();
});

test('command palette: finds a page by part of its name', async ({ page }) => {
  await openList(page);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeVisible();
  await page.keyboard.type('sess');
  await expect(palette.getByRole('option').first()).toContainText('Sessions');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/sessions$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();
});

test('command palette: searches all sessions and incidents for what is not among the latest', async ({
  page,
}) => {
  await openList(page);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeVisible();
  await page.keyboard.type('zebra');
  await expect(palette.getByRole('option')).toHaveText([/^Incidents with “zebra”/, /^Sessions with “zebra”/]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/sessions\?q=zebra$/);
});

test('theme: follows the system until one is chosen, which then persists', async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(server.url);
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await background()).not.toBe(light);
  await page.getByRole('button', { name: 'Use the light theme' }).click();
  expect(await background()).toBe(light);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Use the dark theme' })).toBeVisible();
  expect(await background()).toBe(light);
});

test('keyboard shortcuts: are listed in a dialog', async ({ page }) => {
  await openList(page);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog).toContainText('Next row');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('list: explains how to send events while there are no incidents', async ({ page }) => {
  const empty = await startDashboard('empty');
  await page.goto(`${empty.url}/incidents`);
  await expect(page.getByRole('heading', { name: 'No loops yet' })).toBeVisible();
  await expect(page.getByText(`${empty.url}/api/v1/events`)).toBeVisible();
  await expectNoViolations(page);
  empty.addLoop('i-first');
  await expect(rows(page)).toHaveCount(1);
  await empty.stop();
  await expect(page.getByText(/^Reconnecting, stale since/)).toBeVisible();
  problems = problems.filter((text) => !/WebSocket|ERR_CONNECTION_REFUSED/.test(text));
});

test('triage: mutes a cause in three clicks, including its next incident', async ({ page }) => {
  server.addLoop('i-cause-1');
  await page.goto(`${server.url}/incidents/i-cause-1`);
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('menuitem', { name: 'until it escalates' }).first().click();
  await expect(page.getByText(/^Muted by cause: identical loops/)).toBeVisible();
  server.addLoop('i-cause-2');
  await page.goto(`${server.url}/incidents/i-cause-2`);
  await expect(page.getByText(/^Muted by cause: identical loops/)).toBeVisible();
  await page.getByRole('button', { name: 'Muted' }).click();
  await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible();
});

test('triage: marks a group as a false positive by keyboard, and undoes it', async ({ page }) => {
  await page.goto(`${server.url}/incidents?by=cause`);
  const group = page.getByRole('list', { name: 'Causes' }).getByRole('listitem').first();
  const button = group.getByRole('button', { name: 'Triage' });
  await button.press('Enter');
  // The focus moves a moment after the menu opens, and after each key.
  await expect(page.getByRole('menuitem', { name: 'Acknowledge' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'False positive' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(group).toContainText('false positive');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(group).not.toContainText('false positive');
});

test('triage: suggests a setting for a false positive, to preview, apply and undo', async ({ page }) => {
  const remedy = {
    path: 'outage.min_failures',
    value: 12,
    text: 'Raise outage.min_failures from 5 to 12',
    scopes: ['server'],
  };
  await page.route('**/api/v1/incidents/*/remedies', (route) => route.fulfill({ json: { items: [remedy] } }));
  await page.goto(`${server.url}/incidents/i-a83c55`);
  await page.getByRole('button', { name: 'False positive' }).click();
  const card = page.getByRole('region', { name: 'Prevent this false positive' });
  await card.getByRole('button', { name: 'Preview impact' }).click();
  await expect(card.getByRole('status')).toContainText(/No other incidents|Would also hide/);
  await card.getByRole('button', { name: 'Apply to the server' }).click();
  await expect(page.getByText('Applied 1 change')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByText('Undone')).toBeVisible();
});
