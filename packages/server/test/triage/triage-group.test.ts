import type { GroupTriageResult, IncidentDetail } from '@loopwatch/contract/api';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer } from '../running-server.ts';
import { verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();

it('triage of a group applies to all its incidents, and can be undone for each', async () => {
  const { url, log, server, stored } = await startServer({ openDatabase: emptyDatabase });
  for (const incidentId of ['i-1', 'i-2', 'i-3']) log.appendVerdict(verdict({ incidentId }));
  const tool = { name: 'other', signature: 'other:{}' };
  log.appendVerdict(verdict({ incidentId: 'i-4', tool }));
  await stored();
  const patch = async (path: string, body: unknown) => {
    const response = await fetch(`${url}/api/v1/${path}`, { method: 'PATCH', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const read = async (id: string) =>
    (await (await fetch(`${url}/api/v1/incidents/${id}`)).json()) as IncidentDetail;
  const statuses = () =>
    Promise.all(['i-1', 'i-2', 'i-3', 'i-4'].map(async (id) => (await read(id)).triage.status));

  await patch('incidents/i-2', { status: 'acknowledged', note: 'seen' });
  const { groupKey } = await read('i-1');
  const done = await patch(`incident-groups/${groupKey}`, { status: 'false_positive' });
  expect(done).toMatchObject({ status: 200, body: { incidents: 3 } });
  expect(await statuses()).toEqual(['false_positive', 'false_positive', 'false_positive', 'new']);

  await patch('incidents/i-1', { assignee: 'ada' });
  for (const undo of (done.body as GroupTriageResult).undo) await patch('incidents', undo);
  expect(await statuses()).toEqual(['new', 'acknowledged', 'new', 'new']);
  expect((await read('i-2')).triage.note).toBe('seen');
  expect((await read('i-1')).triage.assignee).toBe('ada');
  expect(await patch(`incident-groups/${groupKey}`, { comment: 'all of them' })).toMatchObject({
    body: { incidents: 3, undo: [] },
  });
  expect((await patch('incident-groups/gone', { status: 'new' })).status).toBe(404);
  await server.stop();
});
