// `npm run picture`: the pictures of docs/images that are taken of Loopwatch itself. `npm run picture card` takes only that one.
import { chromium } from '@playwright/test';
import { chromiumPath } from '../../e2e/support/chromium.ts';
import { pictureCard } from './card.ts';
import { pictureLoop } from './loop.ts';
import { pictureReport } from './report.ts';

const pictures = { report: pictureReport, loop: pictureLoop, card: pictureCard };

const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
try {
  for (const [name, take] of Object.entries(pictures))
    if (process.argv.length < 3 || process.argv.includes(name)) await take(browser);
} finally {
  await browser.close();
}
