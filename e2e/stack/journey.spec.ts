import { expect, type Page } from '@playwright/test';
import { expectLive, type HandKind, handOf, rows } from '../support/page.ts';
import { type Storage, test } from '../support/stack.ts';

/** Covers each storage once, and mouse and keyboard once each. */
const journeys: readonly { readonly storage: Storage; readonly hand: HandKind }[] = [
  { storage: 'PGlite', hand: 'mouse' },
  { storage: 'PostgreSQL', hand: 'keyboard' },
];

for (const { storage, hand } of journeys) {
  test.describe(`journey over Kafka and ${storage}, by ${hand}`, () => {
    test.use({ storage, contextOptions: { reducedMotion: 'reduce' } });

    test('a user finds a loop, inspects it, triages it, tries another threshold, and turns detection off', async ({
      page,
      browser,
      stack,
    }) => {
      const { press, slide } = handOf(hand, page);
      await page.goto(`${stack.url}/incidents`);
      await expect(page.getByRole('heading', { name: 'No loops yet' })).toBeVisible();
      await expectLive(page);

      // The incident appears within two seconds of its event.
      await Promise.all([
        stack.call('ping', 6, 'probe-1'),
        expect(rows(page).filter({ hasText: /ping ×/ })).toBeVisible(),
      ]);

      // A filter finds it among others, and it is opened.
      await stack.call('list_rooms', 6, 'probe-2');
      await expect(rows(page)).toHaveCount(2);
      await page.keyboard.press('/');
      await page.keyboard.type('tool:ping');
      await page.keyboard.press('Enter');
      await expect(rows(page)).toHaveCount(1);
      await press(rows(page).getByRole('link'));
      await expect(page).toHaveURL(/\?tool=ping&peek=/);
      const beside = page.getByRole('complementary', { name: 'Incident details' });
      await expect(beside.getByRole('region', { name: 'Why this is a loop' })).toContainText('threshold 4');
      await expect(beside.getByRole('region', { name: 'Session timeline' })).toContainText('all 6 events');

      // Its page shows the evidence, and the user marks it as a false positive.
      await press(beside.getByRole('link', { name: 'Open full page' }));
      await expectEvidence(page);
      const incident = page.url();
      await press(page.getByRole('button', { name: 'False positive' }));
      await expect(page.getByRole('button', { name: 'False positive', pressed: true })).toBeVisible();

      // Back returns to the list, and forward to the incident.
      await page.goBack();
      await expect(page).toHaveURL(/\?tool=ping&peek=/);
      await expect(rows(page)).toHaveCount(1);
      await expect(rows(page)).toContainText('false positive');
      await page.goForward();
      await expectEvidence(page);

      // The preview shows at once that a higher threshold would not have reported it.
      await press(page.getByRole('link', { name: 'Tuning' }));
      const flagged = page.getByRole('row', { name: /^Flagged sessions/ }).getByRole('cell');
      await expect(flagged).toHaveText(['1', '1']);
      await slide(page.getByLabel('Same call in a row'), 5);
      await expect(flagged).toHaveText(['1', '0']);
      await expect(page.getByText('1 session would have different results.')).toBeVisible();

      // With detection off for the session, its loops are not reported until it is switched on again.
      await press(page.getByRole('link', { name: 'probe-1' }));
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await expect(transcript).toContainText('ping');
      await press(page.getByRole('button', { name: 'Turn detection off' }));
      await expect(transcript).toContainText('enabled = false');
      await stack.call('open_door', 8, 'probe-1');
      await expect(transcript).toContainText('open_door');
      await press(page.getByRole('button', { name: 'Detection is off; turn on' }));
      await expect(page.getByRole('button', { name: 'Turn detection off' })).toBeVisible();
      await stack.call('close_door', 8, 'probe-1');
      await press(page.getByRole('link', { name: 'Incidents' }));
      await expect(rows(page).filter({ hasText: /close_door ×/ })).toBeVisible();
      await expect(rows(page).filter({ hasText: /open_door ×/ })).toHaveCount(0);

      // The URL leads another user to the same incident and its triage.
      await using elsewhere = await browser.newContext();
      const other = await elsewhere.newPage();
      await other.goto(incident);
      await expectEvidence(other);
      await expect(other.getByRole('button', { name: 'False positive' })).toBeVisible();
    });
  });
}

async function expectEvidence(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/ping ×/);
  const calls = page.getByRole('region', { name: 'Calls in the loop' });
  await expect(calls).toContainText('Detected at call 4');
}
