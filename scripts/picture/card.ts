import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';

const root = join(import.meta.dirname, '../..');
/** What social networks show of a link. */
const size = { width: 1200, height: 630 };

/** The card that a link to the documentation shows elsewhere: docs/images/social-card.png. */
export async function pictureCard(browser: Browser): Promise<void> {
  const read = (path: string): string => readFileSync(join(root, path), 'base64');
  const page = await browser.newPage({ viewport: size });
  await page.setContent(`
    <style>
      body { margin: 0; width: 1200px; height: 630px; overflow: hidden; background: #0f1419; color: #f2f5f7;
        font-family: Inter, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; }
      main { position: absolute; left: 72px; top: 64px; width: 560px; }
      header { display: flex; align-items: center; gap: 20px; font-size: 44px; font-weight: 700; }
      header img { width: 72px; }
      h1 { margin: 56px 0 28px; font-size: 64px; line-height: 1.08; letter-spacing: -0.02em; }
      p { margin: 0; font-size: 27px; line-height: 1.4; color: #b4bec7; }
      .shot { position: absolute; left: 680px; top: 96px; width: 820px; border-radius: 12px; box-shadow: 0 12px 60px #000; }
    </style>
    <main>
      <header><img src="data:image/svg+xml;base64,${read('packages/dashboard/public/favicon.svg')}">Loopwatch</header>
      <h1>Catches agents that go in circles</h1>
      <p>Finds loops in the event streams of AI agents while they happen, and can stop them.</p>
    </main>
    <img class="shot" src="data:image/webp;base64,${read('docs/images/loop-dark-still.webp')}">`);
  await page.screenshot({ path: join(root, 'docs/images/social-card.png') });
  await page.close();
}
