import { callDetectors } from '@loopwatch/contract';
import type { ProposedCall } from '@loopwatch/contract/api';
import { ALLOWED, canonicalArguments, type Decision, guidanceOf } from '@loopwatch/detectors';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { toRow } from '../incidents/fold.ts';
import { readRow } from '../incidents/stored-fold.ts';
import { isDismissedSql } from '../storage/state-sql.ts';

type Call = Pick<ProposedCall, 'name' | 'args'>;

/** An open incident with what is needed to decide a call without having analyzed the session. */
export interface OpenIncident {
  readonly id: string;
  /** Whether it is muted or a false positive: then it denies nothing. */
  readonly isDismissed: boolean;
  /** Event time of its latest verdict, epoch ms. */
  readonly lastAt: number;
  /** Whether a new prompt ends it. */
  readonly endsWithPrompt: boolean;
  readonly decision: Decision;
  /** Whether it concerns a call. */
  readonly appliesTo: (call: Call) => boolean;
}

/** The open incidents of a session. @param now wall clock, epoch ms */
export async function openIncidents(
  database: Queryable,
  sessionId: string,
  now: number,
): Promise<OpenIncident[]> {
  const rows = await database.query<{ fold: string; dismissed: boolean }>(
    `select d.fold, ${isDismissedSql('$2')} as dismissed
     from incidents i join incident_docs d on d.id = i.id where i.session_id = $1 and i.state = 'open'`,
    [sessionId, now],
  );
  return rows.flatMap(({ fold, dismissed }) => openOf(readRow(fold), dismissed) ?? []);
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

/** Decides a call by stored incidents. @param isClosed incidents to ignore */
export function decideByIncidents(
  open: readonly OpenIncident[],
  call: Call,
  isClosed: (incident: OpenIncident) => boolean,
): Decision {
  const decisions = open
    .filter((incident) => !incident.isDismissed && !isClosed(incident) && incident.appliesTo(call))
    .map(({ decision }) => decision);
  return decisions.find(({ action }) => action === 'deny') ?? decisions[0] ?? ALLOWED;
}

function openOf(fold: ReturnType<typeof readRow>, isDismissed: boolean): OpenIncident | undefined {
  const { id, kind, detector, action, tool, reason, lastAt } = toRow(fold);
  if (kind === 'outage' || action === 'none') return undefined;
  const isDenial = action !== 'warn';
  const guidance = isDenial ? guidanceOf({ reason, guidance: fold.guidance?.value }) : null;
  const decision: Decision = { action: isDenial ? 'deny' : 'warn', reason, guidance, incidentId: id };
  const appliesTo = (call: Call): boolean => {
    if (kind === 'limit') return true;
    if (!callDetectors.has(detector) || tool === null) return false;
    if (detector === 'stagnation' && action === 'block') return tool.name === call.name;
    return tool.signature === `${call.name}:${canonicalArguments(call.args)}`;
  };
  return { id, isDismissed, lastAt, endsWithPrompt: detector !== 'budget', decision, appliesTo };
}
