import type { SessionMessages } from '@loopwatch/contract/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageRow, storeMessages } from '../../../gateway/src/storage/message-rows.ts';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const plain = { mask: [], storeText: true };
let url: string;
let server: LoopwatchServer;

beforeAll(async () => {
  const database = await emptyDatabase();
  const started = await startServer({ openDatabase: () => Promise.resolve(database) });
  ({ url, server } = started);
  for (const id of ['s-1', 's-2', 's-3']) {
    started.log.append(topics.sessions, JSON.stringify(summary(id)), { key: id });
  }
  await started.stored();
  const call = { id: 'c-1', name: 'read', args: '{"path":"a"}' };
  await storeMessages(database, [
    messageRow({ sessionId: 's-1', message: { role: 'user', text: 'Hello' }, at: START }, plain),
    messageRow({ sessionId: 's-2', message: { role: 'user', text: 'of another' }, at: START }, plain),
    messageRow(
      {
        sessionId: 's-1',
        message: { role: 'assistant', text: '', thought: 'Hm.', calls: [call] },
        at: START + 1,
      },
      plain,
    ),
    messageRow(
      {
        sessionId: 's-1',
        message: { role: 'tool', text: 'no', callId: 'c-1', isError: true },
        at: START + 2,
      },
      plain,
    ),
    messageRow(
      { sessionId: 's-1', message: { role: 'assistant', text: 'Stop.', byGateway: true }, at: START + 3 },
      plain,
    ),
    messageRow(
      { sessionId: 's-3', message: { role: 'assistant', text: 'x', calls: [call] }, at: START },
      { ...plain, storeText: false },
    ),
  ]);
});

afterAll(() => server.stop());

const read = async (path: string) => {
  const answer = await fetch(`${url}/api/v1/sessions/${path}`);
  return { status: answer.status, page: (await answer.json()) as SessionMessages };
};

describe('the messages of a session', () => {
  it('are listed in order, page by page', async () => {
    const texts: (string | null)[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { page } = await read(`s-1/messages?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.total).toBe(4);
      texts.push(...page.items.map(({ text }) => text));
      cursor = page.nextCursor;
    }
    expect(texts).toEqual(['Hello', '', 'no', 'Stop.']);
  });

  it('have role, calls and results', async () => {
    const { page } = await read('s-1/messages');
    expect(page.items.slice(1)).toMatchObject([
      { role: 'assistant', thought: 'Hm.', calls: [{ id: 'c-1', name: 'read', arguments: '{"path":"a"}' }] },
      { role: 'tool', callId: 'c-1', isError: true, at: START + 2 },
      { role: 'assistant', byGateway: true, calls: [] },
    ]);
  });

  it('distinguish text that was not stored from empty text', async () => {
    const { page } = await read('s-3/messages');
    expect(page.items).toMatchObject([{ text: null, calls: [{ name: 'read', arguments: null }] }]);
  });

  it.each([
    ['s-9/messages', 404],
    ['s-1/messages?cursor=x', 400],
    ['s-1/messages?limit=0', 400],
  ])('%s is answered with %i', async (path, status) => {
    expect((await read(path)).status).toBe(status);
  });
});
