import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@loopwatch/testkit';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine, viewports } from './support/page.ts';

/** Sample sessions: one loop for each kind of evidence, and one session without a loop. */
const samples = [
  'tool-repeat-then-recovers',
  'cycle-read-edit',
  'error-loop',
  'content-chant',
  'thought-chant',
  'paging',
];
const repeating = 's-tool-repeat-then-recovers';

let server: OwnServer;
let url: string;
/** Ids of one incident per detector. */
let incidents: Readonly<Record<string, string>>;

test.beforeAll(async () => {
  server = await startOwnServer();
  url = server.url;
  for (const name of samples) {
    const text = readFileSync(join(import.meta.dirname, `../samples/${name}.events.jsonl`), 'utf8');
    const lines = text.trim().split('\n');
    const recorded = lines.map((line) => JSON.parse(line) as { time?: number });
    // As if the agents were running now: what is shown of a recording as it is, is history.
    const shift = Date.now() - Math.max(...recorded.map(({ time = 0 }) => time));
    const events = recorded.map(({ time = 0, ...event }) => ({
      ...event,
      time: time + shift,
      sessionId: `s-${name}`,
    }));
    const response = await fetch(`${url}/api/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: events.map((event) => JSON.stringify(event)).join('\n'),
    });
    expect(response.status).toBe(202);
  }
  await waitFor(async () => {
    const answers = await Promise.all(
      ['incidents', 'sessions'].map((list) => fetch(`${url}/api/v1/${list}`)),
    );
    const [found, sessions] = (await Promise.all(answers.map((answer) => answer.json()))) as {
      items: { id: string; detector: string; state: string }[];
    }[];
    incidents = Object.fromEntries(found?.items.map(({ detector, id }) => [detector, id]) ?? []);
    return found?.items.length === samples.length - 1 && sessions?.items.length === samples.length;
  });
});

test.afterAll(async () => {
  await server.stop();
});

// Tracing the axe checks takes longer than the checks themselves.
test.use({ contextOptions: { reducedMotion: 'reduce' }, trace: 'off' });

/** Every page, with a part that is visible at every width once the page is complete. */
const routes: readonly { readonly path: string | (() => string); readonly shown: string }[] = [
  { path: '/', shown: 'Tokens wasted' },
  { path: '/incidents', shown: 'tool-repeat' },
  { path: () => `/incidents?peek=${idOf('tool-repeat')}`, shown: 'Evidence as JSON' },
  { path: '/incidents?by=cause', shown: 'Latest first' },
  { path: '/incidents?agent=x', shown: 'No matching incidents' },
  { path: () => `/incidents/${idOf('tool-repeat')}`, shown: 'Zoom to loop' },
  { path: () => `/incidents/${idOf('tool-cycle')}`, shown: 'Cycle' },
  { path: () => `/incidents/${idOf('stagnation')}`, shown: 'Different calls, same error' },
  { path: () => `/incidents/${idOf('content-repeat')}`, shown: 'each repetition is marked' },
  { path: () => `/incidents/${idOf('thought-repeat')}`, shown: 'each repetition is marked' },
  { path: '/incidents/none', shown: 'Incident not found' },
  { path: '/sessions', shown: repeating },
  { path: '/sessions?q=nothing', shown: 'No matching sessions' },
  { path: `/sessions/${repeating}?at=5`, shown: 'Session settings' },
  { path: '/sessions/none', shown: 'Session not found' },
  { path: '/compare?by=period', shown: 'Loops per 100 sessions' },
  { path: '/report', shown: 'Most expensive loops' },
  { path: '/breakdown', shown: 'Per 100 sessions' },
  { path: '/compare?by=tenant&a=none', shown: 'Nothing to compare' },
  { path: '/tuning', shown: 'Export labels' },
  { path: '/tuning?of=recent', shown: 'Results by session' },
  { path: '/settings', shown: 'max_repeats' },
  { path: '/settings?scope=model:openai/gpt-5-mini&q=ttl', shown: 'ttl_seconds' },
  { path: '/settings/tokens', shown: 'This server needs no login' },
  { path: '/settings/audit', shown: 'No changes yet' },
  { path: '/status', shown: 'the server’s next offset in each partition' },
  { path: '/nowhere', shown: 'Not found' },
];

function idOf(detector: string): string {
  const id = incidents[detector];
  if (id === undefined) throw new Error(`No incident of ${detector}: ${JSON.stringify(incidents)}`);
  return id;
}

/** Shared by the routes: a page of its own would load and compile the dashboard again for each. */
let visitor: Page;

test.beforeAll(async ({ browser }) => {
  visitor = await browser.newPage({ reducedMotion: 'reduce' });
});

test.afterAll(() => visitor.close());

for (const { path, shown } of routes) {
  const name = typeof path === 'string' ? path : path.toString().replace(/.*`(.*)`.*/, '$1');
  test(`accessibility: no violations and nothing cut off at any width, in both themes: ${name}`, async () => {
    await visitor.emulateMedia({ colorScheme: 'light' });
    await visitor.setViewportSize({ width: 1280, height: 720 });
    await visitor.goto(url + (typeof path === 'string' ? path : path()));
    await expectFine(visitor, shown);
  });
}

test('lists: give long session names in full on hover, and leave room for incident titles', async ({
  page,
}) => {
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    await page.goto(`${url}/sessions`);
    const names = page.getByRole('list', { name: 'Sessions' }).getByRole('link');
    await expect(names).toHaveCount(samples.length);
    const cut = await names.evaluateAll((links) =>
      links
        .filter(
          (link) => link.scrollWidth > link.clientWidth && link.getAttribute('title') !== link.textContent,
        )
        .map((link) => link.textContent),
    );
    expect(cut, `at ${String(viewport.width)} pixels`).toEqual([]);

    await page.goto(`${url}/incidents`);
    const sentences = page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('link');
    await expect(sentences).toHaveCount(samples.length - 1);
    const widths = await sentences.evaluateAll((links) => links.map((link) => link.clientWidth));
    expect(Math.min(...widths), `at ${String(viewport.width)} pixels`).toBeGreaterThan(240);
  }
});

test('overview: shows the notes of its key figures in full at any width', async ({ page }) => {
  for (const width of [1280, 1360, 1440, 1920, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(url);
    const notes = page.getByRole('region', { name: 'Key figures' }).locator('p[title]');
    await expect(notes.getByText(/recovered on (?:its|their) own/)).toBeVisible();
    const cut = await notes.evaluateAll((all) =>
      all
        .filter((note) => note.scrollWidth > note.clientWidth || note.scrollHeight > note.clientHeight)
        .map(({ textContent }) => textContent),
    );
    expect(cut, `at ${String(width)} pixels`).toEqual([]);
  }
});

test('incident: shows the same time to detection everywhere', async ({ page }) => {
  await page.goto(`${url}/incidents/${idOf('tool-repeat')}`);
  const told = page.getByText(/ after it began$/);
  await expect(told).toHaveCount(2);
  const [one, other] = (await told.allTextContents()).map((text) => text.replace(/^.*, /, ''));
  expect(one).toMatch(/^\d/);
  expect(one).toBe(other);
});

test('forced colors: what is chosen and the signs of a legend keep their background', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const expectKept = (part: Locator) => expect(part).toHaveCSS('forced-color-adjust', 'none');
  await page.goto(`${url}/incidents`);
  await expectKept(page.getByRole('main').getByRole('button', { name: 'All', exact: true, pressed: true }));
  await expectKept(page.getByRole('navigation').getByRole('link', { name: 'Incidents' }).first());
  await page.goto(`${url}/incidents/${idOf('tool-repeat')}`);
  const signs = page.getByRole('region', { name: 'Session timeline' }).locator('i[data-kind]');
  await expect(signs).toHaveCount(5);
  for (const sign of await signs.all()) await expectKept(sign);
});
