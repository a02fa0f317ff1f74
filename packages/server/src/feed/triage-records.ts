import { readJson } from '@loopwatch/contract';
import {
  type MuteRecord,
  muteRecordSchema,
  type TriageRecord,
  triageRecordSchema,
} from '@loopwatch/contract/api';
import type { Logger } from 'pino';
import { storeMutes } from '../triage/write-mutes.ts';
import { storeTriage } from '../triage/write-triage.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `triage` topic: triage of incidents and mutes by cause, from this server or another one. */
export function triageRecords(logger: Logger): StoreRecords {
  return async (tx, records, place) => {
    const triaged: TriageRecord[] = [];
    const mutes: MuteRecord[] = [];
    for (const { text, offset } of records) {
      if (text === null) continue;
      const mute = readJson(text, muteRecordSchema);
      if (mute.ok) {
        mutes.push(mute.value);
        continue;
      }
      const triage = readJson(text, triageRecordSchema);
      if (triage.ok) triaged.push(triage.value);
      else
        logger.warn(
          { ...place, offset, detail: triage.why },
          'skipped an invalid record of the triage topic',
        );
    }
    await storeTriage(tx, triaged);
    await storeMutes(tx, mutes);
    return () => undefined;
  };
}
