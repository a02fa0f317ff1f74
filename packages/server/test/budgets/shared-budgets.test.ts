import { type DetectionInput, detectionSchema, type SessionSummary, type Verdict } from '@loopwatch/contract';
import { waitFor } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const DAY = 86_400_000;
/** Noon, UTC. */
const NOON = Math.floor(START / DAY) * DAY + DAY / 2;
const today = new Date(NOON).toISOString().slice(0, 10);

let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
let clock = NOON;

async function start(budget: DetectionInput['budget']): Promise<void> {
  clock = NOON;
  const settings = detectionSchema.parse({ budget });
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    configured: { settings, origins: {}, hasModel: true },
    now: () => (clock += 1_000),
  }));
}
afterEach(() => server.stop());

/** A session as it stands, in the log and in the database. */
async function told(sessionId: string, part: Partial<SessionSummary>): Promise<void> {
  const event = { startedAt: NOON, lastEventAt: NOON, agent: 'coder', status: 'live' as const };
  await log.sink().publish([
    {
      topic: topics.sessions,
      key: sessionId,
      value: JSON.stringify(summary(sessionId, { ...event, ...part })),
    },
  ]);
  await stored();
}

const budgetVerdicts = () =>
  (log.values(topics.verdicts) as Verdict[]).filter(({ detector }) => detector === 'budget');
/** Waits until as many verdicts were told; what they say. */
async function verdicts(count: number): Promise<(readonly [string, string, string])[]> {
  await waitFor(() => budgetVerdicts().length >= count);
  return budgetVerdicts().map(({ phase, action, reason }) => [phase, action, reason]);
}

async function stopsOf(id: string): Promise<{ stopped: boolean; by: string | null }> {
  const response = await fetch(`${url}/api/v1/settings/session:${id}`);
  const { set, updatedBy } = (await response.json()) as {
    set: { stopped?: boolean };
    updatedBy: string | null;
  };
  return { stopped: set.stopped === true, by: updatedBy };
}
const until = (id: string, stopped: boolean) => waitFor(async () => (await stopsOf(id)).stopped === stopped);

async function change(set: object): Promise<void> {
  const response = await fetch(`${url}/api/v1/settings/server`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ set }),
  });
  expect(response.status).toBe(200);
}

describe('a budget shared by the sessions of an agent', () => {
  beforeEach(() => start({ usd: 10, per: 'agent' }));

  it('warns, then stops the sessions of that agent only', async () => {
    await told('s-1', { usd: 5 });
    await told('s-2', { usd: 3.5 });
    await told('other', { usd: 9.99, agent: 'writer', toolCalls: 1 });
    expect(await verdicts(2)).toEqual([
      ['opened', 'warn', `Agent coder on ${today} has used 85% of its budget: $8.50 of $10.00`],
      ['opened', 'warn', `Agent writer on ${today} has used 99% of its budget: $9.99 of $10.00`],
    ]);
    expect(await stopsOf('s-1')).toEqual({ stopped: false, by: null });
    await told('s-2', { usd: 6 });
    expect((await verdicts(3))[2]).toEqual([
      'escalated',
      'block',
      `Agent coder on ${today} has used its budget: $11.00 of $10.00`,
    ]);
    await Promise.all([until('s-1', true), until('s-2', true)]);
    expect(await stopsOf('s-1')).toEqual({ stopped: true, by: `the budget of agent coder on ${today}` });
    expect((await stopsOf('other')).stopped).toBe(false);
    const [opened, , escalated] = budgetVerdicts();
    expect(escalated?.incidentId).toBe(opened?.incidentId);
    expect(escalated?.evidence).toMatchObject({
      per: 'agent',
      subject: 'coder',
      uses: [{ used: 11, limit: 10 }],
    });
  });

  it('counts each summary once', async () => {
    await told('s-1', { usd: 4 });
    await told('s-1', { usd: 4 });
    await told('s-1', { usd: 7 });
    await told('s-1', { usd: 8 });
    expect(await verdicts(1)).toEqual([
      ['opened', 'warn', `Agent coder on ${today} has used 80% of its budget: $8.00 of $10.00`],
    ]);
  });

  it('counts each part of a session that paused once, whichever is told again', async () => {
    const part = (first: number, usd: number) => ({
      usd,
      startedAt: NOON + first,
      lastEventAt: NOON + first,
      source: {
        topic: topics.events,
        partition: 0,
        firstOffset: String(first),
        lastOffset: String(first + 9),
      },
    });
    await told('s-1', part(0, 5));
    for (const usd of [1, 2, 3]) await told('s-1', part(100, usd));
    await told('s-1', part(0, 5));
    await told('s-1', part(100, 3.5));
    expect(await verdicts(1)).toEqual([
      ['opened', 'warn', `Agent coder on ${today} has used 80% of its budget: $8.00 of $10.00`],
    ]);
  });

  it('counts a history once that is sent again after the session was forgotten', async () => {
    const source = { topic: topics.events, partition: 0, firstOffset: '900', lastOffset: '909' };
    await told('s-1', { usd: 5, events: 5 });
    for (const usd of [1, 3, 5]) await told('s-1', { usd, events: usd, source });
    await told('s-2', { usd: 3 });
    expect(await verdicts(1)).toEqual([
      ['opened', 'warn', `Agent coder on ${today} has used 80% of its budget: $8.00 of $10.00`],
    ]);
  });

  it('denies calls of its sessions with a reason', async () => {
    await told('s-1', { usd: 12 });
    await until('s-1', true);
    const response = await fetch(`${url}/api/v1/decide`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: 's-1', name: 'read_file', args: {} }),
    });
    expect(await response.json()).toMatchObject({
      action: 'stop',
      reason: `The session was stopped by the budget of agent coder on ${today} in Loopwatch`,
    });
  });

  it('resumes its sessions when raised, except those stopped by a person', async () => {
    await told('s-1', { usd: 6 });
    await told('mine', { usd: 0 });
    await fetch(`${url}/api/v1/sessions/mine/stop`, { method: 'POST' });
    await told('s-2', { usd: 6 });
    await Promise.all([until('s-1', true), until('s-2', true)]);
    await change({ 'budget.usd': 100 });
    await told('s-2', { usd: 6.1 });
    await Promise.all([until('s-1', false), until('s-2', false)]);
    expect((await stopsOf('mine')).stopped).toBe(true);
    expect((await verdicts(2)).slice(1)).toEqual([
      [
        'resolved',
        'none',
        `Agent coder on ${today} has used its budget: $12.00 of $10.00; the budget was raised or removed`,
      ],
    ]);
  });

  it('does not stop a session again that a person has resumed', async () => {
    await told('s-1', { usd: 12 });
    await until('s-1', true);
    await fetch(`${url}/api/v1/sessions/s-1/stop`, { method: 'DELETE' });
    await told('s-1', { usd: 13 });
    await told('s-2', { usd: 1 });
    await until('s-2', true);
    expect((await stopsOf('s-1')).stopped).toBe(false);
  });

  it('resets at the end of the day', async () => {
    await told('s-1', { usd: 12 });
    await until('s-1', true);
    clock += DAY;
    await told('s-3', { usd: 8, startedAt: NOON + DAY, lastEventAt: NOON + DAY });
    await until('s-1', false);
    const tomorrow = new Date(NOON + DAY).toISOString().slice(0, 10);
    expect((await verdicts(3)).map(([phase, , reason]) => [phase, reason])).toEqual([
      ['opened', `Agent coder on ${today} has used its budget: $12.00 of $10.00`],
      ['resolved', `Agent coder on ${today} has used its budget: $12.00 of $10.00; the day has ended`],
      ['opened', `Agent coder on ${tomorrow} has used 80% of its budget: $8.00 of $10.00`],
    ]);
  });
});

describe.each([
  ['tenant', { tenant: 'acme' }, 'Tenant acme on '],
  ['day', {}, 'The day '],
] as const)('a budget per %s', (per, labels, owner) => {
  it('counts tool calls of all its sessions', async () => {
    await start({ calls: 10, per });
    await told('s-1', { toolCalls: 4, ...labels });
    await told('s-2', { toolCalls: 4, agent: null, ...labels });
    expect(await verdicts(1)).toEqual([
      ['opened', 'warn', `${owner}${today} has used 80% of its budget: 8 of 10 tool calls`],
    ]);
  });
});
