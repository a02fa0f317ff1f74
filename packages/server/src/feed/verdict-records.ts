import { readJson, verdictSchema } from '@loopwatch/contract';
import type { Logger } from 'pino';
import { type ReadVerdict, writeVerdicts } from '../incidents/write-verdicts.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `verdicts` topic. Unreadable records are counted and logged. */
export function verdictRecords({
  metrics,
  logger,
  onVerdict,
  onStored,
  enqueue,
}: {
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly onVerdict: (timestamp: number) => void;
  /** Called when verdicts on these sessions are in the database. */
  readonly onStored: (sessionIds: ReadonlySet<string>) => void;
  readonly enqueue: EnqueueNotifications;
}): StoreRecords {
  return async (tx, records, place) => {
    const read: ReadVerdict[] = [];
    let unreadable = 0;
    for (const record of records) {
      const verdict = readJson(record.text ?? '', verdictSchema);
      if (verdict.ok) {
        read.push({ verdict: verdict.value, arrivedAt: record.timestamp });
        continue;
      }
      unreadable += 1;
      const { offset } = record;
      logger.warn(
        { ...place, offset, detail: verdict.why },
        'skipped an invalid record of the verdicts topic',
      );
    }
    const { opened, changed, duplicates } = await writeVerdicts(tx, read);
    await enqueue(
      tx,
      read.map(({ verdict }) => verdict.incidentId),
    );
    return () => {
      metrics.verdicts.inc({ result: 'stored' }, read.length - duplicates);
      metrics.verdicts.inc({ result: 'duplicate' }, duplicates);
      metrics.verdicts.inc({ result: 'unreadable' }, unreadable);
      metrics.incidents.inc({ change: 'opened' }, opened);
      metrics.incidents.inc({ change: 'changed' }, changed);
      onStored(new Set(read.map(({ verdict }) => verdict.sessionId)));
      onVerdict(Math.max(...records.map(({ timestamp }) => timestamp)));
    };
  };
}
