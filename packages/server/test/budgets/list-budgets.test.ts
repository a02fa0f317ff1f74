import { type DetectionInput, detectionSchema, type SessionSummary } from '@loopwatch/contract';
import type { Budget } from '@loopwatch/contract/api';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const DAY = 86_400_000;

let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
let clock = START;

async function start(settings: DetectionInput): Promise<void> {
  clock = START;
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    configured: { settings: detectionSchema.parse(settings), origins: {}, hasModel: true },
    now: () => (clock += 100),
  }));
}
afterEach(() => server.stop());

async function told(sessionId: string, part: Partial<SessionSummary>): Promise<void> {
  const event = { startedAt: START - 90_000, lastEventAt: START, agent: 'coder', status: 'live' as const };
  const value = JSON.stringify(summary(sessionId, { ...event, ...part }));
  log.append(topics.sessions, value, { key: sessionId, timestamp: clock });
  await stored();
}

async function budgets(query = ''): Promise<Budget[]> {
  const response = await fetch(`${url}/api/v1/budgets${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { budgets: Budget[] }).budgets;
}

const tokens = { input: 700, output: 50, cached: 0 };

describe('GET /budgets', () => {
  it('is empty without a budget', async () => {
    await start({});
    await told('s-1', { toolCalls: 5 });
    expect(await budgets()).toEqual([]);
  });

  it('lists what live sessions have used of their budgets, the most used first', async () => {
    await start({ budget: { usd: 0.5, calls: 10, minutes: 3 } });
    await told('s-1', { title: 'Fix the total', tokens, usd: 0.1, toolCalls: 2 });
    await told('s-2', { tokens, usd: 0.72, toolCalls: 3 });
    await told('s-3', { status: 'ended', tokens, usd: 9, toolCalls: 3 });
    expect(await budgets()).toEqual([
      {
        per: 'session',
        subject: 's-2',
        uses: [
          { resource: 'usd', used: 0.72, limit: 0.5 },
          { resource: 'minutes', used: 1.5, limit: 3 },
          { resource: 'calls', used: 3, limit: 10 },
        ],
      },
      {
        per: 'session',
        subject: 's-1',
        sessionTitle: 'Fix the total',
        uses: [
          { resource: 'minutes', used: 1.5, limit: 3 },
          { resource: 'usd', used: 0.1, limit: 0.5 },
          { resource: 'calls', used: 2, limit: 10 },
        ],
      },
    ]);
  });

  it('tells which limits cannot take effect: no usage, or no price', async () => {
    await start({ budget: { usd: 1, tokens: 1_000 } });
    await told('s-0', { tokens: null, usd: null, turns: 2 });
    await told('s-1', { tokens: null, usd: null, turns: 3 });
    await told('s-2', { tokens, usd: null, toolCalls: 2 });
    expect(await budgets('?session=s-0')).toMatchObject([{ uses: [{ used: 0 }, { used: 0 }] }]);
    expect(await budgets('?session=s-1')).toEqual([
      {
        per: 'session',
        subject: 's-1',
        uses: [],
        unknown: [
          { resource: 'tokens', why: 'no_usage' },
          { resource: 'usd', why: 'no_usage' },
        ],
      },
    ]);
    expect(await budgets('?session=s-2')).toEqual([
      {
        per: 'session',
        subject: 's-2',
        uses: [{ resource: 'tokens', used: 750, limit: 1_000 }],
        unknown: [{ resource: 'usd', why: 'no_price' }],
      },
    ]);
  });

  it('follows the settings of the model and of the session', async () => {
    await start({
      budget: { calls: 10 },
      overrides: { models: { 'openai/gpt-5-mini': { budget: { calls: 20 } } } },
    });
    const labels = { backend: 'openai', model: 'gpt-5-mini', toolCalls: 5 };
    await told('s-1', labels);
    await told('s-2', labels);
    const set = JSON.stringify({ set: { 'budget.calls': 40 } });
    const headers = { 'content-type': 'application/json' };
    const put = await fetch(`${url}/api/v1/settings/session:s-2`, { method: 'PUT', headers, body: set });
    expect(put.status).toBe(200);
    clock += 2_000;
    expect((await budgets()).map(({ subject, uses: [use] }) => [subject, use?.limit])).toEqual([
      ['s-1', 20],
      ['s-2', 40],
    ]);
  });

  it('lists the agents of today, if they share the budget', async () => {
    await start({ budget: { usd: 2, per: 'agent' } });
    await told('s-1', { tokens, usd: 0.5 });
    await told('s-2', { tokens, usd: 0.75 });
    await told('s-3', { agent: 'writer', tokens, usd: 1.5 });
    await told('s-4', { agent: 'old', startedAt: START - DAY, lastEventAt: START - DAY, tokens, usd: 1 });
    expect(await budgets()).toEqual([
      { per: 'agent', subject: 'writer', uses: [{ resource: 'usd', used: 1.5, limit: 2 }] },
      { per: 'agent', subject: 'coder', uses: [{ resource: 'usd', used: 1.25, limit: 2 }] },
    ]);
    expect(await budgets('?session=s-1')).toEqual([]);
  });

  it('refuses an unknown parameter', async () => {
    await start({});
    expect((await fetch(`${url}/api/v1/budgets?sesion=s-1`)).status).toBe(400);
  });
});
