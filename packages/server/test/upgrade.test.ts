import { expect, it } from 'vitest';
import { migrate } from '../../storage/src/migrate.ts';
import { migrations } from '../../storage/src/migrations.ts';
import { onBothDatabases } from '../../storage/test/databases.ts';
import { listVerdicts } from '../src/incidents/list-verdicts.ts';
import { incidentDetail } from '../src/incidents/read-incidents.ts';
import { writeVerdicts } from '../src/incidents/write-verdicts.ts';
import { START, verdict } from './verdicts.ts';

const opened = verdict({ guidance: 'Stop.' });
const escalated = verdict({ phase: 'escalated', action: 'block', count: 10, time: START + 5_000 });
const resolved = verdict({
  phase: 'resolved',
  count: 12,
  time: START + 9_000,
  evidence: {},
  reason: 'It went on',
});

onBothDatabases(({ make }) => {
  it('upgrade: data of the first version is read and continued', async () => {
    const { database: old } = await make({ migrated: false });
    await migrate(old, migrations.slice(0, 1));
    // As step 1 had it: whole verdicts in the fold.
    const seen = [opened, escalated].map((one) => ({
      verdict: { ...one, evidence: {} },
      detectedAt: one.detectedAt,
    }));
    const fold = {
      seen,
      revision: 2,
      detectedAt: opened.detectedAt,
      action: 'block',
      groupKey: 'g',
      loop: seen[1],
      guidance: seen[0],
      evidence: { verdict: escalated, detectedAt: escalated.detectedAt },
      lastEvidence: null,
    };
    await old.query(
      `insert into incidents (id, change, group_key, detector, kind, state, action, session_id, detected_at, last_at,
         count, calls, turns, tokens, duration, confidence, search)
       values ('i-1', 1, 'g', 'tool-repeat', 'loop', 'open', 'block', 's-1', $1, $2, 10, 10, 10, -1, 10000, 1, '')`,
      [opened.detectedAt, escalated.time],
    );
    await old.query(`insert into incident_docs values ('i-1', '{}', $1)`, [JSON.stringify(fold)]);
    for (const one of [opened, escalated]) {
      await old.query(
        `insert into verdicts values ($1, 'i-1', 's-1', 'tool-repeat', $2, 'gpt-5-mini', null, $3, 12, $4)`,
        [one.id, one.phase, one.detectedAt, JSON.stringify(one)],
      );
    }
    await migrate(old);
    await old.transaction((tx) => writeVerdicts(tx, [{ verdict: resolved, arrivedAt: START }]));

    const page = { limit: 10, cursor: undefined };
    const after = [await incidentDetail(old, 'i-1', START), await listVerdicts(old, {}, page)];

    const { database: anew } = await make();
    const read = [opened, escalated, resolved].map((one) => ({ verdict: one, arrivedAt: START }));
    await anew.transaction((tx) => writeVerdicts(tx, read));
    const expected = await incidentDetail(anew, 'i-1', START);
    expect(after).toEqual([{ ...expected, groupKey: 'g' }, await listVerdicts(anew, {}, page)]);
  });
});
