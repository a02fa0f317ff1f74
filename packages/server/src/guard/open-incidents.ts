import { isOpenAfter } from '@loopwatch/contract';
import type { OpenIncident } from '@loopwatch/detectors/internal';
import { isDismissedSql, jsonText, type Queryable } from '@loopwatch/storage';
import { toRow } from '../incidents/fold.ts';
import { readFigures } from '../incidents/latest-figures.ts';
import { readRow } from '../incidents/stored-fold.ts';

/** An open incident as stored, whichever process analyzed its session. */
export interface StoredIncident {
  readonly incident: OpenIncident;
  /** Whether it is muted or a false positive: then it denies nothing. */
  readonly isDismissed: boolean;
}

/** The open incidents of a session. @param now wall clock, epoch ms */
export async function openIncidents(
  database: Queryable,
  sessionId: string,
  now: number,
): Promise<StoredIncident[]> {
  const rows = await database.query<{ fold: string; figures: string | null; dismissed: boolean }>(
    `select d.fold, i.figures, ${isDismissedSql('$2')} as dismissed
     from incidents i join incident_docs d on d.id = i.id where i.session_id = $1 and i.state = 'open'`,
    [sessionId, now],
  );
  return rows.flatMap(({ fold, figures, dismissed }) => {
    const folded = readRow(fold);
    const { latest, guidance } = folded;
    if (!isOpenAfter(latest)) return [];
    const { action, reason, count, lastAt } = toRow(folded, readFigures(figures));
    const incident: OpenIncident = {
      ...latest,
      action,
      reason,
      count,
      time: lastAt,
      ...(guidance !== null && { guidance: guidance.value }),
    };
    return [{ incident, isDismissed: dismissed }];
  });
}

/** The ids of open but dismissed incidents, by session. @param now wall clock, epoch ms */
export async function dismissedIncidents(
  database: Queryable,
  sessionIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database.query<{ session: string; id: string }>(
    `select session_id as session, id from incidents
     where session_id in (select jsonb_array_elements_text($1::jsonb)) and state = 'open' and ${isDismissedSql('$2')}
     order by id`,
    [jsonText(sessionIds), now],
  );
  return new Map(
    sessionIds.map((of) => [of, rows.filter(({ session }) => session === of).map(({ id }) => id)]),
  );
}
