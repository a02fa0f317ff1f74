import type { IncidentDetail, Overview } from '@loopwatch/contract/api';
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

async function patch(body: unknown, path = '/i-1', headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/v1/incidents${path}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(body),
  });

  return { status: response.status, body: await response.json() };
}

const read = async (id = 'i-1') =>
  (await (await fetch(`${url}/api/v1/incidents/${id}`)).json()) as IncidentDetail;

describe('triage', () => {
  it('is recorded with author, time and previous state', async () => {
    await patch({ status: 'acknowledged', note: 'seen' });
    now += 5_000;
    await patch({ status: 'false_positive' });
    const { triage, triageHistory } = await read();
    expect(triage).toEqual({
      status: 'false_positive',
      mutedUntil: null,
      note: 'seen',
      assignee: null,
      by: 'operator',
      at: START + 5_000,
      revision: 2,
    });
    expect(triageHistory.map(({ at, from, to }) => [at, from.status, to.status])).toEqual([
      [START, 'new', 'acknowledged'],
      [START + 5_000, 'acknowledged', 'false_positive'],
    ]);
  });

  it('is undone by restoring the previous state, and redone likewise', async () => {
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

  it('of an outdated revision is rejected with the current one', async () => {
    expect((await patch({ status: 'acknowledged', revision: 0 })).status).toBe(200);
    const late = await patch({ status: 'false_positive', revision: 0 });
    expect(late).toMatchObject({
      status: 409,
      body: {
        status: 409,
        detail: expect.stringMatching(/changed to revision 1 by operator/) as string,
        current: { status: 'acknowledged', revision: 1 },
      },
    });
    expect((await read()).triage.status).toBe('acknowledged');
    expect((await patch({ status: 'false_positive', revision: 1 })).body.triage.revision).toBe(2);
  });

  it('of several incidents applies to all or none', async () => {
    await patch({ status: 'acknowledged' });
    const late = await patch({ ids: ['i-2', 'i-1'], change: { status: 'muted', revision: 0 } }, '');
    expect(late.status).toBe(409);
    expect((await read('i-2')).triage.status).toBe('new');
    const done = await patch({ ids: ['i-1', 'i-2', 'i-2', 'gone'], change: { status: 'muted' } }, '');
    expect(done.body.missing).toEqual(['gone']);
    expect((await read('i-2')).triage).toMatchObject({ status: 'muted', revision: 1 });
  });

  it('without a change creates no revision', async () => {
    await patch({ status: 'acknowledged' });
    expect((await patch({ status: 'acknowledged' })).body.triage.revision).toBe(1);
    expect((await read()).triageHistory).toHaveLength(1);
  });

  it.each([
    [{}, /at least one of/],
    [{ status: 'gone' }, /status/],
    [{ status: 'acknowledged', mutedUntil: 1 }, /mutedUntil/],
    [{ status: 'muted', mutedUntil: START }, /mutedUntil.*in the past/],
    [{ note: 'x'.repeat(4_001) }, /note/],
    [{ status: 'new', by: 'me' }, /by/],
    [{ assignee: ' ' }, /assignee/],
    [{ comment: ' ' }, /comment/],
    [{ revision: 1 }, /at least one of/],
  ])('like %j is rejected', async (body, detail) => {
    const answer = await patch(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('muted until a time expires: then the incident counts as new', async () => {
    await patch({ status: 'muted', mutedUntil: START + 60_000 });
    const total = async (filter: string) =>
      ((await (await fetch(`${url}/api/v1/incidents?${filter}`)).json()) as { total: number }).total;
    const overview = async () => (await (await fetch(`${url}/api/v1/overview`)).json()) as Overview;
    expect([await total('triage=muted'), await total('open=true')]).toEqual([1, 1]);
    expect(await overview()).toMatchObject({ open: 1, openItems: [{ id: 'i-2' }] });
    now += 60_000;
    expect([await total('triage=muted'), await total('open=true')]).toEqual([0, 2]);
    expect((await overview()).open).toBe(2);
    expect((await read()).triage).toMatchObject({ status: 'new', mutedUntil: null });
    await patch({ status: 'acknowledged' });
    const undone = await patch((await read()).triageHistory.at(-1)?.from);
    expect([undone.status, undone.body.triage.status]).toEqual([200, 'new']);
  });

  it('has an assignee that lists filter by', async () => {
    await patch({ assignee: ' ada ' });
    await patch({ status: 'acknowledged' }, '/i-2');
    expect((await read()).triage).toMatchObject({ status: 'new', assignee: 'ada' });
    const listed = async (filter: string) => {
      const { items } = await (await fetch(`${url}/api/v1/incidents?${filter}`)).json();
      return (items as { id: string }[]).map(({ id }) => id).toSorted();
    };
    expect(await listed('assignee=ada')).toEqual(['i-1']);
    expect(await listed('assignee=')).toEqual(['i-2']);
    expect(await listed('assignee=&assignee=ada')).toEqual(['i-1', 'i-2']);
    await patch((await read()).triageHistory.at(-1)?.from);
    expect(await listed('assignee=ada')).toEqual([]);
  });

  it('keeps its assignee when more verdicts arrive', async () => {
    await patch({ assignee: 'ada' });
    log.appendVerdict(
      verdict({ incidentId: 'i-1', phase: 'escalated', count: 6, detectedAt: START + 30_000 }),
    );
    await waitFor(async () => (await read()).count === 6);
    const { total } = await (await fetch(`${url}/api/v1/incidents?assignee=ada`)).json();
    expect(total).toBe(1);
  });

  it('has comments; deleting one keeps the change made with it', async () => {
    await patch({ comment: 'Is it the deploy?' });
    await patch({ status: 'acknowledged', comment: 'It is.' });
    const comments = async () => (await read()).triageHistory.map(({ comment }) => comment);
    expect(await comments()).toEqual(['Is it the deploy?', 'It is.']);
    const remove = async (revision: number | string) => {
      const path = `${url}/api/v1/incidents/i-1/comments/${String(revision)}`;
      const response = await fetch(path, { method: 'DELETE' });
      return response.ok ? response.status : (await response.json()).detail;
    };
    expect(await remove(1)).toBe(204);
    expect(await comments()).toEqual(['It is.']);
    expect(await remove(2)).toBe(204);
    expect((await read()).triageHistory).toMatchObject([{ to: { status: 'acknowledged' }, revision: 2 }]);
    expect(await comments()).toEqual([undefined]);
    for (const unknown of [2, 9, 'first'])
      expect(await remove(unknown)).toBe(`Comment ${String(unknown)} not found; it may have been deleted`);
    expect((await read()).triage).toMatchObject({ status: 'acknowledged', revision: 4 });
  });

  it('has comments that only their author can delete', async () => {
    const ada = { 'loopwatch-user': 'Ada' };
    await patch({ comment: 'Mine.' }, '/i-1', ada);
    expect((await read()).triageHistory).toMatchObject([{ by: 'Ada', comment: 'Mine.' }]);
    const remove = async (headers: Record<string, string>) =>
      (await fetch(`${url}/api/v1/incidents/i-1/comments/1`, { method: 'DELETE', headers })).status;
    expect(await remove({})).toBe(403);
    expect(await remove({ 'loopwatch-user': 'Bob' })).toBe(403);
    expect(await remove(ada)).toBe(204);
    expect((await read()).triageHistory).toEqual([]);
  });

  it('keeps up to 40 comments however many changes follow', async () => {
    await patch({ comment: 'the first' });
    for (let change = 0; change < 55; change += 1) await patch({ note: String(change) });
    const { triageHistory } = await read();
    expect(triageHistory).toHaveLength(50);
    expect(triageHistory[0]).toMatchObject({ comment: 'the first' });
    expect([triageHistory[1]?.to.note, triageHistory.at(-1)?.to.note]).toEqual(['6', '54']);
    for (let comment = 2; comment <= 40; comment += 1) await patch({ comment: String(comment) });
    expect(await patch({ comment: 'one more' })).toMatchObject({ status: 409 });
    expect((await patch({ status: 'muted' })).status).toBe(200);
    const history = (await read()).triageHistory;
    expect(history).toHaveLength(50);
    expect(history.filter(({ comment }) => comment !== undefined)).toHaveLength(40);
  });

  it('waits in the database until it can be published', async () => {
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
