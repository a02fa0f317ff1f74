import { expect, type Locator, type Page, test } from '@playwright/test';
import { type Receiver, startReceiver } from '../packages/server/test/notifications/receiver.ts';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { rows } from './support/page.ts';

/** The jobs of someone who runs agents: each starts on the overview and takes at most three clicks. */

const MAX_CLICKS = 3;

let server: OwnServer;
let receiver: Receiver;
let url: string;
let click: (target: Locator) => Promise<void>;
let clicks: number;

/** An agent that reads the same file over and over, and says so. */
function session(sessionId: string, agent: string, tool: string, end: 'ended' | 'live'): object[] {
  const common = {
    sessionId,
    agent,
    agentVersion: '1.2.0',
    model: 'gpt-5-mini',
    backend: 'openai',
    tags: { env: 'prod' },
  };
  const steps = Array.from({ length: 8 }, (_, n) => [
    { ...common, type: 'turn_started' },
    { ...common, type: 'content', text: `Attempt ${String(n + 1)}: I look at the cart.` },
    {
      ...common,
      type: 'tool_call_request',
      callId: `${sessionId}-${String(n)}`,
      name: tool,
      args: { path: 'cart.ts' },
    },
    {
      ...common,
      type: 'tool_result',
      callId: `${sessionId}-${String(n)}`,
      result: 'export const cart = [];',
    },
    { ...common, type: 'turn_finished', usage: { inputTokens: 900, outputTokens: 50 } },
  ]);
  const last = end === 'ended' ? [{ ...common, type: 'session_ended' }] : [];
  return [
    { ...common, type: 'prompt_started', text: 'Mend the cart.', origin: 'user' },
    ...steps.flat(),
    ...last,
  ];
}

async function post(page: Page, events: readonly object[]): Promise<void> {
  const response = await page.request.post(`${url}/api/v1/events`, {
    headers: { 'content-type': 'application/x-ndjson' },
    data: events.map((event) => JSON.stringify(event)).join('\n'),
  });
  expect(response.status()).toBe(202);
}

/** Waits until an ended session is stored completely. */
async function summaryOf(page: Page, id: string): Promise<{ incidents: { total: number } }> {
  let summary = { state: '', incidents: { total: 0 } };
  await expect
    .poll(async () => {
      summary = await (await page.request.get(`${url}/api/v1/sessions/${id}`)).json();
      return summary.state;
    })
    .toBe('ended');
  return summary;
}

test.beforeAll(async () => {
  receiver = await startReceiver();
  server = await startOwnServer();
  url = server.url;
});

test.afterAll(async () => {
  await server.stop();
  await receiver[Symbol.asyncDispose]();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 1000 } });

test.beforeEach(async ({ page }) => {
  clicks = 0;
  click = async (target) => {
    clicks += 1;
    await target.click();
  };
  // Live when it is opened, whichever job runs first.
  await post(page, [
    ...session('s-live', 'coder', 'read_file', 'live'),
    ...session('s-old', 'writer', 'open_page', 'ended'),
  ]);
  await page.goto(url);
  await expect(looping(page)).toBeVisible();
});

test.afterEach(() => expect(clicks).toBeLessThanOrEqual(MAX_CLICKS));

const looping = (page: Page) => page.getByRole('link', { name: /^read_file ×\d+/ }).first();

test('job: see which agent is looping, and what it costs', async ({ page }) => {
  const row = page.getByRole('row').filter({ has: looping(page) });
  await expect(row).toContainText('coder');
  await expect(row).toContainText(/\$\d+\.\d+/);
  await expect(row).toContainText(/\$\d+\.\d+\/min/);
});

test('job: see why it is a loop, and which threshold applies', async ({ page }) => {
  await click(looping(page));
  await expect(page.getByRole('region', { name: 'Why this is a loop' })).toContainText(/threshold \d/);
  await expect(page.getByRole('region', { name: 'First and latest call' })).toContainText('cart.ts');
});

test('job: prevent a false positive from recurring', async ({ page }) => {
  await click(looping(page));
  await click(page.getByRole('button', { name: 'False positive' }));
  const remedies = page.getByRole('region', { name: 'Prevent this false positive' });
  await click(remedies.getByRole('button', { name: 'Apply to the server' }).first());
  await expect(page.getByText('Applied 1 change')).toBeVisible();
  const { set } = await (await page.request.get(`${url}/api/v1/settings/server`)).json();
  expect(set).toEqual({ per_tool: { read_file: { poller: true } } });
  // The same calls are no longer a loop once the worker has the setting.
  let again = 0;
  await expect
    .poll(async () => {
      again += 1;
      const id = `s-again-${String(again)}`;
      await post(page, session(id, 'coder', 'read_file', 'ended'));
      return (await summaryOf(page, id)).incidents.total;
    })
    .toBe(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByText('Undone')).toBeVisible();
  await page.getByRole('button', { name: 'False positive' }).click();
});

test('job: find the right threshold', async ({ page }) => {
  await click(page.getByRole('link', { name: 'Tuning' }));
  await click(page.getByRole('button', { name: /^Recent/ }));
  const flagged = page.getByRole('row', { name: /^Flagged sessions/ }).getByRole('cell');
  await expect(flagged.first()).not.toHaveText('0');
  clicks += 1;
  await page.getByLabel('Same call in a row').fill('12');
  await expect(flagged.last()).toHaveText('0');
});

test('job: set up a receiver of notifications', async ({ page }) => {
  await click(page.getByRole('link', { name: 'Settings' }));
  await click(page.getByRole('main').getByRole('link', { name: 'Notifications' }));
  await click(page.getByRole('button', { name: 'New receiver' }));
  // The rest is typed, and saved with Enter.
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('team');
  await form.getByLabel('Incoming webhook URL').fill(receiver.url);
  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  await post(page, session('s-told', 'coder', 'close_ticket', 'live'));
  await expect.poll(() => receiver.received.some(({ text }) => text.includes('is looping'))).toBe(true);
});

test('job: read what the agent said before and during the loop', async ({ page }) => {
  await click(looping(page));
  await expect(page.getByRole('region', { name: 'Agent messages during the loop' })).toContainText(
    'I look at the cart.',
  );
  await click(page.getByRole('link', { name: /^open at the start of the loop/ }));
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText('Mend the cart.');
});

test('job: see which agents loop more than in the previous period', async ({ page }) => {
  // Without any loop in the previous period, none is new.
  const before = Date.now() - 10 * 24 * 3_600_000;
  await post(
    page,
    session('s-before', 'writer', 'open_page', 'ended').map((event, n) => ({ ...event, time: before + n })),
  );
  await summaryOf(page, 's-before');
  await page.reload();
  await click(page.getByRole('link', { name: 'Compare agents' }));
  const coder = page.getByRole('row', { name: /coder/ });
  await expect(coder.getByRole('cell').first()).toContainText('new');
  await expect(coder).toContainText(/\$0\.\d+/);
});

test('job: stop a session', async ({ page }) => {
  await click(looping(page));
  await click(page.getByRole('link', { name: 's-live' }).first());
  await click(page.getByRole('button', { name: 'Stop session' }));
  await expect(page.getByText(/nothing can stop this agent/)).toBeVisible();
  const response = await page.request.post(`${url}/api/v1/decide`, {
    data: { sessionId: 's-live', name: 'write_file', args: {} },
  });
  expect(await response.json()).toMatchObject({ action: 'stop' });
  await page.request.delete(`${url}/api/v1/sessions/s-live/stop`);
});

test('job: find an incident by tool, agent and tag', async ({ page }) => {
  await click(page.getByRole('link', { name: /^Incidents/ }));
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('tool:open_page agent:writer tag:env:prod');
  await page.keyboard.press('Enter');
  await expect(rows(page).first()).toContainText('open_page');
  await expect(page).toHaveURL(/tool=open_page/);
});

test('job: filter sessions by tag, and save the view', async ({ page }) => {
  await post(page, [{ sessionId: 's-test', type: 'prompt_started', text: 'Hi.', tags: { env: 'test' } }]);
  await click(page.getByRole('link', { name: 'Sessions' }));
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await expect(sessions.filter({ hasText: 's-test' })).toHaveCount(1);
  await page.keyboard.press('/');
  await page.keyboard.type('tag:env');
  await expect(page.getByRole('option')).toHaveText(['env:prod', 'env:test']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/tag=env%3Aprod|tag=env:prod/);
  await expect(sessions.filter({ hasText: 's-live' })).toHaveCount(1);
  await expect(sessions.filter({ hasText: 's-test' })).toHaveCount(0);
  await click(page.getByRole('button', { name: 'Views' }));
  await page.getByLabel('View name').fill('Production');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove filter: tag env:prod' }).click();
  await expect(sessions.filter({ hasText: 's-test' })).toHaveCount(1);
});
