import type { SessionMessage } from '@loopwatch/contract/api';
import type { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueryClient } from '../src/api/query-client.ts';
import { App } from '../src/app/App.tsx';
import { createAppRouter } from '../src/app/router.tsx';
import { Evidence } from '../src/incident/evidence/index.tsx';
import { followServer } from '../src/lib/clock.ts';
import { prefer } from '../src/lib/preferences.ts';
import { createLiveStore, type LiveStore } from '../src/live/live-store.ts';
import { Ring } from '../src/ui/charts/Ring.tsx';
import { Card } from '../src/ui/layout/Card.tsx';
import { changes, incident, NOW, row, snapshot, stats } from './rows.ts';
import { FakeServer } from './server.ts';

const rows = [
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

let store: LiveStore;
let server: FakeServer;
let client: QueryClient = createQueryClient();
let router: ReturnType<typeof createAppRouter>;
const retry = vi.fn();

// A busy machine takes its time for a page's code.
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  followServer(NOW);
  store = createLiveStore();
  server = new FakeServer();
  server.incidents = rows;
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  vi.stubGlobal('fetch', server.fetch);
  vi.stubGlobal('scrollTo', vi.fn());
  Element.prototype.scrollIntoView = vi.fn();
  // A DOM without a layout: what scrolls is as large as a window, so that rows are in sight.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(900);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1_000);
});

afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.documentElement.removeAttribute('data-theme');
  localStorage.clear();
  const arrangement = { columns: null, widths: {}, views: [] };
  prefer({ zone: 'local', incidents: arrangement, sessions: arrangement });
});

async function open(path = '/incidents'): Promise<void> {
  client = createQueryClient();
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  router = createAppRouter(createMemoryHistory({ initialEntries: [path] }));
  render(<App client={client} router={router} live={{ store, retry }} />);
  await screen.findByRole('heading', { level: 1 });
}

function greet(part = {}): void {
  act(() => store.applySnapshot(snapshot([], { found: server.incidents.length, ...part }), NOW));
}

function place(): string {
  return router.state.location.pathname + router.state.location.searchStr;
}

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

describe('a session recorded by the gateway', () => {
  const said = (part: Partial<SessionMessage>): SessionMessage => ({
    number: 1,
    at: NOW,
    role: 'assistant',
    text: null,
    thought: null,
    calls: [],
    callId: null,
    isError: false,
    finishReason: null,
    model: null,
    byGateway: false,
    ...part,
  });

  it('shows its conversation, message by message', async () => {
    server.messages = [
      said({ role: 'user', text: 'Please <b>read</b> it' }),
      said({ number: 2, text: '', calls: [{ id: 'c', name: 'read_file', arguments: '{"path":"a.ts"}' }] }),
      said({ number: 3, role: 'tool', text: 'no such file', isError: true }),
      said({ number: 4, text: 'You have called it often.', byGateway: true }),
      said({ number: 5 }),
    ];
    await open('/sessions/s-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Conversation' }));
    await waitFor(() => expect(place()).toBe('/sessions/s-1?view=messages'));
    const conversation = await screen.findByRole('region', { name: 'Conversation' });
    const lines = (await within(conversation).findAllByRole('listitem')).map(
      ({ textContent }) => textContent,
    );
    expect(lines).toEqual([
      expect.stringMatching(/^User.*Please <b>read<\/b> it$/),
      expect.stringMatching(/^Model.*callsread_file.*"path": "a.ts"/s),
      expect.stringMatching(/^Toolfailed.*no such file$/),
      expect.stringMatching(/^Gateway.*You have called it often\.$/),
      expect.stringMatching(/^Model.*Text not stored \(privacy\.store_text is off\)\.$/),
    ]);
    expect(within(conversation).getByText('5 messages stored by the gateway')).toBeTruthy();
  });

  it('shows only events if no messages are stored', async () => {
    await open('/sessions/s-1?view=messages');
    expect(await screen.findByText('Could not load the events')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Conversation' })).toBeNull();
  });
});

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
        store.applyChanges(changes({ incidents, stats: stats({ found: 4 }) }), NOW);
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
    act(() => store.applyChanges(changes({ dropped: { incidents: 700, sessions: 0 } }), NOW));
    // What was asked for before may come only now, without them.
    await act(() => client.invalidateQueries({ queryKey: ['incidents', 'list'] }));
    expect(screen.getByText(/700 changes skipped to keep up/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Reload list' }));
    await waitFor(() => expect(screen.queryByText(/skipped to keep up/)).toBeNull());
  });

  it('reloads after skipped changes once no more arrive', async () => {
    await open();
    greet();
    await listed();
    server.incidents = [row({ id: 'i-4', detectedAt: NOW + 1_000, title: 'i-4 loops' }), ...rows];
    act(() => store.applyChanges(changes({ dropped: { incidents: 1, sessions: 0 } }), NOW));
    await waitFor(() => expect(titles()[0]).toBe('i-4 loops'));
    expect(screen.queryByText(/skipped to keep up/)).toBeNull();
  });

  it('never renders text from agents as markup', async () => {
    server.incidents = [row({ title: '<img src=x onerror=alert(1)> repeats', agent: '<b>bold</b>' })];
    await open();
    await listed();
    expect(titles()).toEqual(['<img src=x onerror=alert(1)> repeats']);
    expect(document.querySelector('img[src], b > b')).toBeNull();
    expect(screen.getByText('<b>bold</b>')).toBeTruthy();
  });
});

describe('the empty, failed and filtered list', () => {
  it('explains how to send events if there are no incidents', async () => {
    server.incidents = [];
    await open();
    expect(await screen.findByRole('heading', { name: 'No loops yet' })).toBeTruthy();
    expect(screen.getByText(/POST \/api\/v1\/events or to Kafka/)).toBeTruthy();
  });

  it('shows an error with Retry if the server is unavailable', async () => {
    await open();
    await listed();
    cleanup();
    server.down = true;
    await open();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('is unavailable');
    server.down = false;
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
    act(() => router.history.back());
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

  it('links its agent version and tags to the incidents that share them', async () => {
    const [first, ...others] = rows;
    server.incidents = [{ ...first!, agentVersion: '1.2.0', tags: { env: 'prod' } }, ...others];
    await open('/incidents/i-3');
    const version = await screen.findByRole('link', { name: '1.2.0' });
    expect(version.getAttribute('href')).toBe('/incidents?agentVersion=1.2.0');
    fireEvent.click(screen.getByRole('link', { name: 'env:prod' }));
    await waitFor(() => expect(decodeURIComponent(place())).toBe('/incidents?tag=env:prod'));
  });

  it('becomes quiet after a minute without events, and says since when', async () => {
    const [first, ...others] = rows;
    server.incidents = [{ ...first!, lastActivityAt: NOW - 60_000 }, ...others];
    await open('/incidents/i-3');
    expect(await screen.findByText(/^no events since/)).toBeTruthy();
  });

  it('shows “Incident not found” for an unknown id', async () => {
    await open('/incidents/i-404');
    expect(await screen.findByRole('heading', { name: 'Incident not found' })).toBeTruthy();
  });

  it('is triaged as a false positive, and undone', async () => {
    await open('/incidents/i-3');
    const isPressed = (pressed: boolean) => screen.findByRole('button', { name: 'False positive', pressed });
    fireEvent.click(await isPressed(false));
    expect(await isPressed(true)).toBeTruthy();
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(await isPressed(false)).toBeTruthy();
    expect(server.changes.map(({ body }) => (body as { change: unknown }).change)).toEqual([
      { status: 'false_positive' },
      { status: 'new', mutedUntil: null },
    ]);
  });

  it('cannot be triaged by viewers', async () => {
    server.me = { required: true, user: { name: 'viewer', role: 'viewer' }, methods: ['token'] };
    await open('/incidents/i-3');
    expect(await screen.findByText('Why this is a loop')).toBeTruthy();
    const button = screen.getByRole('button', { name: 'False positive' });
    expect(button.title).toContain('Viewers have read-only access');
    fireEvent.click(button);
    fireEvent.keyDown(document, { key: 'a' });
    expect(screen.getAllByText(/^Viewers have read-only access/)).toHaveLength(2);
    expect(server.changes).toEqual([]);
  });
});

describe('the session list', () => {
  const addressOf = () => router.state.location.searchStr;

  it('opens a session beside it with a link to the loop start, moves with k, and closes on Escape', async () => {
    const began = { eventIndex: 7, eventId: 'e-7', time: NOW - 9_000 };
    server.incidents = [row({ began })];
    await open('/sessions');
    fireEvent.click(await screen.findByRole('link', { name: 's-2' }));
    await screen.findByRole('heading', { name: 's-2' });
    fireEvent.keyDown(document, { key: 'k' });
    await screen.findByRole('heading', { name: 's-1' });
    const drawer = await screen.findByRole('complementary', { name: 'Session details' });
    const place = await within(drawer).findByRole<HTMLAnchorElement>('link', { name: 'loop start' });
    expect(place.getAttribute('href')).toBe('/sessions/s-1?at=7');
    expect(addressOf()).toBe('?peek=s-1');
    fireEvent.keyDown(document, { key: 'Escape' });
    await waitFor(() => expect(addressOf()).toBe(''));
    expect(screen.queryByRole('complementary', { name: 'Session details' })).toBeNull();
  });

  it('has selectable columns, saved views and sortable headings', async () => {
    await open('/sessions?agent=ci-fixer');
    const columns = await screen.findByRole('button', { name: 'Columns' });
    fireEvent.click(columns);
    expect(columns.getAttribute('aria-expanded')).toBe('true');
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Characters' }));
    fireEvent.keyDown(document, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Columns' })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(columns));
    expect(columns.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(screen.getByRole('button', { name: 'Sort by characters' }));
    await waitFor(() => expect(addressOf()).toBe('?agent=ci-fixer&sort=-characters'));
    fireEvent.click(screen.getByRole('button', { name: 'Saved views' }));
    const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'View name' });
    fireEvent.change(name, { target: { value: 'Long ones' } });
    fireEvent.submit(name);
    const stored: unknown = JSON.parse(localStorage.getItem('loopwatch.preferences') ?? '');
    expect(stored).toMatchObject({
      incidents: { columns: null, views: [] },
      sessions: { views: [{ name: 'Long ones', search: 'agent=ci-fixer&sort=-characters' }] },
    });
  });

  it('is filtered by the tool of its loops', async () => {
    await open('/sessions');
    fireEvent.keyDown(await screen.findByRole('button', { name: 'Tool' }), { key: 'Enter' });
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'read_file' }));
    await waitFor(() => expect(addressOf()).toBe('?tool=read_file'));
    await waitFor(() => expect(server.sessionLists.at(-1)).toContain('tool=read_file'));
    expect(screen.getByRole('button', { name: 'Remove filter: tool read_file' })).toBeTruthy();
  });
});

describe('an expired login', () => {
  it('shows the login prompt instead of the page', async () => {
    server.me = { required: true, user: null as never, methods: ['token'] };
    await open('/incidents?state=open');
    expect(await screen.findByRole('heading', { level: 1, name: 'Your session has expired' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Log in again' })).toBeTruthy();
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
    expect(server.changes).toEqual([]);
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
    expect(server.changes).toEqual([
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
    server.settings = { 'privacy.mask': ['('] };
    server.invalid = [{ path: 'privacy.mask', detail: 'privacy.mask belongs to the process' }];
    await open('/settings');
    expect(await screen.findByText(/privacy.mask belongs to the process/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove 1 invalid setting' }));
    await waitFor(() =>
      expect(server.changes).toMatchObject([{ method: 'PUT', body: { set: {}, version: 0 } }]),
    );
  });
});

describe('the detection switch of a session', () => {
  it.each(['ended', 'idle'] as const)(
    'is disabled with an explanation if the session is %s',
    async (state) => {
      server.sessionState = state;
      await open('/sessions/s-1');
      const button = await screen.findByRole('button', { name: 'Turn detection off' });
      expect(button.title).toBe('This session has ended; there is nothing left to detect');
      fireEvent.click(button);
      expect(server.changes).toEqual([]);
    },
  );
});

describe('stopping a session', () => {
  it.each([
    ['hooks', 'Stopped: the hook denies the next tool call'],
    ['guard', 'Stopped: the guard denies the next tool call'],
    ['gateway', 'Stopped: the gateway rejects its requests'],
    [null, /nothing can stop this agent/],
  ] as const)('shows what enforces the stop (%s), and can be undone', async (obeyedBy, said) => {
    server.obeyedBy = obeyedBy;
    await open('/sessions/s-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop session' }));
    expect(await screen.findByText(said)).toBeTruthy();
    fireEvent.click(await screen.findByRole('button', { name: 'Stopped; resume' }));
    await screen.findByRole('button', { name: 'Stop session' });
    expect(server.changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /sessions/s-1/stop',
      'DELETE /sessions/s-1/stop',
    ]);
  });
});

describe('stopping from an incident', () => {
  it('stops the session of an open loop where the loop is shown', async () => {
    server.obeyedBy = 'hooks';
    await open('/incidents/i-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop session' }));
    expect(await screen.findByText('Stopped: the hook denies the next tool call')).toBeTruthy();
    expect(server.changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /sessions/s-1/stop',
    ]);
  });

  it('says that the session of a loop is stopped, and resumes it', async () => {
    server.incidents = [row({ id: 'i-1', state: 'resolved', outcome: 'recovered', sessionStopped: true })];
    await open('/incidents/i-1');
    expect(await screen.findByText('session stopped')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Stopped; resume' }));
    expect(await screen.findByText('Session resumed')).toBeTruthy();
  });

  it('offers no stop for a loop that is over', async () => {
    server.incidents = [row({ id: 'i-1', state: 'resolved', outcome: 'recovered' })];
    await open('/incidents/i-1');
    await screen.findByRole('button', { name: 'Acknowledge' });
    expect(screen.queryByRole('button', { name: 'Stop session' })).toBeNull();
  });
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

describe('evidence', () => {
  it('of calls shows a line of calls, and the differences between the first and the latest', () => {
    const call = (n: number) => ({
      eventIndex: n,
      eventId: `e-${String(n)}`,
      time: NOW,
      name: 'search',
      arguments: `{"q":"a","page":${String(n)}}`,
    });
    render(
      <Evidence
        incident={incident({ count: 6, evidence: { matching: 'similar', calls: [call(1), call(2)] } })}
      />,
    );
    const lines = screen.getAllByRole('img', { name: '6 calls of search, detected at call 5' });
    expect(lines.length).toBeGreaterThan(0);
    const pair = screen.getByRole('region', { name: 'First and latest call' });
    expect([...pair.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['1', '2']);
  });

  it('of steps with several calls compares matching calls, and counts steps throughout', () => {
    const step = (n: number, first = n * 10) =>
      ['kitchen', 'tea', 'lamp'].map((item, i) => ({
        eventIndex: first + i,
        eventId: `e-${String(first + i)}`,
        time: NOW + n,
        name: 'get_price',
        arguments: JSON.stringify({ item }),
        step: n,
        member: i + 1,
        result: { text: `${item} is 12 euros`, kind: 'ok' },
      }));
    const evidence = { matching: 'exact', callsPerStep: 3, calls: [...step(1), ...step(4), ...step(5)] };
    const opened: number[] = [];
    render(
      <Evidence incident={incident({ count: 5, threshold: 3, evidence })} onOpen={(at) => opened.push(at)} />,
    );
    expect(screen.getByText(/^5 identical steps of 3 calls each so far/)).toBeTruthy();
    const pair = screen.getByRole('region', { name: 'First and latest step' });
    expect(pair.querySelectorAll('mark')).toHaveLength(0);
    expect(within(pair).getByText('same calls, same results')).toBeTruthy();
    expect([...pair.querySelectorAll('h3')].map((head) => head.firstChild?.textContent)).toEqual([
      'Step 1, call 1',
      'Step 5, call 1',
      'Step 1, call 2',
      'Step 5, call 2',
      'Step 1, call 3',
      'Step 5, call 3',
    ]);

    const [line] = screen.getAllByRole('slider');
    expect(line!.querySelectorAll('circle')).toHaveLength(15);
    fireEvent.focus(line!);
    fireEvent.keyDown(line!, { key: 'End' });
    expect(line!.getAttribute('aria-valuetext')).toMatch(
      /^Step 5, .*event #50 · get_price \{"item":"kitchen"\}/,
    );
    fireEvent.keyDown(line!, { key: 'Enter' });
    expect(opened).toEqual([50]);
  });

  it('of calls marks failures, and escapes bidirectional control characters', () => {
    const call = (n: number, kind: string) => ({
      eventIndex: n,
      eventId: `e-${String(n)}`,
      time: NOW,
      name: 'run',
      arguments: '{"file":"\u202Egpj.exe"}',
      step: n,
      result: { text: 'no \u2066such file', kind },
    });
    const { container } = render(
      <Evidence
        incident={incident({
          count: 2,
          evidence: { matching: 'exact', calls: [call(1, 'ok'), call(2, 'error')] },
        })}
      />,
    );
    const [line] = screen.getAllByRole('slider');
    expect(line!.querySelectorAll('circle[data-failed]')).toHaveLength(1);
    expect(container.textContent).toContain('[U+202E]gpj.exe');
    expect(screen.getByRole('region', { name: 'First and latest call' }).textContent).not.toMatch(
      /[\u202E\u2066]/,
    );
  });

  it('of calls shows the results of the first and the latest', () => {
    const call = (n: number, text: string, kind = 'ok') => ({
      eventIndex: n,
      eventId: `e-${String(n)}`,
      time: NOW,
      name: 'ci_status',
      arguments: '{}',
      result: { text, kind },
    });
    const show = (...calls: unknown[]) => {
      const { unmount } = render(
        <Evidence incident={incident({ evidence: { matching: 'exact', calls } })} />,
      );
      const [card] = screen.getAllByRole('region').slice(-1);
      const found = {
        note: card!.querySelector('p')?.textContent,
        headings: [...card!.querySelectorAll('h4')].map((heading) => heading.textContent),
        marks: [...card!.querySelectorAll('mark')].map((mark) => mark.textContent),
        text: card!.textContent,
      };
      unmount();
      return found;
    };
    const same = show(call(1, 'pending'), call(2, 'pending'));
    expect(same).toMatchObject({
      note: 'same call, same result',
      headings: ['Result', 'Result'],
      marks: [],
    });
    expect(same.text).toContain('pending');
    expect(show(call(1, '{"left":3}'), call(2, '{"left":2}'))).toMatchObject({
      note: 'differences are highlighted',
      marks: ['3', '2'],
    });
    expect(show(call(1, 'no such file', 'error'), call(2, ''))).toMatchObject({
      headings: ['Result: failed', 'Result'],
    });
    expect(show({ ...call(1, ''), result: undefined }, call(2, 'a'))).toMatchObject({
      note: 'same call',
      headings: ['Result'],
      marks: [],
    });
    expect(show(call(1, 'alone')).text).toContain('alone');
  });

  it('of text marks the repetitions', () => {
    const evidence = {
      at: 14,
      window: { length: 6, text: 'again ' },
      distance: 6,
      positions: [2, 8],
      repeated: 'again ',
      excerpt: { from: 0, text: 'I again again ' },
    };
    render(<Evidence incident={incident({ detector: 'content-repeat', count: 2, evidence })} />);
    const context = screen.getByRole('region', { name: 'Context' });
    expect([...context.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'again ',
      'again ',
    ]);
    expect(screen.getByRole('img', { name: '2 repetitions from character 2 to 14' })).toBeTruthy();
  });

  it('of a cycle draws the cycle', () => {
    const cycle = [
      { name: 'read', arguments: '{"p":"a"}', text: 'same' },
      { name: 'edit', arguments: '{}', text: '' },
    ];
    render(
      <Evidence
        incident={incident({
          detector: 'tool-cycle',
          count: 4,
          period: 2,
          evidence: { results: 'same', cycle, calls: [] },
        })}
      />,
    );
    expect(screen.getByRole('img', { name: 'Cycle of 2 steps: read, then edit, then again' })).toBeTruthy();
    expect(screen.getByText('always returns')).toBeTruthy();
  });

  it('of stagnation shows an unchanging result only once', () => {
    const call = (n: number) => ({
      eventIndex: n,
      eventId: `e-${String(n)}`,
      time: NOW,
      name: 'find',
      arguments: `{"q":${String(n)}}`,
      result: { text: 'nothing found', kind: 'ok' },
    });
    const evidence = { rule: 'nothing-new', calls: [call(1), call(2), call(3)] };
    render(<Evidence incident={incident({ detector: 'stagnation', evidence })} />);
    expect(screen.getByRole('region', { name: 'No new results' })).toBeTruthy();
    expect(screen.getAllByText('nothing found')).toHaveLength(1);
    expect(screen.getByText('Same result every time')).toBeTruthy();
  });

  it('of the semantic layer quotes the model', () => {
    const evidence = { analysis: 'It <b>waits</b>.', shown: { from: 12, to: 31 }, threshold: 0.9 };
    render(<Evidence incident={incident({ detector: 'semantic', confidence: 0.94, evidence })} />);
    expect(screen.getByText('It <b>waits</b>.').tagName).toBe('BLOCKQUOTE');
    expect(screen.getByText('turns 12 to 31')).toBeTruthy();
    expect(screen.getByText('94%')).toBeTruthy();
  });

  it('of a request limit shows the requests and the latest calls', () => {
    const evidence = { turn_requests: 10, max_allowed: 10, last_tool_calls: ['grep TODO'] };
    render(<Evidence incident={incident({ detector: 'turn-limit', count: 10, evidence })} />);
    expect(screen.getByRole('img', { name: '10 of 10 model requests' })).toBeTruthy();
    expect(screen.getByText('grep TODO')).toBeTruthy();
  });

  it('of a repeated message shows only that message', () => {
    const evidence = { rule: 'same-message', repeated: 'Done.', calls: [] };
    render(<Evidence incident={incident({ detector: 'stagnation', evidence })} />);
    expect(screen.getAllByRole('region')).toHaveLength(1);
    expect(within(screen.getByRole('region', { name: 'Repeated text' })).getByText('Done.')).toBeTruthy();
  });

  it('of the tool limit shows the message to the model', () => {
    const evidence = { limit_reached: true, limit_message: 'Stopping tool loop.' };
    render(<Evidence incident={incident({ detector: 'tool-limit', count: 3, threshold: 3, evidence })} />);
    expect(screen.getByRole('img', { name: '3 of 3 turns with tool calls' })).toBeTruthy();
    expect(screen.getByText('Stopping tool loop.', { selector: 'p' })).toBeTruthy();
  });

  it('of an outage shows the failed calls', () => {
    const result = { text: '503', kind: 'transient' };
    const call = { eventIndex: 1, eventId: 'e', time: NOW, name: 'get', arguments: '{}', result };
    render(<Evidence incident={incident({ detector: 'outage', evidence: { calls: [call] } })} />);
    expect(screen.getByRole('region', { name: 'Failed calls' }).textContent).toContain('503');
  });

  it.each([
    ['of another detector', { matching: 'exact', calls: [] }],
    ['of another version', { analysis: { text: 'It waits.' } }],
    ['with only the action', { lastAction: 'warn' }],
  ])('%s is shown as JSON', (_, evidence) => {
    render(<Evidence incident={incident({ detector: 'semantic', evidence })} />);
    expect(screen.getByRole('region', { name: 'Evidence' }).textContent).toContain(Object.keys(evidence)[0]);
    expect(screen.queryByText('Evidence as JSON')).toBeNull();
  });

  it('of an unknown shape is shown as searchable JSON', () => {
    const evidence = { judge: { score: 0.9, words: 'needle' } };
    render(<Evidence incident={incident({ detector: 'semantic', evidence })} />);
    expect(screen.getByText('0.9')).toBeTruthy();
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'needle' } });
    expect(document.querySelector('mark')?.textContent).toBe('needle');
    fireEvent.click(screen.getByRole('button', { name: 'Raw' }));
    expect(screen.getByText(/"score": 0.9/)).toBeTruthy();
  });

  it('is omitted if empty', () => {
    const { container } = render(<Evidence incident={incident()} />);
    expect(container.textContent).toBe('');
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
