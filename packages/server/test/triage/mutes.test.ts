import type { IncidentDetail, Mute, MuteRecord, Mutes } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const tool = { name: 'deploy_status', signature: 'deploy_status:{}' };
const labels = { tool, agent: 'a-1', model: 'm-1', tenant: 't-1' };
const seen = verdict(labels);
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
let now = START;

beforeEach(async () => {
  now = START;
  ({ url, log, server, stored } = await startServer({ openDatabase: emptyDatabase, now: () => now }));
  await append(seen);
});

afterEach(() => server.stop());

async function append(...verdicts: (typeof seen)[]): Promise<void> {
  for (const one of verdicts) log.appendVerdict(one);
  await stored();
}

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as unknown };
}

async function mute(body: object): Promise<Mute> {
  const answer = await send('POST', '/mutes', body);
  expect(answer.status).toBe(201);
  return answer.body as Mute;
}

const read = async (id: string) => (await send('GET', `/incidents/${id}`)).body as IncidentDetail;
const statusOf = async (id: string) => (await read(id)).triage.status;
const mutes = async () => ((await send('GET', '/mutes')).body as Mutes).items;

describe('a mute by cause', () => {
  it('applies to existing and future incidents, which name the mute', async () => {
    const made = await mute({ cause: { tool: 'deploy_status' }, note: 'it polls' });
    await append(verdict({ incidentId: 'i-2', tool }), verdict({ incidentId: 'i-3' }));
    expect([await statusOf('i-1'), await statusOf('i-2'), await statusOf('i-3')]).toEqual([
      'muted',
      'muted',
      'new',
    ]);
    expect((await read('i-2')).mute).toEqual(made);
    expect((await read('i-3')).mute).toBeUndefined();
    const open = (await send('GET', '/incidents?open=true')).body as { items: { id: string }[] };
    expect(open.items.map(({ id }) => id)).toEqual(['i-3']);
    const muted = (await send('GET', '/incidents?triage=muted')).body as { items: { mute: unknown }[] };
    expect(muted.items.map((item) => item.mute)).toEqual([made, made]);
    expect(await mutes()).toEqual([{ ...made, incidents: 2 }]);
  });

  it.each([
    [{ detector: 'tool-repeat' }, true],
    [{ detector: 'outage' }, false],
    [{ tool: 'deploy_status', agent: 'a-1', model: 'm-1', tenant: 't-1' }, true],
    [{ tool: 'deploy_status', agent: 'a-2' }, false],
    [{ tool: 'deploy_status', model: 'm-2' }, false],
    [{ tool: 'deploy_status', tenant: 't-2' }, false],
    [{ tool: 'deploy' }, false],
    [{ group: 'other' }, false],
  ])('of %j matches: %s', async (cause, fits) => {
    await mute({ cause });
    expect(await statusOf('i-1')).toBe(fits ? 'muted' : 'new');
  });

  it('of a group matches identical loops', async () => {
    await mute({ cause: { group: (await read('i-1')).groupKey } });
    const other = verdict({
      ...labels,
      incidentId: 'i-2',
      tool: { ...tool, signature: 'deploy_status:{"a":1}' },
    });
    await append(verdict({ ...labels, incidentId: 'i-3', sessionId: 's-9' }), other);
    expect([await statusOf('i-1'), await statusOf('i-2'), await statusOf('i-3')]).toEqual([
      'muted',
      'new',
      'muted',
    ]);
  });

  it('ends when it expires or is removed', async () => {
    const short = await mute({ cause: { tool: 'deploy_status' }, until: START + 60_000 });
    expect((await read('i-1')).triage.mutedUntil).toBe(START + 60_000);
    now += 60_000;
    expect([await statusOf('i-1'), await mutes()]).toEqual(['new', []]);
    const long = await mute({ cause: { detector: 'tool-repeat' } });
    expect(await statusOf('i-1')).toBe('muted');
    expect((await send('DELETE', `/mutes/${long.id}`)).status).toBe(204);
    expect(await statusOf('i-1')).toBe('new');
    expect((await send('DELETE', `/mutes/${long.id}`)).status).toBe(404);
    expect(short.until).not.toBeNull();
  });

  it('is overridden by the triage of the incident itself', async () => {
    await send('PATCH', '/incidents/i-1', { status: 'acknowledged' });
    await mute({ cause: { tool: 'deploy_status' } });
    expect(await statusOf('i-1')).toBe('acknowledged');
    await send('PATCH', '/incidents/i-1', { status: 'new' });
    expect(await statusOf('i-1')).toBe('muted');
  });

  it.each([
    [{ cause: { agent: 'a-1' } }, /at least one of detector, tool and group/],
    [{ cause: { tool: 'x' }, until: START }, /in the past/],
    [{ cause: { tool: 'x' }, untilEscalates: true }, /no incident has this cause/],
    [{ cause: { tool: 'x', color: 'red' } }, /color/],
  ])('like %j is rejected', async (body, detail) => {
    const answer = await send('POST', '/mutes', body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringMatching(detail)]);
  });
});

describe('a mute until it escalates', () => {
  const cost = { ...seen.cost, tokens: 100 };
  const worst = { ...labels, action: 'warn' as const, count: 5, cost };

  it.each([
    ['the same', {}, true],
    ['twice the count', { count: 10 }, true],
    ['more than twice the count', { count: 11 }, false],
    ['twice the tokens', { cost: { ...cost, tokens: 200 } }, true],
    ['more than twice the tokens', { cost: { ...cost, tokens: 201 } }, false],
    ['unknown tokens', { cost: { ...cost, tokens: null } }, true],
    ['a weaker action', { action: 'none' as const }, true],
    ['a stronger action', { action: 'block' as const }, false],
  ])('with %s: %o, still applies: %s', async (_what, change, holds) => {
    await append(verdict({ ...worst, incidentId: 'i-5', sessionId: 's-5' }));
    const made = await mute({
      cause: { agent: 'a-1', detector: 'tool-repeat', tool: 'deploy_status' },
      untilEscalates: true,
    });
    expect(made.escalation).toEqual({ action: 'warn', count: 5, tokens: 100 });
    await append(verdict({ ...worst, ...change, incidentId: 'i-6', sessionId: 's-6' }));
    expect(await statusOf('i-6')).toBe(holds ? 'muted' : 'new');
  });
});

describe('the triage topic', () => {
  it('carries mutes and their removal to other databases', async () => {
    const kept = await mute({ cause: { tool: 'deploy_status' } });
    const removed = await mute({ cause: { detector: 'tool-repeat' } });
    await send('DELETE', `/mutes/${removed.id}`);
    const records = () => log.values(topics.triage) as MuteRecord[];
    await waitFor(() => records().some((record) => record.removed));
    expect(records()).toContainEqual({ v: 1, mute: kept, removed: false });
    await server.stop();
    const other = await startServer({ openDatabase: emptyDatabase, now: () => now });
    ({ url, server } = other);
    for (const record of records()) other.log.append(topics.triage, JSON.stringify(record));
    other.log.appendVerdict(seen);
    await other.stored();
    expect(await mutes()).toEqual([{ ...kept, incidents: 1 }]);
    expect((await read('i-1')).mute).toEqual(kept);
  });
});
