import { expect, test } from '@playwright/test';
import { type Receiver, startReceiver } from '../packages/server/test/notifications/receiver.ts';
import { type OwnServer, startOwnServer } from './support/own-server.ts';
import { expectFine, expectNoViolations } from './support/page.ts';

let server: OwnServer;
let receiver: Receiver;
let url: string;

test.beforeAll(async () => {
  receiver = await startReceiver();
  server = await startOwnServer();
  url = server.url;
});

test.afterAll(async () => {
  await server.stop();
  await receiver[Symbol.asyncDispose]();
});

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

test('notifications: a webhook is created, tested, notified of a loop, edited and removed', async ({
  page,
}) => {
  await page.goto(`${url}/settings`);
  await page.getByRole('main').getByRole('link', { name: 'Notifications' }).click();
  await expect(page.getByRole('heading', { name: 'No receivers yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New receiver' }).click();
  const form = page.getByRole('dialog', { name: 'New receiver' });
  await form.getByRole('button', { name: 'Webhook' }).click();
  await form.getByLabel('Name', { exact: true }).fill('ops');
  await form.getByLabel('Secret').fill('very-secret');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByLabel('URL')).toHaveAccessibleDescription('is required');
  await form.getByLabel('URL').fill('ops');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByLabel('URL')).toHaveAccessibleDescription(/must be a URL/);
  await expectNoViolations(page);
  await form.getByLabel('URL').fill(`${receiver.url}/very-secret`);
  await form.getByLabel('Agent').fill('coder, writer');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();

  // A second receiver of this name would replace the first.
  await page.getByRole('button', { name: 'New receiver' }).click();
  await form.getByRole('button', { name: 'Teams' }).click();
  await form.getByLabel('Name', { exact: true }).fill('ops');
  await form.getByLabel('Workflow URL').fill(`${receiver.url}/other`);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(/is taken/);
  await form.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Send test message to ops' }).click();
  await expect(page.getByText('Test message to ops delivered')).toBeVisible();
  expect(receiver.received.map(({ json }) => json['type'])).toEqual(['test']);
  const loop = (sessionId: string, agent: string) =>
    Array.from({ length: 6 }, () => ({
      sessionId,
      agent,
      type: 'tool_call_request',
      name: 'ping',
      args: {},
    }));
  await page.request.post(`${url}/api/v1/events`, {
    headers: { 'content-type': 'application/x-ndjson' },
    data: [...loop('s-1', 'stranger'), ...loop('s-2', 'coder')]
      .map((event) => JSON.stringify(event))
      .join('\n'),
  });
  await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
  expect(receiver.received[1]).toMatchObject({
    path: '/very-secret',
    json: { type: 'incident.opened', data: { incident: { agent: 'coder' } } },
  });
  await expect(page.getByText(/agent coder or writer; up to 10 per minute/)).toBeVisible();
  // The page polls the delivery state every five seconds.
  await expect(page.getByText('Last delivery')).toBeVisible();

  await page.getByRole('button', { name: 'Edit ops' }).click();
  const change = page.getByRole('dialog', { name: 'Edit ops' });
  await expect(change.getByLabel('Secret')).toHaveValue('');
  await expect(change.getByLabel('Agent')).toHaveValue('coder, writer');
  await change.getByLabel('Agent').fill('');
  await change.getByLabel('Action').fill('block');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/action block; up to 10 per minute/)).toBeVisible();
  await expectFine(page, 'action block');

  await page.getByRole('button', { name: 'Remove ops' }).click();
  await page.getByRole('button', { name: 'Remove ops and its waiting messages' }).click();
  await expect(page.getByRole('heading', { name: 'No receivers yet' })).toBeVisible();
});
