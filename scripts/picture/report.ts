import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from '@playwright/test';
import { historyFiles } from './histories.ts';

const root = join(import.meta.dirname, '../..');

/** The report of `loopwatch scan --html` on generated sessions, as docs/images/scan-*.png. */
export async function pictureReport(browser: Browser): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'loopwatch-picture-'));
  try {
    for (const { path, text, writtenAt } of historyFiles()) {
      const file = join(home, '.claude', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      utimesSync(file, writtenAt, writtenAt);
    }
    const page = join(home, 'report.html');
    const scan = [join(root, 'packages/cli/bin/loopwatch.js'), 'scan', '--html', page];
    const env = { PATH: process.env['PATH'], HOME: home };
    const { status } = spawnSync(process.execPath, scan, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 3)
      throw new Error(`scan ended with ${String(status)}, not with 3 for the loops in its histories`);
    await photograph(browser, page);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function photograph(browser: Browser, file: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({
      colorScheme,
      viewport: { width: 860, height: 400 },
      deviceScaleFactor: 1,
    });
    await page.goto(`file://${file}`);
    await page.screenshot({ path: join(root, `docs/images/scan-${colorScheme}.png`), fullPage: true });
    await page.close();
  }
}
