import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listGroups } from '../../src/incidents/list-groups.ts';
import { incidentDetail, incidentItems } from '../../src/incidents/read-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary, verdict } from '../verdicts.ts';

const cost = { calls: 37, turns: 37, characters: 0, tokens: null, ms: 9_000 };

onBothDatabases(({ make }) => {
  it('the evidence of a running loop is that of the latest summary, until a later verdict', async () => {
    const { database } = await make();
    const opened = verdict({ incidentId: 'i-1', count: 24, eventIndex: 118, evidence: { at: 'verdict' } });
    await writeVerdicts(database, [{ verdict: opened, arrivedAt: START }]);
    const told = summary(opened.sessionId, {
      events: 190,
      openIncidents: [
        {
          id: 'i-1',
          count: 37,
          cost,
          latest: {
            eventIndex: 186,
            time: START,
            reason: 'called 37 times',
            countAt: 7,
            evidence: { at: 'summary' },
          },
        },
      ],
    });
    await writeSummaries(database, [{ id: opened.sessionId, summary: told, at: START }]);
    expect(await incidentDetail(database, 'i-1', START)).toMatchObject({
      count: 37,
      cost,
      reason: 'called 37 times',
      evidence: { at: 'summary' },
      firstEventIndex: 118,
      lastEventIndex: 186,
    });
    expect(await incidentItems(database, ['i-1'], START)).toMatchObject([
      { reason: 'called 37 times', count: 37 },
    ]);
    const groups = await listGroups(
      database,
      {},
      { now: START, limit: 5, cursor: undefined, sort: { by: 'lastSeen', descending: true } },
    );
    expect(groups.items).toMatchObject([{ reason: 'called 37 times' }]);
    const stored = await database.query('select doc from session_docs');
    expect(JSON.stringify(stored)).not.toContain('"latest"');
    const later = {
      ...opened,
      id: 'v-2',
      phase: 'escalated' as const,
      count: 48,
      eventIndex: 240,
      evidence: { at: 'later' },
    };
    await writeVerdicts(database, [{ verdict: later, arrivedAt: START }]);
    expect(await incidentDetail(database, 'i-1', START)).toMatchObject({
      count: 48,
      evidence: { at: 'later' },
      lastEventIndex: 240,
    });
  });
});
