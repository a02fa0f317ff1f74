import { defineConfig } from '@playwright/test';
import { chromiumPath } from './e2e/support/chromium.ts';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Ten times what the longest test takes beside the other tests.
  timeout: 900_000,
  fullyParallel: false,
  workers: 2,
  expect: { timeout: 120_000 },
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
