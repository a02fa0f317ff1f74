import { statusSchema } from '@loopwatch/contract/api';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Ring } from '../src/ui/charts/Ring.tsx';
import { Card } from '../src/ui/layout/Card.tsx';
import { dashboardApp } from './dashboard-app.tsx';
import { NOW } from './rows.ts';

const app = dashboardApp();
const { open } = app;

describe('an expired login', () => {
  it('shows the login prompt instead of the page', async () => {
    app.server.me = { required: true, user: null as never, methods: ['token'] };
    await open('/incidents?state=open');
    expect(await screen.findByRole('heading', { level: 1, name: 'Your session has expired' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Log in again' })).toBeTruthy();
  });

  it('is noticed by a page that only listens, once the server is back and refuses its live link', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    await open('/incidents');
    app.greet();
    const { me, fetch } = app.server;
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    act(() => app.store.onDisconnect(NOW));
    await act(() => vi.advanceTimersByTimeAsync(12_000));
    expect(screen.getByRole('heading', { level: 1, name: 'Incidents' })).toBeTruthy();
    app.server.me = { ...me, required: true, user: null as never };
    vi.stubGlobal('fetch', fetch);
    await act(() => vi.advanceTimersByTimeAsync(5_000));
    expect(screen.getByRole('heading', { level: 1, name: 'Your session has expired' })).toBeTruthy();
  });
});

describe('the command palette', () => {
  it('receives what is typed while its code is loading; no shortcut does', async () => {
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe = vi.fn();
        unobserve = vi.fn();
        disconnect = vi.fn();
      },
    );
    await open('/incidents');
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    const field = document.activeElement as HTMLInputElement;
    expect(field.tagName).toBe('INPUT');
    fireEvent.keyDown(field, { key: '?' });
    fireEvent.change(field, { target: { value: 'tok' } });
    const input = await screen.findByRole<HTMLInputElement>('combobox', { name: /^Page, action/ });
    expect(input.value).toBe('tok');
    expect(screen.queryByRole('dialog', { name: 'Keyboard shortcuts' })).toBeNull();
  });
});

describe('the settings page', () => {
  it('opens at the setting from the URL, with its value filled in but not saved', async () => {
    await open('/settings?key=tool_call_loop.max_repeats&set=tool_call_loop.max_repeats:6');
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /max_repeats/ });
    expect(field.value).toBe('6');
    expect(screen.getByText('1 change')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search settings' }).value).toBe(
      'tool_call_loop.max_repeats',
    );
    expect(app.server.changes).toEqual([]);
  });

  it('rejects an invalid value before sending, then saves with the version that was loaded', async () => {
    await open('/settings');
    const field = await screen.findByLabelText(/max_repeats/);
    fireEvent.change(field, { target: { value: '1' } });
    expect(screen.getByRole('alert').textContent).toContain('expected a whole number from 2 to 100, got “1”');
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
    expect(save.disabled).toBe(true);
    fireEvent.change(field, { target: { value: '7' } });
    fireEvent.click(save);
    await screen.findByText('set here');
    expect(app.server.changes).toEqual([
      {
        method: 'PUT',
        path: '/settings/server',
        body: { set: { 'tool_call_loop.max_repeats': 7 }, version: 0 },
      },
    ]);
  });
});

describe('invalid stored settings', () => {
  it('are shown with the reason, and can be removed', async () => {
    app.server.settings = { 'privacy.mask': ['('] };
    app.server.invalid = [{ path: 'privacy.mask', detail: 'privacy.mask belongs to the process' }];
    await open('/settings');
    expect(await screen.findByText(/privacy.mask belongs to the process/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove 1 invalid setting' }));
    await waitFor(() =>
      expect(app.server.changes).toMatchObject([{ method: 'PUT', body: { set: {}, version: 0 } }]),
    );
  });
});

it('the status page counts dead letters by topic and reason', async () => {
  const letters = { topic: 'loopwatch.events', count: 1200, latest: { partition: 2, offset: 40, at: NOW } };
  app.server.status = statusSchema.parse({
    version: '1',
    preset: 'balanced',
    configHash: 'c',
    startedAt: NOW,
    serverTime: NOW,
    checks: {},
    log: {
      kind: 'kafka',
      state: 'up',
      reason: null,
      topics: [],
      deadLetters: [
        { ...letters, reason: 'not_json' },
        { ...letters, reason: 'invalid_event' },
      ],
    },
    database: {
      kind: 'pglite',
      version: '16',
      bytes: 1,
      verdicts: 0,
      incidents: 0,
      sessions: 0,
      oldestAt: null,
    },
    retention: { days: null, megabytes: null, dropped: 0, lastRunAt: null },
    detectors: [],
    judge: null,
    live: { clients: 0, sequence: 0, dropped: 0 },
    backtests: { queued: 0, running: 0 },
    notifications: [],
    links: { grafana: null, kafka: null },
  });
  await open('/status');
  expect(await screen.findByText('loopwatch.events: not_json')).toBeTruthy();
  expect(screen.getByText('loopwatch.events: invalid_event')).toBeTruthy();
  expect(screen.getAllByText('1,200 dead letters; the latest at offset 40 of partition 2')).toHaveLength(2);
});

describe('the page frame', () => {
  it('remembers the theme', async () => {
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Use the dark theme' }));
    expect(document.documentElement.dataset['theme']).toBe('dark');
    expect(localStorage.getItem('loopwatch.theme')).toBe('dark');
    fireEvent.keyDown(document, { key: 't' });
    expect(document.documentElement.dataset['theme']).toBe('light');
  });

  it('shows “Not found” for an unknown path', async () => {
    await open('/nowhere');
    expect(screen.getByRole('heading', { level: 1, name: 'Not found' })).toBeTruthy();
  });
});

it('card: a rendering error does not affect other cards, and can be retried', () => {
  vi.spyOn(console, 'error').mockReturnValue();
  let broken = true;
  const Chart = () => {
    if (broken) throw new Error('No canvas');
    return <p>a chart</p>;
  };
  render(
    <>
      <Card title="Latency">
        <Chart />
      </Card>
      <Card title="Found">six</Card>
    </>,
  );
  expect(screen.getByRole('region', { name: 'Latency' }).textContent).toContain('No canvas');
  expect(screen.getByText('six')).toBeTruthy();
  broken = false;
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(screen.getByText('a chart')).toBeTruthy();
});

it('ring: has a text alternative', () => {
  render(<Ring detector="tool-cycle" count={9} threshold={3} period={2} />);
  expect(screen.getByRole('img', { name: 'cycle of 2 seen 9 times, threshold 3' })).toBeTruthy();
});
