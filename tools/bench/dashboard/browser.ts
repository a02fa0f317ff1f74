import { type Browser, chromium, type Page } from '@playwright/test';
import playwright from '../../../playwright.config.ts';
import { quantile, rounded } from '../measure.ts';
import type { FlowResult } from './messages.ts';

const SCROLL_MS = Number(process.env['BENCH_SCROLL_MS'] ?? 20_000);
/** About as fast as a hand on a touchpad: 800 pixels, or 14 rows, per step. */
const WHEEL_PIXELS = 800;
const WHEEL_EVERY_MS = 50;

interface Frames {
  readonly p50FrameMs: number;
  readonly p95FrameMs: number;
  readonly maxFrameMs: number;
  /** Mean processor time of the page's main thread per frame, which other load on the machine affects less. */
  readonly cpuPerFrameMs: number;
}

export interface ScrollResult extends Frames {
  /** The row that was reached; older ones are read while scrolling. */
  readonly reachedRow: number;
  readonly rowsDrawn: number;
}

/** Scrolls down the whole list with the wheel; its pages load on the way. */
export function scrollInBrowser(url: string): Promise<ScrollResult> {
  return inBrowser(async (page) => {
    await openList(page, url);
    await page.mouse.move(600, 500);
    const frames = await watchFrames(page);
    for (const end = Date.now() + SCROLL_MS; Date.now() < end; ) {
      await page.mouse.wheel(0, WHEEL_PIXELS);
      await page.waitForTimeout(WHEEL_EVERY_MS);
    }
    const measured = await frames();
    const rows = page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem');
    return {
      ...measured,
      reachedRow: Number(await rows.last().getAttribute('aria-posinset')),
      rowsDrawn: await rows.count(),
    };
  });
}

export interface FlowPage extends Frames {
  /** The page's notice about skipped changes; empty without one. */
  readonly notice: string;
}

/** The newest incidents on a page while verdicts arrive. */
export function flowInBrowser(
  url: string,
  run: () => Promise<FlowResult>,
): Promise<{ flow: FlowResult; page: FlowPage }> {
  return inBrowser(async (page) => {
    await openList(page, url);
    const frames = await watchFrames(page);
    const flow = await run();
    const measured = await frames();
    const note = page.getByRole('status').filter({ hasText: 'too fast' });
    const notice = (await note.count()) === 0 ? '' : ((await note.textContent()) ?? '').replace(/;.*/, '');
    return { flow, page: { ...measured, notice } };
  });
}

async function inBrowser<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const browser: Browser = await chromium.launch(playwright.use?.launchOptions ?? {});
  try {
    return await work(await browser.newPage({ viewport: { width: 1400, height: 900 } }));
  } finally {
    await browser.close();
  }
}

async function openList(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/incidents`);
  await page.getByRole('list', { name: 'Incidents, newest first' }).getByRole('listitem').first().waitFor();
}

/** A string, because code compiled for Node does not run in a page. */
const collectFrames = `
  window.frameTimes = [];
  let last = performance.now();
  requestAnimationFrame(function next(now) {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(next);
  });
`;

/** Measures the time between frames of the page, until the result is requested. */
async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpuMs = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  const before = await cpuMs();
  await page.evaluate(collectFrames);
  return async () => {
    const frames = await page.evaluate<number[]>('window.frameTimes');
    return {
      p50FrameMs: rounded(quantile(frames, 0.5)),
      p95FrameMs: rounded(quantile(frames, 0.95)),
      maxFrameMs: rounded(Math.max(...frames)),
      cpuPerFrameMs: rounded(((await cpuMs()) - before) / frames.length),
    };
  };
}
