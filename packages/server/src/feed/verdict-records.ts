import { erasedKey, readJson, storableJson, storableText, verdictSchema } from '@loopwatch/contract';
import { type ReadVerdict, writeVerdicts } from '../incidents/write-verdicts.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { eraseVerdicts } from '../retention/erase-rows.ts';
import type { StoreRecords } from './topic-feed.ts';

/**
 * The `verdicts` topic: verdicts, and marks of erased sessions, which delete what came before. Unreadable records are counted and
 * set aside.
 */
export function verdictRecords({
  metrics,
  onVerdict,
  onStored,
  onMarks,
  enqueue,
}: {
  readonly metrics: ServerMetrics;
  readonly onVerdict: (timestamp: number) => void;
  /** Called when verdicts on these sessions are in the database. */
  readonly onStored: (sessionIds: ReadonlySet<string>) => void;
  readonly onMarks: (topic: 'verdicts', sessionIds: readonly string[]) => void;
  readonly enqueue: EnqueueNotifications;
}): StoreRecords {
  return async (tx, records, _place, setAside) => {
    let read: ReadVerdict[] = [];
    const erased = new Set<string>();
    let unreadable = 0;
    for (const record of records) {
      const id = erasedKey(record);
      if (id !== undefined) {
        erased.add(id);
        read = read.filter(({ verdict }) => storableText(verdict.sessionId) !== id);
        continue;
      }
      // The content of a record that was erased from the log.
      if (record.key === null && record.text === null) continue;
      const verdict = readJson(storableJson(record.text ?? ''), verdictSchema);
      if (verdict.ok) {
        read.push({ verdict: verdict.value, arrivedAt: record.timestamp });
        continue;
      }
      unreadable += 1;
      setAside(record, verdict.why);
    }
    if (erased.size > 0) await eraseVerdicts(tx, [...erased]);
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
      onMarks('verdicts', [...erased]);
      onStored(new Set(read.map(({ verdict }) => verdict.sessionId)));
      onVerdict(Math.max(...records.map(({ timestamp }) => timestamp)));
    };
  };
}
