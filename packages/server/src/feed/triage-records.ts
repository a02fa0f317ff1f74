import { type TriageRecord, triageRecordSchema } from '@loopwatch/contract/api';
import type { Logger } from 'pino';
import { takeTriage } from '../triage/write-triage.ts';
import { readJson } from './read-json.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `triage` topic: what people decided, here or at another server. */
export function triageRecords(logger: Logger): StoreRecords {
  return async (tx, records, place) => {
    const taken: TriageRecord[] = [];
    for (const record of records) {
      if (record.value === null) continue;
      const triage = readJson(record, triageRecordSchema);
      if (triage.ok) taken.push(triage.value);
      else {
        const at = { ...place, offset: record.offset, detail: triage.why };
        logger.warn(at, 'a record of the triage topic is no decision about an incident');
      }
    }
    await takeTriage(tx, taken);
    return () => undefined;
  };
}
