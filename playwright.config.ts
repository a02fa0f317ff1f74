import { defineConfig } from '@playwright/test';
import { chromiumPath } from './e2e/support/chromium.ts';

/** Most of its time is a minute that has to pass, so it runs beside the others and does not slow them down. */
const waiting = '**/overview.spec.ts';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 60_000,
  fullyParallel: false,
  workers: 3,
  projects: [
    { name: 'e2e', testIgnore: waiting, workers: 2 },
    { name: 'waiting', testMatch: waiting, workers: 1 },
  ],
  // Pages ask again, and connect again, after up to five seconds.
  expect: { timeout: 15_000 },
  use: {
    browserName: 'chromium',
    // Screenshots of each frame took a sixth of the browser's CPU time.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      executablePath: chromiumPath(),
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
