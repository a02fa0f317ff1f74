import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import sharp from 'sharp';
import { startOwnServer } from '../../e2e/support/own-server.ts';

const folder = join(import.meta.dirname, '../../docs/images');
const size = { width: 960, height: 840 };
const FRAME_MS = 700;
const LAST_FRAME_MS = 4000;

const sessionId = 'fix-cart-total';
const failure = 'FAIL src/cart.test.ts > rounds to cents: expected 19.989999999999998 to be 19.99';

/** A call and its result, in a turn of its own. */
function turn(name: string, args: object, result: string, isError = false): object[] {
  return [
    { type: 'turn_started' },
    { type: 'tool_call_request', name, args },
    { type: 'tool_result', result, isError },
    { type: 'turn_finished', usage: { inputTokens: 18_400, outputTokens: 120 } },
  ];
}

/** What each frame adds: work at first, then the same failing test again and again. */
const steps: readonly (readonly object[])[] = [
  [{ type: 'prompt_started', text: 'The total of a cart is one cent off. Fix it.' }],
  turn('read_file', { path: 'src/cart.ts' }, 'export const total = (items) => items.reduce(add, 0);'),
  turn(
    'read_file',
    { path: 'src/cart.test.ts' },
    "test('rounds to cents', () => expect(total(cart)).toBe(19.99));",
  ),
  ...Array.from({ length: 7 }, () => turn('run_command', { command: 'npm test -- cart' }, failure, true)),
];

/** The page of a session that starts to loop, as docs/images/loop-*.webp, and its last frame as docs/images/loop-*-still.webp. */
export async function pictureLoop(browser: Browser): Promise<void> {
  const server = await startOwnServer();
  try {
    const schemes = ['light', 'dark'] as const;
    const pages = await Promise.all(
      schemes.map((colorScheme) => browser.newPage({ colorScheme, viewport: size, reducedMotion: 'reduce' })),
    );
    for (const page of pages) await page.goto(`${server.url}/sessions/${sessionId}`);
    const frames: Buffer[][] = pages.map(() => []);
    for (const events of steps) {
      await send(server.url, events);
      for (const [index, page] of pages.entries()) frames[index]?.push(await frameOf(page));
    }
    for (const [index, scheme] of schemes.entries()) await write(`loop-${scheme}`, frames[index] ?? []);
  } finally {
    await server.stop();
  }
}

async function send(url: string, events: readonly object[]): Promise<void> {
  const body = events.map((event) =>
    JSON.stringify({ sessionId, agent: 'coder', model: 'gpt-5-mini', time: Date.now(), ...event }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body: body.join('\n') });
  if (!response.ok) throw new Error(`the server refuses the events: ${await response.text()}`);
}

/** The page after it has shown what was sent last: no element can tell, because an event may change nothing. */
async function frameOf(page: Page): Promise<Buffer> {
  await page.waitForTimeout(1500);
  return page.screenshot();
}

async function write(name: string, frames: readonly Buffer[]): Promise<void> {
  const delay = frames.map((_, index) => (index === frames.length - 1 ? LAST_FRAME_MS : FRAME_MS));
  const webp = { quality: 80, effort: 6, loop: 0, delay };
  await sharp([...frames], { join: { animated: true } })
    .webp(webp)
    .toFile(join(folder, `${name}.webp`));
  await sharp(frames.at(-1))
    .webp({ quality: 80 })
    .toFile(join(folder, `${name}-still.webp`));
}
