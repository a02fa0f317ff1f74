import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

/** @returns the browser of this machine; undefined if there is none */
export function findChromium(): string | undefined {
  const candidates = [
    process.env['CHROMIUM_PATH'] ?? '',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    // What `npx playwright install chromium` installs.
    chromium.executablePath(),
  ];
  return candidates.find((path) => path !== '' && existsSync(path));
}

/** The browser of this machine. @throws Error that says how to get one */
export function chromiumPath(): string {
  const found = findChromium();
  if (found === undefined)
    throw new Error('No Chromium found: run `npm test`, which installs it, or set CHROMIUM_PATH');
  return found;
}
