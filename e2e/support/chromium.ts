import { existsSync } from 'node:fs';

const candidates = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine. @throws Error that says how to get one */
export function chromiumPath(): string {
  const found = candidates.find((path) => path !== '' && existsSync(path));
  if (found === undefined) {
    throw new Error('No Chromium found: run `sudo apt-get install -y chromium`, or set CHROMIUM_PATH');
  }
  return found;
}
