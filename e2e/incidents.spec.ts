import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { type Running, startDashboard } from './support/running.ts';

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

let server: Running;
let problems: string[];

test.beforeAll(async () => {
  server = await startDashboard();
});

test.afterAll(() => server.stop());

/** What the console and the page complain of, content security policy included. */
test.beforeEach(({ page }) => {
  problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
});

test.afterEach(() => expect(problems).toEqual([]));

function rows(page: Page) {
  return page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem');
}

test('a new incident appears by itself, and is opened and closed with the keyboard alone', async ({
  page,
}) => {
  await page.goto(server.url);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const before = await rows(page).count();

  server.addLoop('i-live-1');
  await expect(rows(page)).toHaveCount(before + 1);
  await expect(rows(page).first()).toContainText('fetch_url was called 5 times in a row');
  await expect(rows(page).first()).toContainText('night-shift');

  await page.keyboard.press('j');
  await expect(rows(page).first().getByRole('link')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/incidents\/i-live-1$/);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(/^fetch_url was called 5 times/);
  await expect(heading).toBeFocused();
  await expect(page.getByRole('region', { name: 'Why this is a loop' })).toContainText('threshold 5');

  await page.keyboard.press('j');
  await expect(heading).not.toHaveText(/^fetch_url/);
  await page.keyboard.press('k');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(`${server.url}/`);
  await expect(rows(page).first().getByRole('link')).toBeFocused();
});

test('the list holds still while paused and says what waits', async ({ page }) => {
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await rows(page).count();
  server.addLoop('i-live-2');
  const resume = page.getByRole('button', { name: 'Resume, 1 new' });
  await expect(resume).toBeVisible();
  expect(await rows(page).count()).toBe(before);
  await resume.click();
  await expect(rows(page)).toHaveCount(before + 1);
});

test('a link leads to an incident, and Back leads to where one was', async ({ page }) => {
  await page.goto(`${server.url}/incidents/i-7714ac`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^web_search was called 10 times/);
  const pair = page.getByRole('region', { name: 'First and latest call' });
  await expect(pair.locator('mark').first()).toHaveText('practice');

  await page.goto(`${server.url}/incidents?detector=content-repeat&state=open`);
  await expect(rows(page)).toHaveCount(1);
  await rows(page).first().getByRole('link').click();
  await expect(page).toHaveURL(/\/incidents\/i-a83c55\?state=open&detector=content-repeat$/);
  await expect(page.getByRole('region', { name: 'In its context' }).locator('mark')).toHaveCount(22);
  await page.goBack();
  await expect(page).toHaveURL(/detector=content-repeat&state=open$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});

test('the theme is the system’s until one is chosen, and stays chosen', async ({ page }) => {
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

test('the keys are explained', async ({ page }) => {
  await page.goto(server.url);
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await expect(dialog).toContainText('Next incident');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('an incident that the server does not have is said to be missing', async ({ page }) => {
  await page.goto(`${server.url}/incidents/none`);
  await expect(page.getByRole('heading', { level: 1, name: 'This incident is not here' })).toBeVisible();
  problems = problems.filter((text) => !text.includes('404'));
});

test('an empty server says how to send events', async ({ page }) => {
  const empty = await startDashboard('empty');
  await page.goto(empty.url);
  await expect(page.getByRole('heading', { name: 'No loops yet' })).toBeVisible();
  await expect(page.getByText(`${empty.url}/api/v1/events`)).toBeVisible();
  await expectNoViolations(page);
  empty.addLoop('i-first');
  await expect(rows(page)).toHaveCount(1);
  await empty.stop();
  await expect(page.getByText(/^Reconnecting, stale since/)).toBeVisible();
  problems = problems.filter((text) => !/WebSocket|ERR_CONNECTION_REFUSED/.test(text));
});

for (const [name, viewport] of Object.entries({ wide, phone })) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`nothing is inaccessible or cut off: ${name}, ${colorScheme}`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const path of [
        '/',
        '/incidents/i-52e0b7',
        '/incidents/i-7714ac',
        '/incidents/i-a83c55',
        '/?agent=x',
      ]) {
        await page.goto(server.url + path);
        await expect(page.getByText('Live', { exact: true })).toBeVisible();
        if (path.startsWith('/incidents/')) await expect(page.getByText('Evidence as JSON')).toBeVisible();
        await expectNoViolations(page);
        const overflow = await page.evaluate(() =>
          [...document.querySelectorAll('main, article')].map((part) => part.scrollWidth - part.clientWidth),
        );
        expect(Math.max(...overflow), `${path} is not wider than the screen`).toBeLessThanOrEqual(0);
      }
    });
  }
}

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found).toEqual([]);
}
