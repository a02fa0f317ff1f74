import { sessionSummarySchema } from '@loopwatch/contract';
import type { Logger } from 'pino';
import { type SessionNews, writeSummaries } from '../sessions/write-summaries.ts';
import { readJson } from './read-json.ts';
import type { StoreRecords } from './topic-feed.ts';

/** The `sessions` topic: summaries, and tombstones of sessions whose time is over. */
export function sessionRecords(logger: Logger): StoreRecords {
  return async (tx, records, place) => {
    const news: SessionNews[] = [];
    for (const record of records) {
      const { key, value, timestamp: at, offset } = record;
      if (value === null) {
        if (key !== null) news.push({ id: key.toString(), summary: null, at });
        continue;
      }
      const summary = readJson(record, sessionSummarySchema);
      if (summary.ok) news.push({ id: summary.value.sessionId, summary: summary.value, at });
      else
        logger.warn(
          { ...place, offset, detail: summary.why },
          'a record of the sessions topic is no summary',
        );
    }
    await writeSummaries(tx, news);
    return () => undefined;
  };
}
