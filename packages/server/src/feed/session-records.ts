import { readJson, sessionSummarySchema, storableJson, storableText } from '@loopwatch/contract';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { SubAgentLimits } from '../budgets/sub-agent-limits.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { credibleTimes } from '../sessions/credible-times.ts';
import { type SummaryRecord, writeSummaries } from '../sessions/write-summaries.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `sessions` topic: summaries, and tombstones of expired sessions. */
export function sessionRecords({
  enqueue,
  budgets,
  subAgents,
}: {
  readonly enqueue: EnqueueNotifications;
  readonly budgets: Pick<SharedBudgets, 'add' | 'wake'>;
  readonly subAgents: Pick<SubAgentLimits, 'note'>;
}): StoreRecords {
  return async (tx, records, _place, setAside) => {
    const summaries: SummaryRecord[] = [];
    for (const record of records) {
      const { key, text, timestamp: at } = record;
      if (text === null) {
        if (key !== null) summaries.push({ id: storableText(key.toString()), summary: null, at });
        continue;
      }
      const summary = readJson(storableJson(text), sessionSummarySchema);
      if (summary.ok) {
        const { value } = summary;
        summaries.push({ id: value.sessionId, summary: { ...value, ...credibleTimes(value, at) }, at });
      } else setAside(record, summary.why);
    }
    const stored = summaries.flatMap(({ summary }) => summary ?? []);
    await budgets.add(tx, stored);
    await writeSummaries(tx, summaries);
    // The cost of an open loop grows between verdicts, and may reach a notification's minimum.
    const open = stored.flatMap(({ openIncidents = [] }) => openIncidents);
    await enqueue(
      tx,
      open.map(({ id }) => id),
    );
    return () => {
      budgets.wake();
      subAgents.note(stored);
    };
  };
}
