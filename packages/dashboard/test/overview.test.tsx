import { createMemoryHistory } from '@tanstack/react-router';
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../src/api/query-client.ts';
import { App } from '../src/app/App.tsx';
import { createAppRouter } from '../src/app/router.tsx';
import { createLiveStore, type LiveStore } from '../src/live/live-store.ts';
import { changes, NOW, overview, row, snapshot } from './rows.ts';
import { FakeServer } from './server.ts';

let store: LiveStore;
let server: FakeServer;
let client = createQueryClient();

// A busy machine takes its time for a page's code.
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  store = createLiveStore();
  server = new FakeServer();
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  // Without a size, no chart is drawn.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = vi.fn();
      disconnect = vi.fn();
    },
  );
  vi.stubGlobal('fetch', server.fetch);
  vi.stubGlobal('scrollTo', vi.fn());
});

afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
});

async function open(path = '/'): Promise<void> {
  client = createQueryClient();
  const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }));
  render(<App client={client} router={router} live={{ store, retry: vi.fn() }} />);
  await screen.findByRole('heading', { level: 1, name: 'Overview' });
  await screen.findByRole('region', { name: 'Looping now' });
}

/** Every place of the page that says how many incidents are open. */
function openCounts(): Record<string, string | null | undefined> {
  const rows = within(screen.getByRole('region', { name: 'Looping now' })).queryAllByRole('row');
  const [, ...detectors] = within(screen.getByRole('region', { name: 'By detector' })).queryAllByRole('row');
  return {
    card: screen.getByRole('heading', { name: 'Open now' }).nextElementSibling?.textContent,
    list: String(Math.max(0, rows.length - 1)),
    detectors: String(
      detectors.reduce((sum, one) => sum + Number(within(one).getAllByRole('cell')[2]?.textContent), 0),
    ),
    rail:
      screen.queryByRole('link', { name: /^Incidents/ })?.querySelector('b')?.firstChild?.textContent ?? '0',
    tab: /^\((\d+)\)/.exec(document.title)?.[1] ?? '0',
  };
}

const all = (count: string) => ({ card: count, list: count, detectors: count, rail: count, tab: count });

it('overview: limits and outages that are open are counted apart from the loops', async () => {
  const counts = { open: 3, openByDetector: { 'tool-repeat': 1, budget: 1, outage: 1 } };
  server.overview = overview([row()], counts);
  act(() => store.applySnapshot(snapshot([row()], counts), NOW));
  await open();
  const card = screen.getByRole('region', { name: 'Looping now' });
  await within(card).findByRole('link', { name: 'open loops' });
  const others = within(card).getByRole('link', { name: '2 limits and outages' });
  expect(others.getAttribute('href')).toMatch(/kind=limit&kind=outage/);
});

it('overview: cards, lists, navigation and tab title always show the same moment, despite live changes', async () => {
  server.overview = overview([]);
  await open();
  expect(openCounts()).toEqual(all('0'));
  // The link tells of a loop that the overview does not hold yet: nothing changes before all of it does.
  act(() => store.applySnapshot(snapshot([row()], { open: 1 }), NOW));
  expect(openCounts()).toEqual(all('0'));
  server.overview = overview([row()], { sequence: 2 });
  act(() => store.applyChanges(changes({ sequence: 2 }), NOW));
  await waitFor(() => expect(openCounts()).toEqual(all('1')));
});

it('overview: reloads until it contains the latest change, and no more often', async () => {
  server.overview = overview([], { sequence: 4 });
  await open();
  act(() => store.applySnapshot({ ...snapshot([], { open: 0 }), sequence: 4 }, NOW));
  const asked = server.overviews.length;
  // The first answer that comes of it does not hold the change yet, the second one does.
  server.nextOverviews = [overview([], { sequence: 4 }), overview([row()], { sequence: 5 })];
  const { stats } = snapshot([], { open: 1 });
  act(() => store.applyChanges(changes({ sequence: 5, stats }), NOW));
  await waitFor(() => expect(openCounts()).toEqual(all('1')));
  expect(server.overviews.length).toBe(asked + 2);
});

it.each([
  [0, '0 recovered on their own'],
  [1, '1 recovered on its own'],
  [2, '2 recovered on their own'],
])('overview: tells of %i loops that recovered', async (recovered, note) => {
  server.overview = overview([row()], { found: 3, recovered });
  await open();
  expect(screen.getByText(note)).not.toBeNull();
});

it.each<[path: string, asked: string, shown: string]>([
  ['/', '', 'Time: Last 5 minutes'],
  ['/?range=6h', 'lastMs=21600000', 'Time: Last 6 hours'],
  ['/?range=soon', '', 'Time: Last 5 minutes'],
])('overview: requests at %s the range "%s" and shows "%s"', async (path, asked, shown) => {
  server.overview = overview([]);
  await open(path);
  expect(new Set(server.overviews)).toEqual(new Set([asked]));
  expect(screen.getByRole('button', { name: shown })).toBeTruthy();
});

it('overview: reports only the unknown parameters that are in the URL', async () => {
  server.overview = overview([]);
  await open('/?from=yesterday');
  expect(screen.getByRole('note').textContent).toContain('Ignored unknown URL parameters: from=yesterday');
});

it.each([
  ['dollars', { calls: 13, tokens: 41_200, usd: 8.4, unpriced: 0 }, '$8.40', '41.2k tokens, 13 tool calls'],
  [
    'dollars when one model has no price',
    { calls: 13, tokens: 41_200, usd: 8.4, unpriced: 1 },
    '$8.40',
    '1 loop of unknown price; 41.2k tokens, 13 tool calls',
  ],
  [
    'tokens when no model has a price',
    { calls: 13, tokens: 41_200, usd: null, unpriced: 2 },
    '41.2k tokens',
    '2 loops of unknown price; 13 tool calls',
  ],
  [
    'calls without usage',
    { calls: 13, tokens: null, usd: null, unpriced: 0 },
    '13 calls',
    'token usage is not reported',
  ],
])('overview: shows what loops used in %s', async (_, wasted, value, note) => {
  server.overview = overview([], { wasted });
  await open();
  const tile = within(screen.getByRole('region', { name: 'Key figures' })).getByRole('heading', {
    name: 'Wasted',
  }).parentElement;
  const [shown, below] = tile?.querySelectorAll('p') ?? [];
  expect(shown?.textContent).toBe(value);
  expect(below?.textContent).toBe(note);
});

it('overview: shows the share of spend beside what it was in the period before', async () => {
  const { rate } = overview([]);
  const amounts = { loops: 2, sessions: 60, usd: 100 };
  server.overview = overview([], {
    wasted: { calls: 13, tokens: 41_200, usd: 9, unpriced: 2 },
    rate: { ...rate, ...amounts, wastedUsd: 9, previous: { ...amounts, wastedUsd: 3 } },
  });
  await open();
  expect(screen.getByText('was 3% of spend')).toBeTruthy();
  expect(screen.getByText(/^9% of spend; 2 loops of unknown price; 41\.2k tokens/)).toBeTruthy();
});

it('overview: shows what is used of the budgets, and nothing without one', async () => {
  server.overview = overview([]);
  await open();
  expect(screen.queryByRole('region', { name: 'Budgets' })).toBeNull();
  cleanup();
  server.budgets = [
    {
      per: 'session',
      subject: 's-1',
      sessionTitle: 'Fix the total',
      uses: [{ resource: 'usd', used: 0.72, limit: 0.5 }],
    },
    { per: 'session', subject: 's-2', uses: [], unknown: [{ resource: 'usd', why: 'no_price' }] },
  ];
  await open();
  const card = within(await screen.findByRole('region', { name: 'Budgets' }));
  expect(card.getByRole('progressbar', { name: 'Dollars: $0.72 of $0.50' })).toBeTruthy();
  expect(card.getByRole('link', { name: 'Fix the total' }).getAttribute('href')).toBe('/sessions/s-1');
  expect(card.getByText(/the model has no price, so this limit cannot take effect/)).toBeTruthy();
});
