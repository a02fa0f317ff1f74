import { setTimeout as delay } from 'node:timers/promises';
import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';
import { chromium } from '@playwright/test';
import playwright from '../../playwright.config.ts';
import { LoopTraffic } from './loop-traffic.ts';
import { ViewReader, type Views } from './views.ts';

export interface PagesSoakOptions {
  readonly verdictsPerSecond: number;
  readonly seconds: number;
  /** Seconds between two comparisons. */
  readonly every: number;
  readonly log: (text: string) => void;
}

type ViewName = keyof Views;

/** How old the newest loops are that each view lacks, and how old it says they are; ms. */
export interface Look {
  readonly atSecond: number;
  readonly accepted: number;
  readonly loops: Readonly<Record<ViewName, number>>;
  readonly behindMs: Readonly<Record<ViewName, number>>;
  readonly saysBehindMs: Readonly<Record<ViewName, number>>;
  /** Since the look before. */
  readonly smoothness: Awaited<ReturnType<ViewReader['smoothness']>>;
}

export interface PagesSoakReport {
  readonly sessions: number;
  readonly refused: number;
  readonly looks: readonly Look[];
  /** The same from all views once everything was read. */
  readonly end: Views;
  /** Seconds until then, after the last event. */
  readonly drainedAfterS: number;
  /** Reasons for failure; empty on success. */
  readonly failures: readonly string[];
}

/** A view may lack this much without saying so: pages say it from 5 seconds on, and may not have heard of it for 7. */
const SILENT_MS = 12_000;
/** What a view says is rounded, and grows while it is read. */
const TOLERANCE = 1.25;
const LOOK_MS = 1_000;
const DRAIN_MS = 300_000;

const names: readonly ViewName[] = ['overview', 'list', 'overviewPage', 'listPage'];

/**
 * Sends looping sessions to `loopwatch start` and compares, again and again, what the overview, the list and their pages
 * show with what was accepted: each is complete, or says how far it is behind. At the end, all show the same.
 */
export async function soakPages(options: PagesSoakOptions): Promise<PagesSoakReport> {
  const { verdictsPerSecond, seconds, every, log } = options;
  await using folder = await tempDir('loopwatch-soak');
  const port = String(await freePort());
  await using server = spawnCli(
    ['start', '--port', port, '--data-dir', folder.path, '--no-samples'],
    {},
    { from: 'build' },
  );
  await server.line(/Loopwatch .* is at http/);
  const url = `http://127.0.0.1:${port}`;
  const browser = await chromium.launch(playwright.use?.launchOptions ?? {});
  try {
    await using reader = await ViewReader.open(url, browser);
    const traffic = new LoopTraffic(url);
    const began = performance.now();
    const running = traffic.run(verdictsPerSecond, seconds);
    const looks: Look[] = [];
    const isSent = async (ms: number) => Promise.race([running.then(() => true), delay(ms, false)]);
    while (!(await isSent(every * 1_000))) looks.push(await look(reader, traffic, began, log));
    looks.push(await look(reader, traffic, began, log));
    const sentAt = performance.now();
    const end = await drained(reader, traffic, log);
    const failures = [...looks.flatMap(failuresOf), ...failuresAtEnd(end, traffic.acceptedAt.length)];
    const drainedAfterS = Math.round((performance.now() - sentAt) / 100) / 10;
    return {
      sessions: traffic.acceptedAt.length,
      refused: traffic.refused,
      looks,
      end,
      drainedAfterS,
      failures,
    };
  } finally {
    await browser.close();
  }
}

async function look(
  reader: ViewReader,
  traffic: LoopTraffic,
  began: number,
  log: (text: string) => void,
): Promise<Look> {
  // What was accepted while the views were read need not be in them.
  const now = Date.now();
  const accepted = traffic.acceptedAt.length;
  // Before the pages are read, which takes them some time.
  const smoothness = await reader.smoothness();
  const views = await reader.read();
  const each = (of: (name: ViewName) => number) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Record<ViewName, number>;
  const seen: Look = {
    atSecond: Math.round((performance.now() - began) / 1_000),
    accepted,
    loops: each((name) => views[name].loops),
    behindMs: each((name) => traffic.ageOf(views[name].loops, now)),
    saysBehindMs: each((name) => views[name].saysBehindMs),
    smoothness,
  };
  log(JSON.stringify(seen));
  return seen;
}

function failuresOf({ atSecond, behindMs, saysBehindMs }: Look): string[] {
  return names.flatMap((name) =>
    behindMs[name] <= SILENT_MS + TOLERANCE * saysBehindMs[name]
      ? []
      : [
          `second ${String(atSecond)}: ${name} is ${String(behindMs[name])} ms behind and says ${String(saysBehindMs[name])}`,
        ],
  );
}

/** Reads until all views show everything, but not forever. */
async function drained(
  reader: ViewReader,
  traffic: LoopTraffic,
  log: (text: string) => void,
): Promise<Views> {
  const all = traffic.acceptedAt.length;
  const deadline = performance.now() + DRAIN_MS;
  for (;;) {
    const views = await reader.read();
    const [missing] = failuresAtEnd(views, all);
    if (missing === undefined || performance.now() > deadline) return views;
    log(missing);
    await delay(LOOK_MS);
  }
}

function failuresAtEnd(views: Views, accepted: number): string[] {
  return names.flatMap((name) => {
    const { loops, open } = views[name];
    return [
      ...(loops === accepted ? [] : [`${name} shows ${String(loops)} of ${String(accepted)} loops`]),
      ...(open === views.overview.open
        ? []
        : [`${name} shows ${String(open)} open loops, the overview ${String(views.overview.open)}`]),
    ];
  });
}
