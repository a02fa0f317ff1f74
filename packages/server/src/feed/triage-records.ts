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

/** The `triage` topic: what people decided, of one incident or of a cause, here or at another server. */
export function triageRecords(logger: Logger): StoreRecords {
  return async (tx, records, place) => {
    const taken: TriageRecord[] = [];
    const mutes: MuteRecord[] = [];
    for (const { text, offset } of records) {
      if (text === null) continue;
      const mute = readJson(text, muteRecordSchema);
      if (mute.ok) {
        mutes.push(mute.value);
        continue;
      }
      const triage = readJson(text, triageRecordSchema);
      if (triage.ok) taken.push(triage.value);
      else {
        const at = { ...place, offset, detail: triage.why };
        logger.warn(at, 'a record of the triage topic is no decision about an incident');
      }
    }
    await storeTriage(tx, taken);
    await storeMutes(tx, mutes);
    return () => undefined;
  };
}
