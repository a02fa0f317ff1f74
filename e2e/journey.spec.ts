import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, type Page, test } from '@playwright/test';

/** Posts the same call some times over, as a producer without Kafka does. */
async function post(url: string, sessionId: string, name: string, times: number): Promise<void> {
  const event = { sessionId, agent: 'probe', type: 'tool_call_request', name, args: { host: 'a' } };
  const body = Array.from({ length: times }, () => JSON.stringify(event)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
}

function rows(page: Page) {
  return page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem');
}

test('a loop is found, understood, judged, tried under another threshold, and switched off', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await using folder = await tempDir();
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const args = ['start', '--port', port, '--data-dir', folder.path, '--no-samples'];
  await using cli = spawnCli(args, {}, { from: 'build' });
  await cli.line(/Loopwatch .* is at http/);
  await page.emulateMedia({ reducedMotion: 'reduce' });

  await page.goto(`${url}/incidents`);
  await expect(page.getByRole('heading', { name: 'No loops yet' })).toBeVisible();
  await expect(page.getByRole('banner').getByText(/^Live/)).toBeVisible();

  // It is there within two seconds of its event.
  await post(url, 'probe-1', 'ping', 6);
  await expect(rows(page).filter({ hasText: 'ping was called' })).toBeVisible({ timeout: 2_000 });

  // It is found among others by a filter, and opened.
  await post(url, 'probe-2', 'list_rooms', 6);
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press('/');
  await page.keyboard.type('tool:ping');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(1);
  await rows(page).getByRole('link').click();
  const beside = page.getByRole('complementary', { name: 'Incident beside the list' });
  await expect(beside.getByRole('region', { name: 'Why this is a loop' })).toContainText('threshold 4');
  await expect(beside.getByRole('region', { name: 'The session around it' })).toContainText('all 6 events');

  // Its evidence is read on a page of its own, and it is judged to be none.
  await beside.getByRole('link', { name: 'Whole page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('ping was called');
  await expect(page.getByRole('region', { name: 'The loop, call by call' })).toContainText(
    'Noticed at call 4',
  );
  await page.getByRole('button', { name: 'Not a loop' }).click();
  await expect(page.getByRole('button', { name: 'False positive' })).toBeVisible();

  // A higher threshold would have been silent; that is seen at once.
  await page.getByRole('link', { name: 'Tuning' }).click();
  const flagged = page.getByRole('row', { name: /^Sessions flagged/ }).getByRole('cell');
  await expect(flagged).toHaveText(['1', '1']);
  await page.getByLabel('Same call in a row').fill('9');
  await expect(flagged).toHaveText(['1', '0']);
  await expect(page.getByText('1 session would be judged differently.')).toBeVisible();

  // Detection is switched off for the session, and its loops are no longer told of.
  await page.goto(`${url}/sessions/probe-2`);
  await page.getByRole('button', { name: 'Switch detection off' }).click();
  await expect(page.getByRole('button', { name: 'Detection is off; switch on' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Transcript' })).toContainText('enabled = false');
  await post(url, 'probe-2', 'open_door', 8);
  await post(url, 'probe-3', 'close_door', 8);
  await page.goto(`${url}/incidents`);
  await expect(rows(page).filter({ hasText: 'close_door was called' })).toBeVisible();
  await expect(rows(page).filter({ hasText: 'open_door was called' })).toHaveCount(0);
});
