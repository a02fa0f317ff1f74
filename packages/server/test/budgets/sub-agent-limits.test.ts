import { type DetectionInput, detectionSchema, type SessionSummary, type Verdict } from '@loopwatch/contract';
import { waitFor } from '@loopwatch/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const HOUR = 3_600_000;

let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;

async function start(agents: DetectionInput['agents']): Promise<void> {
  const settings = detectionSchema.parse({ agents });
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    configured: { settings, origins: {}, hasModel: true },
    now: () => START + HOUR / 2,
  }));
}
afterEach(() => server.stop());

/** A session as it stands, in the log and in the database. */
async function told(sessionId: string, parent: string | null, part: Partial<SessionSummary> = {}) {
  const value = summary(sessionId, {
    startedAt: START,
    lastEventAt: START,
    ...(parent !== null && { parentSessionId: parent }),
    ...part,
  });
  await log.sink().publish([{ topic: topics.sessions, key: sessionId, value: JSON.stringify(value) }]);
  await stored();
}

const verdicts = () => log.values(topics.verdicts) as Verdict[];
const reasons = () => verdicts().map(({ sessionId, phase, reason }) => [sessionId, phase, reason]);
const reported = (count: number) => waitFor(() => verdicts().length >= count);

async function isStopped(id: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/settings/session:${id}`);
  const { set } = (await response.json()) as { set: { stopped?: boolean } };
  return set.stopped === true;
}
const stoppedOf = async (...ids: string[]) => {
  const stopped = await Promise.all(ids.map(isStopped));
  return ids.filter((_, i) => stopped[i]);
};

describe('agents.max_children', () => {
  it('stops the sub-agents of a session beyond the limit', async () => {
    await start({ max_children: 2 });
    await told('parent', null);
    for (const id of ['a', 'b', 'c']) await told(id, 'parent', { startedAt: START + id.charCodeAt(0) });
    await told('other', 'another');
    await reported(2);
    expect(reasons()).toEqual([
      ['c', 'opened', 'Session parent started 3 sub-agents (limit 2)'],
      ['c', 'resolved', 'Session parent started 3 sub-agents (limit 2); this sub-agent was stopped'],
    ]);
    expect(await stoppedOf('parent', 'a', 'b', 'c', 'other')).toEqual(['c']);
    expect(verdicts()[0]).toMatchObject({
      kind: 'limit',
      action: 'block',
      thresholdOrigin: { setting: 'agents.max_children', value: 2 },
      evidence: { subject: 'parent', uses: [{ resource: 'sub_agents', used: 3, limit: 2 }] },
    });
    const decision = await fetch(`${url}/api/v1/decide`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: 'c', name: 'read_file', args: {} }),
    });
    expect(await decision.json()).toMatchObject({
      action: 'stop',
      reason: 'The session was stopped by the limits of sub-agents in Loopwatch',
    });
  });

  it('counts by start, in whatever order the sub-agents arrive', async () => {
    await start({ max_children: 1 });
    await told('first', 'parent', { startedAt: START + 1 });
    await told('second', 'parent', { startedAt: START + 2 });
    await told('first', 'parent', { startedAt: START + 1, events: 9 });
    await reported(2);
    expect(await stoppedOf('first', 'second')).toEqual(['second']);
  });

  it('reports and stops once, so that a person can resume', async () => {
    await start({ max_children: 1 });
    await told('a', 'parent');
    await told('b', 'parent');
    await reported(2);
    await stored();
    await fetch(`${url}/api/v1/sessions/b/stop`, { method: 'DELETE' });
    await told('b', 'parent', { events: 9 });
    await told('c', 'parent');
    await reported(4);
    expect(reasons().map(([id, phase]) => [id, phase])).toEqual([
      ['b', 'opened'],
      ['b', 'resolved'],
      ['c', 'opened'],
      ['c', 'resolved'],
    ]);
    expect(await stoppedOf('a', 'b', 'c')).toEqual(['c']);
  });

  it('leaves history alone', async () => {
    await start({ max_children: 1 });
    const old = { startedAt: START - 2 * HOUR, lastEventAt: START - 2 * HOUR };
    for (const id of ['a', 'b', 'c']) await told(id, 'parent', old);
    await told('ended', 'parent', { status: 'ended' });
    await told('new', 'parent');
    await reported(2);
    expect(new Set(reasons().map(([id]) => id))).toEqual(new Set(['new']));
  });
});

describe('agents.max_depth', () => {
  it('stops sub-agents below the limit', async () => {
    await start({ max_depth: 2 });
    for (const [id, parent] of [
      ['root', null],
      ['one', 'root'],
      ['two', 'one'],
      ['three', 'two'],
    ] as const)
      await told(id, parent);
    await reported(2);
    expect(reasons()[0]).toEqual(['three', 'opened', 'Session two started a sub-agent of level 3 (limit 2)']);
    expect(await stoppedOf('root', 'one', 'two', 'three')).toEqual(['three']);
  });

  it('ends where sessions name each other as parents', async () => {
    await start({ max_depth: 100, max_children: 1 });
    await told('self', 'self');
    await told('x', 'y');
    await told('y', 'x');
    await told('z', 'x');
    await reported(4);
    expect(new Set(reasons().map(([id]) => id))).toEqual(new Set(['y', 'z']));
  });
});

it('has no limits of sub-agents by default', async () => {
  await start({});
  for (let i = 0; i < 30; i += 1) await told(`child-${i}`, i === 0 ? 'root' : `child-${i - 1}`);
  for (let i = 0; i < 30; i += 1) await told(`leaf-${i}`, 'root');
  expect(verdicts()).toEqual([]);
});
