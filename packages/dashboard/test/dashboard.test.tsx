import type { Incident } from '@loopwatch/contract';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from '../src/app/App.tsx';
import { Evidence } from '../src/incident/evidence/index.tsx';
import { LiveContext } from '../src/live/context.ts';
import { LiveStore } from '../src/live/live-store.ts';
import { Ring } from '../src/ui/Ring.tsx';
import { incident, NOW, row, stats } from './rows.ts';

const info = { version: '0.1.0', preset: 'balanced', configHash: '4f1c9a2' };
const rows = [
  row({ id: 'i-3', detectedAt: NOW, reason: 'grep was called 5 times', agent: 'ci-fixer' }),
  row({
    id: 'i-2',
    detector: 'content-repeat',
    reason: '“again” repeats',
    state: 'resolved',
    outcome: 'recovered',
  }),
  row({ id: 'i-1', detectedAt: NOW - 90_000 }),
];

let store: LiveStore;
const retry = vi.fn();

beforeEach(() => {
  store = new LiveStore();
  window.history.replaceState(null, '', '/');
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  vi.stubGlobal('fetch', (url: string) => {
    const found = rows.find(({ id }) => url === `/api/v1/incidents/${id}`);
    const body: Incident | object = found === undefined ? {} : incident(found);
    return Promise.resolve(new Response(JSON.stringify(body), { status: found === undefined ? 404 : 200 }));
  });
  Element.prototype.scrollIntoView = vi.fn();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  document.documentElement.removeAttribute('data-theme');
  localStorage.clear();
});

function open(path = '/'): void {
  window.history.replaceState(null, '', path);
  render(
    <LiveContext value={{ store, retry }}>
      <App />
    </LiveContext>,
  );
}

function greet(incidents = rows, part = {}): void {
  act(() => store.snapshot({ incidents, stats: stats({ found: incidents.length, ...part }), info }, NOW));
}

function reasons(): (string | null)[] {
  const list = screen.queryByRole('list', { name: 'Incidents, newest first' });
  return list === null
    ? []
    : within(list)
        .getAllByRole('link')
        .map((link) => link.textContent);
}

describe('the list', () => {
  it('shows the newest first, with the sentence, the ring as text, and the state as a word', () => {
    open();
    greet();
    expect(reasons()).toEqual(rows.map(({ reason }) => reason));
    const [first] = screen.getAllByRole('listitem');
    expect(within(first!).getByRole('img', { name: 'seen 5 times, threshold 5' })).toBeTruthy();
    expect(within(first!).getByText('open')).toBeTruthy();
    expect(screen.getByText('recovered')).toBeTruthy();
    expect(document.title).toBe('(1) Incidents · Loopwatch');
  });

  it('grows at its top while it is watched, and holds still while paused', () => {
    open();
    greet();
    const add = (id: string) =>
      act(() => {
        const added = row({ id, detectedAt: NOW + 1_000, reason: `${id} loops` });
        store.incidents({ incidents: [added], stats: stats({ found: 4 }) }, NOW);
      });
    add('i-4');
    expect(reasons()[0]).toBe('i-4 loops');
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }));
    add('i-5');
    expect(reasons()).not.toContain('i-5 loops');
    fireEvent.click(screen.getByRole('button', { name: 'Resume, 1 new' }));
    expect(reasons()).toContain('i-5 loops');
  });

  it('never takes text from agents for markup', () => {
    open();
    greet([row({ reason: '<img src=x onerror=alert(1)> repeats', agent: '<b>bold</b>' })]);
    expect(reasons()).toEqual(['<img src=x onerror=alert(1)> repeats']);
    expect(document.querySelector('img[src], b > b')).toBeNull();
    expect(screen.getByText('<b>bold</b>')).toBeTruthy();
  });
});

describe('the four states', () => {
  it('not there yet', () => {
    open();
    expect(screen.getByText('Connecting…', { selector: '.unseen' })).toBeTruthy();
  });

  it('nothing found', () => {
    open();
    greet([], { open: 0 });
    expect(screen.getByRole('heading', { name: 'No loops yet' })).toBeTruthy();
    expect(screen.getByText(/POST \/api\/v1\/events or Kafka/)).toBeTruthy();
  });

  it('no answer, with another try', () => {
    open();
    act(() => store.refused('xhr poll error'));
    expect(within(screen.getByRole('alert')).getByText(/xhr poll error/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledOnce();
  });

  it('no match', () => {
    open('/incidents?agent=nobody');
    greet();
    expect(screen.getByRole('heading', { name: 'No incident matches' })).toBeTruthy();
    fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0]!);
    expect(reasons()).toHaveLength(3);
    expect(window.location.search).toBe('');
  });
});

describe('filters', () => {
  it('go to the address and come from it', () => {
    open();
    greet();
    fireEvent.click(screen.getByRole('button', { name: /^content-repeat/ }));
    expect(window.location.search).toBe('?detector=content-repeat');
    expect(reasons()).toEqual(['“again” repeats']);
    cleanup();
    open('/incidents?state=open');
    expect(reasons()).toEqual([rows[0]?.reason, rows[2]?.reason]);
    expect(screen.getByRole('button', { name: /^Open/ }).getAttribute('aria-pressed')).toBe('true');
  });

  it('say what they did not understand', () => {
    open('/incidents?state=closed');
    greet();
    expect(screen.getByText(/state=closed, which is unknown here/)).toBeTruthy();
    expect(reasons()).toHaveLength(3);
  });
});

describe('an incident', () => {
  it('opens by a click, closes by Escape, and j and k go on to the others', async () => {
    open();
    greet();
    fireEvent.click(screen.getByRole('link', { name: rows[0]!.reason }));
    expect(window.location.pathname).toBe('/incidents/i-3');
    expect(await screen.findByRole('heading', { level: 1, name: rows[0]!.reason })).toBeTruthy();
    expect(await screen.findByText('Why this is a loop')).toBeTruthy();
    fireEvent.keyDown(document, { key: 'j' });
    expect(window.location.pathname).toBe('/incidents/i-2');
    fireEvent.keyDown(document, { key: 'k' });
    expect(window.location.pathname).toBe('/incidents/i-3');
    fireEvent.keyDown(document, { key: 'Escape' });
    await waitFor(() => expect(window.location.pathname).toBe('/'));
  });

  it('says so when it is not there', async () => {
    open('/incidents/i-404');
    greet();
    expect(await screen.findByRole('heading', { name: 'This incident is not here' })).toBeTruthy();
  });
});

describe('the theme', () => {
  it('is remembered', () => {
    open();
    fireEvent.click(screen.getByRole('button', { name: 'Use the dark theme' }));
    expect(document.documentElement.dataset['theme']).toBe('dark');
    expect(localStorage.getItem('loopwatch.theme')).toBe('dark');
    fireEvent.keyDown(document, { key: 't' });
    expect(document.documentElement.dataset['theme']).toBe('light');
  });
});

describe('evidence', () => {
  it('of calls is a line, and the first and latest call with their differences', () => {
    const call = (n: number) => ({
      eventIndex: n,
      time: NOW,
      name: 'search',
      arguments: `{"q":"a","page":${String(n)}}`,
    });
    render(
      <Evidence
        incident={incident({ count: 6, evidence: { matching: 'similar', calls: [call(1), call(2)] } })}
      />,
    );
    const lines = screen.getAllByRole('img', { name: '6 calls of search, noticed at call 5' });
    expect(lines.length).toBeGreaterThan(0);
    const pair = screen.getByRole('region', { name: 'First and latest call' });
    expect([...pair.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['1', '2']);
  });

  it('of calls shows what the first and the latest brought', () => {
    const call = (n: number, text: string, kind = 'ok') => ({
      eventIndex: n,
      name: 'ci_status',
      arguments: '{}',
      result: { text, kind },
    });
    const show = (...calls: unknown[]) => {
      const { unmount } = render(<Evidence incident={incident({ evidence: { calls } })} />);
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
      note: 'the same call, the same result',
      headings: ['Result', 'Result'],
      marks: [],
    });
    expect(same.text).toContain('pending');
    expect(show(call(1, '{"left":3}'), call(2, '{"left":2}'))).toMatchObject({
      note: 'what differs is shaded',
      marks: ['3', '2'],
    });
    expect(show(call(1, 'no such file', 'error'), call(2, ''))).toMatchObject({
      headings: ['Result: failed', 'Result'],
    });
    expect(show({ name: 'ci_status', arguments: '{}' }, call(2, 'a'))).toMatchObject({
      note: 'the same call',
      headings: ['Result'],
      marks: [],
    });
    expect(show(call(1, 'alone')).text).toContain('alone');
  });

  it('of text marks what repeats', () => {
    const evidence = {
      window: { length: 6, text: 'again ' },
      distance: 6,
      positions: [2, 8],
      repeated: 'again ',
      excerpt: { from: 0, text: 'I again again ' },
    };
    render(<Evidence incident={incident({ detector: 'content-repeat', count: 2, evidence })} />);
    const context = screen.getByRole('region', { name: 'In its context' });
    expect([...context.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'again ',
      'again ',
    ]);
    expect(screen.getByRole('img', { name: '2 repetitions from character 2 to 14' })).toBeTruthy();
  });

  it('of an unknown shape is JSON', () => {
    render(<Evidence incident={incident({ detector: 'semantic', evidence: { judge: { score: 0.9 } } })} />);
    expect(screen.getByText(/"score": 0.9/)).toBeTruthy();
  });

  it('is left out where there is none', () => {
    const { container } = render(<Evidence incident={incident()} />);
    expect(container.textContent).toBe('');
  });
});

it('the ring can be read', () => {
  render(<Ring detector="tool-cycle" count={9} threshold={3} period={2} />);
  expect(screen.getByRole('img', { name: 'cycle of 2 seen 9 times, threshold 3' })).toBeTruthy();
});
