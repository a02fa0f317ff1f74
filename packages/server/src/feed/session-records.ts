import { readJson, sessionSummarySchema } from '@loopwatch/contract';
import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { type SummaryRecord, writeSummaries } from '../sessions/write-summaries.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `sessions` topic: summaries, and tombstones of sessions whose time is over. */
export function sessionRecords({
  logger,
  enqueue,
  budgets,
}: {
  readonly logger: Logger;
  readonly enqueue: EnqueueNotifications;
  readonly budgets: Pick<SharedBudgets, 'add' | 'wake'>;
}): StoreRecords {
  return async (tx, records, place) => {
    const news: SummaryRecord[] = [];
    for (const record of records) {
      const { key, text, timestamp: at, offset } = record;
      if (text === null) {
        if (key !== null) news.push({ id: key.toString(), summary: null, at });
        continue;
      }
      const summary = readJson(text, sessionSummarySchema);
      if (summary.ok) news.push({ id: summary.value.sessionId, summary: summary.value, at });
      else
        logger.warn(
          { ...place, offset, detail: summary.why },
          'a record of the sessions topic is no summary',
        );
    }
    await budgets.add(
      tx,
      news.flatMap(({ summary }) => summary ?? []),
    );
    await writeSummaries(tx, news);
    // What a loop has cost grows between its verdicts, and may reach a minimum.
    const open = news.flatMap(({ summary }) => summary?.openIncidents ?? []);
    await enqueue(
      tx,
      open.map(({ id }) => id),
    );
    return () => {
      budgets.wake();
    };
  };
}
