import type { SessionMessage } from '@loopwatch/contract/api';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { dashboardApp } from '../dashboard-app.tsx';
import { NOW, row } from '../rows.ts';

const app = dashboardApp();
const { open, place } = app;

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
    app.server.messages = [
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

describe('erasing a session', () => {
  const dialog = (name: string) => screen.findByRole('dialog', { name });
  const ask = async () => {
    await open('/sessions/s-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Erase session…' }));
    return dialog('Erase this session?');
  };

  it('deletes nothing until it is confirmed, then tells what remains and goes to the list', async () => {
    const question = await ask();
    expect(app.server.changes).toEqual([]);
    fireEvent.click(within(question).getByRole('button', { name: 'Erase for good' }));
    const answer = await dialog('Session erased');
    expect(app.server.changes).toMatchObject([{ method: 'DELETE', path: '/sessions/s-1' }]);
    expect(within(answer).getByRole('status').textContent).toBe(
      'Erased: 2 sessions, 1 incident and 40 records.',
    );
    expect(within(answer).getByRole('listitem').textContent).toBe(
      'messages that notifications have sent, until they are deleted there',
    );
    fireEvent.click(within(answer).getByRole('button', { name: 'Back to sessions' }));
    await waitFor(() => expect(place()).toBe('/sessions'));
  });

  it('can be left', async () => {
    const question = await ask();
    fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect([app.server.changes, place()]).toEqual([[], '/sessions/s-1']);
  });

  it('is refused to viewers', async () => {
    app.server.me = { required: true, user: { name: 'v', role: 'viewer' }, methods: [] };
    await open('/sessions/s-1');
    const button = await screen.findByRole('button', { name: 'Erase session…' });
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
    fireEvent.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('the session list', () => {
  const addressOf = () => app.router.state.location.searchStr;

  it('opens a session beside it with a link to the loop start, moves with k, and closes on Escape', async () => {
    const began = { eventIndex: 7, eventId: 'e-7', time: NOW - 9_000 };
    app.server.incidents = [row({ began })];
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

  it('counts incidents, which may be outages and limits, and not loops', async () => {
    await open('/sessions');
    expect(await screen.findAllByText('1 incident')).toHaveLength(2);
    expect(screen.getByRole('button', { name: 'With incidents' })).toBeTruthy();
    expect(screen.queryByText(/\bloops?\b/)).toBeNull();
  });

  it('is filtered by the tool of its loops', async () => {
    await open('/sessions');
    fireEvent.keyDown(await screen.findByRole('button', { name: 'Tool' }), { key: 'Enter' });
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'read_file' }));
    await waitFor(() => expect(addressOf()).toBe('?tool=read_file'));
    await waitFor(() => expect(app.server.sessionLists.at(-1)).toContain('tool=read_file'));
    expect(screen.getByRole('button', { name: 'Remove filter: tool read_file' })).toBeTruthy();
  });
});

describe('the side of a session', () => {
  it('shows the version of its agent and its tags, apart from those at the top', async () => {
    app.server.sessionParts = {
      agentVersion: '2.4.0',
      tags: { project: 'shop', customer: 'acme', preset: 'x' },
    };
    await open('/sessions/s-1');
    const facts = within(await screen.findByRole('region', { name: 'Tags' }));
    expect(facts.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(['customer', 'preset']);
    expect(facts.getByText('acme')).toBeTruthy();
    expect(within(screen.getByRole('region', { name: 'Details' })).getByText('2.4.0')).toBeTruthy();
  });
});

describe('a session and its sub-agents', () => {
  it('link to each other', async () => {
    app.server.sessionParts = { parentSessionId: 'a/b', subAgents: 2 };
    await open('/sessions/s-1');
    const parent = await screen.findByRole('link', { name: 'started by a/b' });
    expect(parent.getAttribute('href')).toBe('/sessions/a%2Fb');
    fireEvent.click(screen.getByRole('link', { name: '2 sub-agents' }));
    await waitFor(() => expect(place()).toBe('/sessions?parent=s-1'));
    expect(await screen.findByRole('button', { name: 'Remove filter: parent s-1' })).toBeTruthy();
  });

  it('have no links without each other, and no characters without text', async () => {
    app.server.sessionParts = { characters: 0 };
    await open('/sessions/s-1');
    await screen.findByText(/prompt.*turn.*call/);
    expect(screen.queryByRole('link', { name: /started by|sub-agent/ })).toBeNull();
    expect(screen.queryByText(/0 characters/)).toBeNull();
  });
});

describe('the detection switch of a session', () => {
  it.each(['ended', 'idle'] as const)(
    'is disabled with an explanation if the session is %s',
    async (state) => {
      app.server.sessionState = state;
      await open('/sessions/s-1');
      const button = await screen.findByRole('button', { name: 'Turn detection off' });
      expect(button.title).toBe('This session has ended; there is nothing left to detect');
      fireEvent.click(button);
      expect(app.server.changes).toEqual([]);
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
    app.server.obeyedBy = obeyedBy;
    await open('/sessions/s-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop session' }));
    expect(await screen.findByText(said)).toBeTruthy();
    fireEvent.click(await screen.findByRole('button', { name: 'Stopped; resume' }));
    await screen.findByRole('button', { name: 'Stop session' });
    expect(app.server.changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /sessions/s-1/stop',
      'DELETE /sessions/s-1/stop',
    ]);
  });
});

describe('stopping from an incident', () => {
  it('stops the session of an open loop where the loop is shown', async () => {
    app.server.obeyedBy = 'hooks';
    await open('/incidents/i-1');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop session' }));
    expect(await screen.findByText('Stopped: the hook denies the next tool call')).toBeTruthy();
    expect(app.server.changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /sessions/s-1/stop',
    ]);
  });

  it('says that the session of a loop is stopped, and resumes it', async () => {
    app.server.incidents = [
      row({ id: 'i-1', state: 'resolved', outcome: 'recovered', sessionStopped: true }),
    ];
    await open('/incidents/i-1');
    expect(await screen.findByText('session stopped')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Stopped; resume' }));
    expect(await screen.findByText('Session resumed')).toBeTruthy();
  });

  it('offers no stop for a loop that is over', async () => {
    app.server.incidents = [row({ id: 'i-1', state: 'resolved', outcome: 'recovered' })];
    await open('/incidents/i-1');
    await screen.findByRole('button', { name: 'Acknowledge' });
    expect(screen.queryByRole('button', { name: 'Stop session' })).toBeNull();
  });
});
