import { erasedKey, readJson, sessionSummarySchema, storableJson, storableText } from '@loopwatch/contract';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { SubAgentLimits } from '../budgets/sub-agent-limits.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { eraseSessions } from '../retention/erase-rows.ts';
import { credibleTimes } from '../sessions/credible-times.ts';
import { type SummaryRecord, writeSummaries } from '../sessions/write-summaries.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `sessions` topic: summaries, tombstones of expired sessions, and marks of erased ones. */
export function sessionRecords({
  enqueue,
  budgets,
  subAgents,
  onMarks,
}: {
  readonly enqueue: EnqueueNotifications;
  readonly budgets: Pick<SharedBudgets, 'add' | 'wake'>;
  readonly subAgents: Pick<SubAgentLimits, 'note'>;
  readonly onMarks: (topic: 'sessions', sessionIds: readonly string[]) => void;
}): StoreRecords {
  return async (tx, records, _place, setAside) => {
    let summaries: SummaryRecord[] = [];
    const erased = new Set<string>();
    for (const record of records) {
      const { key, text, timestamp: at } = record;
      const erasedId = erasedKey(record);
      if (erasedId !== undefined) {
        erased.add(erasedId);
        summaries = summaries.filter((one) => storableText(one.id) !== erasedId);
        continue;
      }
      if (text === null) {
        const id = storableText(key?.toString() ?? '');
        if (id !== '') summaries.push({ id, summary: null, at });
        continue;
      }
      const summary = readJson(storableJson(text), sessionSummarySchema);
      if (summary.ok) {
        const { value } = summary;
        summaries.push({ id: value.sessionId, summary: { ...value, ...credibleTimes(value, at) }, at });
      } else setAside(record, summary.why);
    }
    const stored = summaries.flatMap(({ summary }) => summary ?? []);
    if (erased.size > 0) await eraseSessions(tx, [...erased]);
    await budgets.add(tx, stored);
    await writeSummaries(tx, summaries);
    // The cost of an open loop grows between verdicts, and may reach a receiver's minimum.
    const open = stored.flatMap(({ openIncidents = [] }) => openIncidents);
    await enqueue(
      tx,
      open.map(({ id }) => id),
    );
    return () => {
      onMarks('sessions', [...erased]);
      budgets.wake();
      subAgents.note(stored);
    };
  };
}
