import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { dashboardApp, rows } from '../dashboard-app.tsx';
import { changes, events, NOW, row, stats } from '../rows.ts';

const app = dashboardApp();
const { greet, open, place } = app;

async function listed(): Promise<HTMLElement> {
  const list = await screen.findByRole('list', { name: 'Incidents, newest first' });
  await within(list).findAllByRole('listitem');
  return list;
}

function titles(): (string | null)[] {
  const list = screen.queryByRole('list', { name: 'Incidents, newest first' });
  return list === null
    ? []
    : within(list)
        .getAllByRole('link')
        .map((link) => link.textContent);
}

describe('the incident list', () => {
  it('shows the newest first, with title, state and a text alternative of the ring', async () => {
    await open();
    greet();
    await listed();
    expect(titles()).toEqual(rows.map(({ title }) => title));
    const [first] = within(await listed()).getAllByRole('listitem');
    expect(within(first!).getByRole('img', { name: 'seen 5 times, threshold 5' })).toBeTruthy();
    expect(within(first!).getByText('open')).toBeTruthy();
    expect(screen.getByText('recovered')).toBeTruthy();
    expect(document.title).toBe('(1) Incidents · Loopwatch');
  });

  it('adds new incidents at the top, unless paused', async () => {
    await open();
    greet();
    await listed();
    const add = (id: string, detectedAt: number) =>
      act(() => {
        const incidents = [row({ id, detectedAt, title: `${id} loops` })];
        app.store.applyChanges(changes({ incidents, stats: stats({ found: 4 }) }), NOW);
      });
    add('i-4', NOW + 1_000);
    expect(titles()[0]).toBe('i-4 loops');
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }));
    add('i-5', NOW + 2_000);
    expect(titles()).not.toContain('i-5 loops');
    fireEvent.click(screen.getByRole('button', { name: 'Resume, 1 new' }));
    expect(titles()).toContain('i-5 loops');
  });

  it('shows the number of skipped changes while paused, and reloads on click', async () => {
    await open();
    greet();
    await listed();
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }));
    act(() => app.store.applyChanges(changes({ dropped: { incidents: 700, sessions: 0 } }), NOW));
    // What was asked for before may come only now, without them.
    await act(() => app.client.invalidateQueries({ queryKey: ['incidents', 'list'] }));
    expect(screen.getByText(/700 changes skipped to keep up/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Reload list' }));
    await waitFor(() => expect(screen.queryByText(/skipped to keep up/)).toBeNull());
  });

  it('reloads after skipped changes once no more arrive', async () => {
    await open();
    greet();
    await listed();
    app.server.incidents = [row({ id: 'i-4', detectedAt: NOW + 1_000, title: 'i-4 loops' }), ...rows];
    act(() => app.store.applyChanges(changes({ dropped: { incidents: 1, sessions: 0 } }), NOW));
    await waitFor(() => expect(titles()[0]).toBe('i-4 loops'));
    expect(screen.queryByText(/skipped to keep up/)).toBeNull();
  });

  it('never renders text from agents as markup', async () => {
    app.server.incidents = [row({ title: '<img src=x onerror=alert(1)> repeats', agent: '<b>bold</b>' })];
    await open();
    await listed();
    expect(titles()).toEqual(['<img src=x onerror=alert(1)> repeats']);
    expect(document.querySelector('img[src], b > b')).toBeNull();
    expect(screen.getByText('<b>bold</b>')).toBeTruthy();
  });
});

describe('the empty, failed and filtered list', () => {
  it('explains how to send events if there are no incidents', async () => {
    app.server.incidents = [];
    await open();
    expect(await screen.findByRole('heading', { name: 'No loops yet' })).toBeTruthy();
    expect(screen.getByText(/POST \/api\/v1\/events or to Kafka/)).toBeTruthy();
  });

  it('shows an error with Retry if the server is unavailable', async () => {
    await open();
    await listed();
    cleanup();
    app.server.down = true;
    await open();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('is unavailable');
    app.server.down = false;
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await listed()).toBeTruthy();
  });

  it('offers to clear the filters if nothing matches', async () => {
    await open('/incidents?agent=nobody');
    expect(await screen.findByRole('heading', { name: 'No matching incidents' })).toBeTruthy();
    fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0]!);
    await listed();
    expect(titles()).toHaveLength(3);
    expect(place()).toBe('/incidents');
  });
});

describe('incident filters', () => {
  it('are written to the URL and read from it', async () => {
    await open();
    await listed();
    fireEvent.click(screen.getByRole('button', { name: 'Resolved' }));
    await waitFor(() => expect(place()).toBe('/incidents?state=resolved'));
    await waitFor(() => expect(titles()).toEqual(['“again” repeats']));
    cleanup();
    await open('/incidents?state=open');
    await listed();
    expect(titles()).toEqual([rows[0]?.title, rows[2]?.title]);
    expect(screen.getByRole('button', { name: 'Open' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('are added by typing and removed by their chips', async () => {
    await open();
    await listed();
    const box = screen.getByRole('combobox', { name: 'Search incidents' });
    fireEvent.change(box, { target: { value: 'agent:ci-fixer' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(place()).toBe('/incidents?agent=ci-fixer'));
    fireEvent.click(screen.getByRole('button', { name: 'Remove filter: agent ci-fixer' }));
    await waitFor(() => expect(place()).toBe('/incidents'));
    act(() => app.router.history.back());
    await waitFor(() => expect(place()).toBe('/incidents?agent=ci-fixer'));
    fireEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(place()).toBe('/incidents'));
  });

  it('show a note about invalid values', async () => {
    await open('/incidents?state=closed');
    await listed();
    expect(screen.getByText(/Ignored unknown URL parameters: state=closed/)).toBeTruthy();
    expect(titles()).toHaveLength(3);
  });
});

describe('an incident', () => {
  it('opens beside the list on click, moves with j and k, and closes on Escape', async () => {
    await open();
    await listed();
    fireEvent.click(screen.getByRole('link', { name: rows[0]!.title }));
    await waitFor(() => expect(place()).toBe('/incidents?peek=i-3'));
    expect(await screen.findByRole('heading', { level: 2, name: rows[0]!.title })).toBeTruthy();
    expect(await screen.findByText('Why this is a loop')).toBeTruthy();
    fireEvent.keyDown(document, { key: 'j' });
    await waitFor(() => expect(place()).toBe('/incidents?peek=i-2'));
    fireEvent.keyDown(document, { key: 'k' });
    await waitFor(() => expect(place()).toBe('/incidents?peek=i-3'));
    fireEvent.keyDown(document, { key: 'Escape' });
    await waitFor(() => expect(place()).toBe('/incidents'));
  });

  it('has its own page', async () => {
    await open('/incidents/i-3');
    expect(await screen.findByRole('heading', { level: 1, name: rows[0]!.title })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Copy link' })).toBeTruthy();
  });

  it('is copied as a test case, which says what it contains and what it is for', async () => {
    const source = { topic: 'loopwatch.events', partition: 0, firstOffset: '0', lastOffset: '1' };
    const list = { items: [], nextCursor: null, total: 0 };
    const answers: Readonly<Record<string, object>> = {
      '/api/v1/verdicts': list,
      '/api/v1/sessions/s-1/events': {
        before: null,
        after: null,
        total: 1,
        source,
        gone: false,
        scanned: 1,
        complete: true,
        items: events({ type: 'prompt_started', text: 'Fix the login', sessionId: 's-1' }),
      },
    };
    const { fetch } = app.server;
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
      const answer = answers[address.split('?')[0] ?? ''];
      return answer === undefined ? fetch(address, init) : Promise.resolve(Response.json(answer));
    });
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { clipboard: { writeText } }));
    await open('/incidents/i-3');
    const button = await screen.findByRole('button', { name: 'Copy test case' });
    const about = /^the session up to this incident, .* for a bug report or a golden case$/;
    expect(button.title).toMatch(about);
    fireEvent.click(button);
    expect(await screen.findByText(`Copied: ${button.title}`)).toBeTruthy();
    expect(writeText).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Fix the login'));
  });

  it('links its agent version and tags to the incidents that share them', async () => {
    const [first, ...others] = rows;
    app.server.incidents = [{ ...first!, agentVersion: '1.2.0', tags: { env: 'prod' } }, ...others];
    await open('/incidents/i-3');
    const version = await screen.findByRole('link', { name: '1.2.0' });
    expect(version.getAttribute('href')).toBe('/incidents?agentVersion=1.2.0');
    fireEvent.click(screen.getByRole('link', { name: 'env:prod' }));
    await waitFor(() => expect(decodeURIComponent(place())).toBe('/incidents?tag=env:prod'));
  });

  it('says what its verdicts requested, and not that it was done', async () => {
    const [first, ...others] = rows;
    app.server.incidents = [{ ...first!, action: 'block' }, ...others];
    await open('/incidents/i-3');
    const fact = await screen.findByText('requested action');
    expect(fact.nextElementSibling?.textContent).toBe('block');
    expect(await screen.findByText('at 5: warn')).toBeTruthy();
    expect(screen.queryByText(/warned|blocked/)).toBeNull();
  });

  it('becomes quiet after a minute without events, and says since when', async () => {
    const [first, ...others] = rows;
    app.server.incidents = [{ ...first!, lastActivityAt: NOW - 60_000 }, ...others];
    await open('/incidents/i-3');
    expect(await screen.findByText(/^no events since/)).toBeTruthy();
  });

  it('is no longer shown as muted once its mute has ended', async () => {
    const [first, ...others] = rows;
    const triage = {
      ...first!.triage,
      status: 'muted' as const,
      mutedUntil: NOW - 1_000,
      by: 'ada',
      at: NOW - 9_000,
    };
    app.server.incidents = [{ ...first!, triage }, ...others];
    await open('/incidents/i-3');
    expect(await screen.findByRole('button', { name: 'Mute' })).toBeTruthy();
    expect(screen.queryByRole('button', { pressed: true })).toBeNull();
    expect(screen.queryByText(/Muted until/)).toBeNull();
  });

  it('shows “Incident not found” for an unknown id', async () => {
    await open('/incidents/i-404');
    expect(await screen.findByRole('heading', { name: 'Incident not found' })).toBeTruthy();
    expect(document.title).toBe('Incident not found · Loopwatch');
  });

  it('is triaged as a false positive, and undone', async () => {
    await open('/incidents/i-3');
    const isPressed = (pressed: boolean) => screen.findByRole('button', { name: 'False positive', pressed });
    fireEvent.click(await isPressed(false));
    expect(await isPressed(true)).toBeTruthy();
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(await isPressed(false)).toBeTruthy();
    expect(app.server.changes.map(({ body }) => (body as { change: unknown }).change)).toEqual([
      { status: 'false_positive' },
      { status: 'new', mutedUntil: null },
    ]);
  });

  it('keeps what another user has decided since when it is undone', async () => {
    await open('/incidents/i-3');
    fireEvent.click(await screen.findByRole('button', { name: 'Acknowledge' }));
    const undo = await screen.findByRole('button', { name: 'Undo' });
    const other = app.server.incidents.find(({ id }) => id === 'i-3')!;
    const triage = { ...other.triage, status: 'false_positive' as const, by: 'ada', revision: 2 };
    act(() => app.store.applyChanges(changes({ incidents: [{ ...other, triage }] }), NOW));
    fireEvent.click(undo);
    expect(await screen.findByText('Not undone: ada has changed it since')).toBeTruthy();
    expect(app.server.changes).toHaveLength(1);
  });

  it('cannot be triaged by viewers', async () => {
    app.server.me = { required: true, user: { name: 'viewer', role: 'viewer' }, methods: ['token'] };
    await open('/incidents/i-3');
    expect(await screen.findByText('Why this is a loop')).toBeTruthy();
    const button = screen.getByRole('button', { name: 'False positive' });
    expect(button.title).toContain('Viewers have read-only access');
    fireEvent.click(button);
    fireEvent.keyDown(document, { key: 'a' });
    expect(screen.getAllByText(/^Viewers have read-only access/)).toHaveLength(2);
    expect(app.server.changes).toEqual([]);
  });
});
