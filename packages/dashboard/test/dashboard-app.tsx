import type { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { createQueryClient } from '../src/api/query-client.ts';
import { App } from '../src/app/App.tsx';
import { createAppRouter } from '../src/app/router.tsx';
import { followServer } from '../src/lib/clock.ts';
import { prefer } from '../src/lib/preferences.ts';
import { createLiveStore, type LiveStore } from '../src/live/live-store.ts';
import { NOW, row, snapshot } from './rows.ts';
import { FakeServer } from './server.ts';

/** The incidents of its server, newest first. */
export const rows = [
  row({ id: 'i-3', detectedAt: NOW, title: 'grep was called 5 times', agent: 'ci-fixer' }),
  row({
    id: 'i-2',
    detectedAt: NOW - 60_000,
    detector: 'content-repeat',
    title: '“again” repeats',
    state: 'resolved',
    outcome: 'recovered',
  }),
  row({ id: 'i-1', detectedAt: NOW - 90_000 }),
];

/** The dashboard in a DOM, in front of a server that is made up. */
class DashboardApp {
  store: LiveStore = createLiveStore();
  server = new FakeServer();
  client: QueryClient = createQueryClient();
  #router: ReturnType<typeof createAppRouter> | undefined;

  get router(): ReturnType<typeof createAppRouter> {
    if (this.#router === undefined) throw new Error('No page is open');
    return this.#router;
  }

  start(): void {
    followServer(NOW);
    this.store = createLiveStore();
    this.server = new FakeServer();
    this.server.incidents = rows;
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: vi.fn(),
      removeEventListener: vi.fn(),
    }));
    vi.stubGlobal('fetch', this.server.fetch);
    vi.stubGlobal('scrollTo', vi.fn());
    Element.prototype.scrollIntoView = vi.fn();
    // A DOM without a layout: what scrolls is as large as a window, so that rows are in sight.
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(900);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1_000);
  }

  stop(): void {
    cleanup();
    this.client.clear();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    document.documentElement.removeAttribute('data-theme');
    localStorage.clear();
    const arrangement = { columns: null, widths: {}, views: [] };
    prefer({ zone: 'local', incidents: arrangement, sessions: arrangement });
  }

  readonly open = async (path = '/incidents'): Promise<void> => {
    const client = createQueryClient();
    client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
    const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }));
    this.client = client;
    this.#router = router;
    render(<App client={client} router={router} live={{ store: this.store, retry: vi.fn() }} />);
    await screen.findByRole('heading', { level: 1 });
  };

  /** Delivers the first snapshot of the live updates. */
  readonly greet = (part = {}): void => {
    act(() => this.store.applySnapshot(snapshot([], { found: this.server.incidents.length, ...part }), NOW));
  };

  /** The address of the open page. */
  readonly place = (): string => this.router.state.location.pathname + this.router.state.location.searchStr;
}

/** Starts a dashboard for each test of a file. */
export function dashboardApp(): DashboardApp {
  // A busy machine takes its time for a page's code.
  vi.setConfig({ testTimeout: 30_000 });
  const app = new DashboardApp();
  beforeEach(() => app.start());
  afterEach(() => app.stop());
  return app;
}
