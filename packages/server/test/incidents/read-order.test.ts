import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { incidentDetail } from '../../src/incidents/read-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary, verdict } from '../verdicts.ts';

const HOUR = 3_600_000;
const cost = { calls: 9, turns: 9, characters: 0, tokens: 90, ms: 9_000 };
const source = (firstOffset: number, lastOffset: number) => ({
  topic: 'events',
  partition: 0,
  firstOffset: String(firstOffset),
  lastOffset: String(lastOffset),
});

const found = verdict({
  time: START,
  eventIndex: 5,
  source: { topic: 'events', partition: 0, firstOffset: '0', offset: '5' },
});
/** The loop went on after its verdict; then the session paused. */
const before = summary('s-1', {
  startedAt: START,
  lastEventAt: START + 5_000,
  events: 10,
  incidents: { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } },
  openIncidents: [
    {
      id: 'i-1',
      count: 9,
      cost,
      latest: {
        eventIndex: 9,
        time: START + 5_000,
        reason: 'called 9 times',
        countAt: 7,
        evidence: { calls: 9 },
      },
    },
  ],
  source: source(0, 9),
});
const after = summary('s-1', {
  startedAt: START + 2 * HOUR,
  lastEventAt: START + 2 * HOUR,
  events: 1,
  source: source(10, 10),
});

/** Earlier than what the summary tells. */
const escalated = { ...found, id: 'v-2', phase: 'escalated' as const, count: 7, eventIndex: 7 };

type Read = 'verdict' | 'later verdict' | 'before' | 'after';
const orders: readonly (readonly (readonly Read[])[])[] = [
  [['verdict'], ['before'], ['after']],
  [['verdict'], ['before', 'after']],
  [['before'], ['verdict'], ['after']],
  [['before'], ['after'], ['verdict']],
  [['before', 'after'], ['verdict']],
  [['verdict'], ['before'], ['later verdict'], ['after']],
  [['verdict'], ['before'], ['after'], ['later verdict']],
];

onBothDatabases(({ make }) => {
  it.each(orders.map((order) => ({ order })))(
    'an incident is as before a long pause, in whatever order its topics are read: $order',
    async ({ order }) => {
      const { database } = await make();
      for (const batch of order) {
        if (batch[0]?.endsWith('verdict') === true)
          await writeVerdicts(database, [
            { verdict: batch[0] === 'verdict' ? found : escalated, arrivedAt: START },
          ]);
        else {
          const told = batch.map((name) => (name === 'before' ? before : after));
          await writeSummaries(
            database,
            told.map((one) => ({ id: 's-1', summary: one, at: one.lastEventAt })),
          );
        }
      }
      expect(await incidentDetail(database, 'i-1', START + 2 * HOUR)).toMatchObject({
        state: 'quiet',
        count: 9,
        cost,
        reason: 'called 9 times',
        evidence: { calls: 9 },
        lastEventIndex: 9,
        lastAt: START + 5_000,
        lastActivityAt: START + 5_000,
      });
    },
  );

  it('a summary that only repeats the verdict does not change the incident', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: found, arrivedAt: START }]);
    const changes = () => database.query('select change, figures from incidents');
    const stored = await changes();
    const told = async (events: number, calls = found.cost.calls) => {
      const openIncidents = [{ id: 'i-1', count: found.count, cost: { ...found.cost, calls } }];
      const one = summary('s-1', { events, lastEventAt: found.time, openIncidents });
      await writeSummaries(database, [{ id: 's-1', summary: one, at: START }]);
      return changes();
    };
    expect(await told(found.eventIndex + 1)).toEqual(stored);
    expect(await told(found.eventIndex + 1, found.cost.calls + 1)).not.toEqual(stored);
    const corrected = await changes();
    expect(await told(found.eventIndex + 2, found.cost.calls + 1)).not.toEqual(corrected);
  });
});
