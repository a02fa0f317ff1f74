import type { IncidentPage, Overview } from '@loopwatch/contract/api';
import type { Browser, Page } from '@playwright/test';

/** What one view of the server shows: loops in all, loops open now, and how far it says to be behind. */
export interface View {
  readonly loops: number;
  readonly open: number;
  /** Milliseconds; 0 if it says nothing, Infinity if it says that it is stale or has no connection. */
  readonly saysBehindMs: number;
}

export interface Views {
  readonly overview: View;
  readonly list: View;
  readonly overviewPage: View;
  readonly listPage: View;
}

/** How a page keeps up, since it was asked before. */
export interface Smoothness {
  /** Longest time between two frames, ms. */
  readonly stallMs: number;
  /** JavaScript heap in use, MB. */
  readonly heapMb: number;
}

/** The API and the pages of a server, read side by side. */
export class ViewReader implements AsyncDisposable {
  readonly #url: string;
  readonly #overviewPage: Page;
  readonly #listPage: Page;

  private constructor(url: string, overviewPage: Page, listPage: Page) {
    this.#url = url;
    this.#overviewPage = overviewPage;
    this.#listPage = listPage;
  }

  static async open(url: string, browser: Browser): Promise<ViewReader> {
    const open = async (path: string): Promise<Page> => {
      const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
      await page.addInitScript(watchFrames);
      await page.goto(`${url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      return page;
    };
    return new ViewReader(url, await open('/?range=6h'), await open('/incidents'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#overviewPage.close();
    await this.#listPage.close();
  }

  async read(): Promise<Views> {
    const api = await this.#get<Overview>('overview?lastMs=21600000');
    const [all, open, overviewPage, listPage] = await Promise.all([
      this.#get<IncidentPage>('incidents?limit=1'),
      this.#get<IncidentPage>('incidents?limit=1&open=true'),
      shownOn(this.#overviewPage, readTiles),
      shownOn(this.#listPage, readListNote),
    ]);
    const saysBehindMs = Math.max(0, Date.now() - (api.readTo ?? api.asOf));
    return {
      overview: { loops: api.found, open: api.open, saysBehindMs },
      // The list has no field of its own for this.
      list: { loops: all.total, open: open.total, saysBehindMs },
      overviewPage,
      listPage,
    };
  }

  async smoothness(): Promise<{ readonly overviewPage: Smoothness; readonly listPage: Smoothness }> {
    const of = (page: Page) => page.evaluate<Smoothness>(readFrames);
    return { overviewPage: await of(this.#overviewPage), listPage: await of(this.#listPage) };
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${String(response.status)}`);
    return (await response.json()) as T;
  }
}

/* Strings, because code compiled for Node does not run in a page. */
const watchFrames = `(() => {
  let before = performance.now();
  window.longestFrame = 0;
  const next = (now) => {
    window.longestFrame = Math.max(window.longestFrame, now - before);
    before = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()`;
const readFrames = `(() => {
  const stallMs = Math.round(window.longestFrame);
  window.longestFrame = 0;
  return { stallMs, heapMb: Math.round(performance.memory.usedJSHeapSize / 1e6) };
})()`;
const readTiles = `(() => {
  const tiles = [...document.querySelectorAll('section[aria-label="Key figures"] > div')];
  const figure = (name) => tiles.find((tile) => tile.querySelector('h2')?.textContent === name)?.querySelector('p')?.textContent ?? '0';
  return [figure('Detected'), figure('Open now')];
})()`;
const readListNote = `(() => {
  const text = document.querySelector('main')?.innerText ?? '';
  return [/([\\d,]+) total/.exec(text)?.[1] ?? '0', /([\\d,]+) open/.exec(text)?.[1] ?? '0'];
})()`;
const readClaim = `[document.querySelector('header')?.innerText ?? '', ...[...document.querySelectorAll('[role=note], [role=status]')].map((part) => part.innerText)].join(' ')`;

async function shownOn(page: Page, figures: string): Promise<View> {
  const [loops = '', open = ''] = await page.evaluate<string[]>(figures);
  const claim = await page.evaluate<string>(readClaim);
  return { loops: numberIn(loops), open: numberIn(open), saysBehindMs: behindIn(claim) };
}

/** 41,200 loops */
function numberIn(text: string): number {
  return Number(text.replace(/[^\d]/g, ''));
}

const unitMs = { s: 1_000, min: 60_000, h: 3_600_000 } as const;

/** How far behind a page says that it is: "42 s behind", "Stale since ...", "120 changes skipped to keep up". */
export function behindIn(text: string): number {
  if (/Stale since|Reconnecting|No connection|skipped to keep up/.test(text)) return Number.POSITIVE_INFINITY;
  const said = /((?:\d+ (?:s|min|h) )+)behind/.exec(text)?.[1];
  if (said === undefined) return 0;
  return [...said.matchAll(/(\d+) (s|min|h)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs],
    0,
  );
}
