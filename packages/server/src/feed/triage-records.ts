import { readJson, storableJson } from '@loopwatch/contract';
import {
  type MuteRecord,
  muteRecordSchema,
  type TriageRecord,
  triageRecordSchema,
} from '@loopwatch/contract/api';
import { storeMutes } from '../triage/write-mutes.ts';
import { storeTriage } from '../triage/write-triage.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `triage` topic: triage of incidents and mutes by cause, from this server or another one. */
export function triageRecords(): StoreRecords {
  return async (tx, records, _place, setAside) => {
    const triaged: TriageRecord[] = [];
    const mutes: MuteRecord[] = [];
    for (const record of records) {
      if (record.text === null) continue;
      const text = storableJson(record.text);
      const mute = readJson(text, muteRecordSchema);
      if (mute.ok) {
        mutes.push(mute.value);
        continue;
      }
      const triage = readJson(text, triageRecordSchema);
      if (triage.ok) triaged.push(triage.value);
      else setAside(record, triage.why);
    }
    await storeTriage(tx, triaged);
    await storeMutes(tx, mutes);
    return () => undefined;
  };
}
