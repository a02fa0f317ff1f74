import { expect, type Page } from '@playwright/test';
import { expectLive, rows } from '../support/page.ts';
import { test } from '../support/stack.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' }, viewport: { width: 1440, height: 900 } });

/** More changes than the live link sends individually after a reconnection. */
const MANY = 230;

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n)}`);

test('server outage: is shown, and followed by the incidents detected meanwhile', async ({ page, stack }) => {
  await page.goto(`${stack.url}/incidents`);
  await expectLive(page);
  await stack.call('before', 6, 'probe');
  await expect(rows(page)).toHaveCount(1);

  await stack.stopServer();
  await expect(page.getByText(/^Reconnecting, stale since \d/)).toBeVisible();
  await expect(rows(page), 'what was there can still be read').toHaveCount(1);
  await stack.call('meanwhile', 6, ...names('few', 3));
  await stack.startServer();
  await expectLive(page);
  await expectSessions(page, ['probe', ...names('few', 3)]);

  await stack.stopServer();
  await expect(page.getByText(/^Reconnecting, stale since/)).toBeVisible();
  await stack.call('meanwhile', 6, ...names('many', MANY));
  await stack.startServer();
  await expectLive(page);
  await expectSessions(page, ['probe', ...names('few', 3), ...names('many', MANY)]);
});

test('Kafka outage: is shown, and followed by all incidents from before and after', async ({
  page,
  stack,
  kafka,
}) => {
  await page.goto(`${stack.url}/incidents`);
  await expectLive(page);
  await stack.call('before', 6, 'probe');
  await expect(rows(page)).toHaveCount(1);

  // The last events that the broker accepts may not have been read when it stops.
  await stack.call('just_before', 6, ...names('before', 5));
  await kafka.stopBroker();
  await expect(page.getByText('The server lost its connection to the event log')).toBeVisible();
  await expect(
    rows(page)
      .filter({ hasText: /before ×/ })
      .first(),
  ).toBeVisible();
  await kafka.startBroker();
  await stack.call('just_after', 6, ...names('after', 5));
  await expectLive(page);
  await expectSessions(page, ['probe', ...names('before', 5), ...names('after', 5)]);
});

/** Scrolls through the whole list, as a user does, until all of these have been found. */
async function expectSessions(page: Page, sessions: readonly string[]): Promise<void> {
  const seen = () =>
    page.evaluate(async () => {
      const scroller = document.getElementById('page');
      const found = new Set<string>();
      for (let top = 0, before = -1; scroller !== null && top !== before; ) {
        scroller.scrollTop = top;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        for (const agent of scroller.querySelectorAll('[data-column="agent"] > :first-child'))
          found.add(agent.textContent);
        before = top;
        top = Math.min(top + scroller.clientHeight / 2, scroller.scrollHeight - scroller.clientHeight);
      }
      return [...found];
    });
  await expect
    .poll(
      async () => {
        const agents = new Set(await seen());
        return sessions.filter((id) => !agents.has(id));
      },
      { message: 'sessions that are missing in the list' },
    )
    .toEqual([]);
}
