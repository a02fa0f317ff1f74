import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listGroups } from '../../src/incidents/list-groups.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { START, verdict } from '../verdicts.ts';

const costOf = (tokens: number | null) => ({ calls: 5, turns: 4, characters: 0, tokens, ms: 300 });
const page = {
  now: START + 10_000,
  limit: 10,
  cursor: undefined,
  sort: { by: 'occurrences', descending: true },
} as const;

onBothDatabases(({ make }) => {
  it('groups: a group adds up its incidents, and counts each of their sessions once', async () => {
    const { database } = await make();
    const other = { name: 'other', signature: 'other:{}' };
    const verdicts = [
      verdict({ incidentId: 'i-1', sessionId: 's-1', time: START, cost: costOf(7) }),
      verdict({
        incidentId: 'i-2',
        sessionId: 's-1',
        time: START + 1_000,
        action: 'block',
        cost: costOf(null),
      }),
      verdict({
        incidentId: 'i-3',
        sessionId: 's-2',
        time: START + 2_000,
        action: 'chance',
        cost: costOf(9),
      }),
      verdict({ incidentId: 'i-4', sessionId: 's-3', time: START + 3_000, tool: other, cost: costOf(null) }),
    ];
    await database.transaction(async (tx) => {
      const arrived = verdicts.map((one) => ({ verdict: one, arrivedAt: START }));
      await writeVerdicts(tx, arrived);
      await changeTriage(tx, ['i-2'], { status: 'acknowledged' }, { by: 'ada', at: START });
    });
    const { items } = await listGroups(database, {}, page);
    const shown = items.map(({ occurrences, sessions, open, action, firstSeen, lastSeen, cost, triage }) => ({
      occurrences,
      sessions,
      open,
      action,
      seen: lastSeen - firstSeen,
      cost,
      triage,
    }));
    const none = { new: 0, acknowledged: 0, muted: 0, false_positive: 0 };
    expect(shown).toEqual([
      {
        occurrences: 3,
        sessions: 2,
        open: 3,
        action: 'block',
        seen: 2_000,
        cost: { calls: 15, turns: 12, tokens: 16, usd: null, ms: 900 },
        triage: { ...none, new: 2, acknowledged: 1 },
      },
      {
        occurrences: 1,
        sessions: 1,
        open: 1,
        action: 'warn',
        seen: 0,
        cost: { calls: 5, turns: 4, tokens: null, usd: null, ms: 300 },
        triage: { ...none, new: 1 },
      },
    ]);
  });
});
