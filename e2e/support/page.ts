import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';

/** AxeBuilder injects its source before each analysis; this one does nothing in a page that has axe. */
const axeSource = `if (window.axe === undefined) {${axe.source}}`;

/** The listed incidents. */
export function rows(page: Page): Locator {
  return page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem');
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByRole('banner').getByText(/^Live/)).toBeVisible();
}

/** @param rules default: all */
export async function expectNoViolations(page: Page, rules: readonly string[] = []): Promise<void> {
  // Without frames, axe needs no extra page to collect results. Includes the rule of WCAG 2.2 that axe omits by
  // default.
  const builder = new AxeBuilder({ page, axeSource }).setLegacyMode().options({
    rules: { 'target-size': { enabled: true } },
    // Describing what passed took most of the time.
    resultTypes: ['violations'],
  });
  if (rules.length > 0) builder.withRules([...rules]);
  const { violations } = await builder.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found, page.url()).toEqual([]);
}

export const viewports = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/**
 * Expects no accessibility violations and nothing wider than the screen, at any width and in either theme.
 *
 * @param shown a text that is visible at every width once the page is complete
 */
export async function expectFine(page: Page, shown: string): Promise<void> {
  for (const viewport of viewports) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(viewport);
    // Parts that depend on the width are rendered again in the frame after a change.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await expect(page.getByText(shown).locator('visible=true').first()).toBeVisible();
    await expectNoViolations(page);
    // A theme changes only colors, and the widest and the narrowest screen show every part.
    if (viewport !== viewports[1]) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectNoViolations(page, ['color-contrast']);
    }
    const overflow = await page.evaluate(() =>
      [...document.querySelectorAll('main, article')].map((part) => part.scrollWidth - part.clientWidth),
    );
    expect(Math.max(...overflow), `wider than ${String(viewport.width)} pixels`).toBeLessThanOrEqual(0);
  }
}

/** The input device that operates the page. */
export interface Hand {
  readonly press: (target: Locator) => Promise<void>;
  /** Moves a slider up by this many steps. */
  readonly slide: (target: Locator, steps: number) => Promise<void>;
}

export type HandKind = 'mouse' | 'keyboard';

export function handOf(kind: HandKind, page: Page): Hand {
  const reach = async (target: Locator) => {
    if (kind === 'mouse') await target.click();
    else await tabTo(page, target);
  };
  return {
    press: async (target) => {
      await reach(target);
      if (kind === 'keyboard') await page.keyboard.press('Enter');
    },
    slide: async (target, steps) => {
      if (kind === 'mouse') await target.fill(String(Number(await target.inputValue()) + steps));
      else await tabTo(page, target);
      for (let step = 0; kind === 'keyboard' && step < steps; step += 1)
        await page.keyboard.press('ArrowRight');
    },
  };
}

const MAX_TABS = 250;

/** Starts at the current focus and uses only Tab. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(target)} cannot be reached by Tab`);
}
