import type { IncidentDetail } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let now = START;

beforeEach(async () => {
  now = START;
  const started = await startServer({ openDatabase: emptyDatabase, now: () => now });
  ({ url, log, server } = started);
  for (const incidentId of ['i-1', 'i-2']) log.appendVerdict(verdict({ incidentId }));
  await started.stored();
});

afterEach(() => server.stop());

async function patch(body: unknown, path = '/i-1') {
  const response = await fetch(`${url}/api/v1/incidents${path}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
  });

  return { status: response.status, body: await response.json() };
}

const read = async (id = 'i-1') =>
  (await (await fetch(`${url}/api/v1/incidents/${id}`)).json()) as IncidentDetail;

describe('a decision', () => {
  it('is noted with who, when, and what it was before', async () => {
    await patch({ status: 'acknowledged', note: 'seen' });
    now += 5_000;
    await patch({ status: 'false_positive' });
    const { triage, triageHistory } = await read();
    expect(triage).toEqual({
      status: 'false_positive',
      mutedUntil: null,
      note: 'seen',
      by: 'operator',
      at: START + 5_000,
      revision: 2,
    });
    expect(triageHistory.map(({ at, from, to }) => [at, from.status, to.status])).toEqual([
      [START, 'new', 'acknowledged'],
      [START + 5_000, 'acknowledged', 'false_positive'],
    ]);
  });

  it('is undone by handing back what it was before, and that undone as well', async () => {
    await patch({ status: 'muted', mutedUntil: START + 60_000, note: 'until the fix is out' });
    await patch({ status: 'acknowledged', note: null });
    const undo = async () => (await patch((await read()).triageHistory.at(-1)?.from)).body.triage;
    expect(await undo()).toMatchObject({
      status: 'muted',
      mutedUntil: START + 60_000,
      note: 'until the fix is out',
      revision: 3,
    });
    expect(await undo()).toMatchObject({ status: 'acknowledged', mutedUntil: null, note: null, revision: 4 });
  });

  it('made on what has changed meanwhile is refused, with how it stands', async () => {
    expect((await patch({ status: 'acknowledged', revision: 0 })).status).toBe(200);
    const late = await patch({ status: 'false_positive', revision: 0 });
    expect(late).toMatchObject({
      status: 409,
      body: {
        status: 409,
        detail: expect.stringMatching(/at revision 1 by now, changed by operator/) as string,
        current: { status: 'acknowledged', revision: 1 },
      },
    });
    expect((await read()).triage.status).toBe('acknowledged');
    expect((await patch({ status: 'false_positive', revision: 1 })).body.triage.revision).toBe(2);
  });

  it('on several is made on all or none', async () => {
    await patch({ status: 'acknowledged' });
    const late = await patch({ ids: ['i-2', 'i-1'], change: { status: 'muted', revision: 0 } }, '');
    expect(late.status).toBe(409);
    expect((await read('i-2')).triage.status).toBe('new');
    const done = await patch({ ids: ['i-1', 'i-2', 'i-2', 'gone'], change: { status: 'muted' } }, '');
    expect(done.body.missing).toEqual(['gone']);
    expect((await read('i-2')).triage).toMatchObject({ status: 'muted', revision: 1 });
  });

  it('that changes nothing makes no revision', async () => {
    await patch({ status: 'acknowledged' });
    expect((await patch({ status: 'acknowledged' })).body.triage.revision).toBe(1);
    expect((await read()).triageHistory).toHaveLength(1);
  });

  it.each([
    [{}, /at least one of/],
    [{ status: 'gone' }, /status/],
    [{ status: 'acknowledged', mutedUntil: 1 }, /mutedUntil/],
    [{ note: 'x'.repeat(4_001) }, /note/],
    [{ status: 'new', by: 'me' }, /by/],
  ])('like %j is refused', async (body, detail) => {
    const answer = await patch(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('to mute ends with its time: then the incident counts as new', async () => {
    await patch({ status: 'muted', mutedUntil: START + 60_000 });
    const total = async (filter: string) =>
      ((await (await fetch(`${url}/api/v1/incidents?${filter}`)).json()) as { total: number }).total;
    expect([await total('triage=muted'), await total('open=true')]).toEqual([1, 1]);
    now += 60_000;
    expect([await total('triage=muted'), await total('open=true')]).toEqual([0, 2]);
    expect((await read()).triage).toMatchObject({ status: 'new', mutedUntil: null });
  });

  it('waits in the database until the log takes it', async () => {
    log.failure = new Error('the log is down');
    expect((await patch({ status: 'acknowledged' })).status).toBe(200);
    await patch({ status: 'false_positive' });
    expect(log.topics.get(topics.triage) ?? []).toHaveLength(0);
    log.failure = undefined;
    await waitFor(() => (log.topics.get(topics.triage) ?? []).length > 0);
    const written = log.values(topics.triage).at(-1);
    expect(written).toMatchObject({ incidentId: 'i-1', triage: { status: 'false_positive', revision: 2 } });
  });
});
