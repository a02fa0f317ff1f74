import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';

/** The incidents as they are listed. */
export function rows(page: Page): Locator {
  return page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem');
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByRole('banner').getByText(/^Live/)).toBeVisible();
}

/** @param rules all, unless some are named */
export async function expectNoViolations(page: Page, rules: readonly string[] = []): Promise<void> {
  // Without frames there is nothing to gather on a page of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  if (rules.length > 0) axe.withRules([...rules]);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found, page.url()).toEqual([]);
}

/** How somebody works the page. */
export interface Hand {
  readonly press: (target: Locator) => Promise<void>;
  /** Moves a slider up by so many steps. */
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

/** From wherever the focus is, by Tab alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(target)} cannot be reached by Tab`);
}
