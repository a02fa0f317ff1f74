import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const candidates = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function chromium(): string {
  const found = candidates.find((path) => path !== '' && existsSync(path));
  if (found === undefined) {
    throw new Error('No Chromium found: run `sudo apt-get install -y chromium`, or set CHROMIUM_PATH');
  }
  return found;
}

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 60_000,
  fullyParallel: false,
  workers: 1,
  use: {
    browserName: 'chromium',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: chromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});
