import { callDetectors } from '@loopwatch/contract';
import type { ProposedCall } from '@loopwatch/contract/api';
import { ALLOWED, canonicalArguments, type Decision, guidanceOf } from '@loopwatch/detectors';
import type { Queryable } from '@loopwatch/storage';
import { triageNow } from '../incidents/filter.ts';
import { toRow } from '../incidents/fold.ts';
import { readRow } from '../incidents/stored-fold.ts';

/** What a call is judged by where this server has not seen what led to it. */
type Call = Pick<ProposedCall, 'name' | 'args'>;

/** An open incident, as far as a call can be held against it. */
export interface OpenIncident {
  readonly id: string;
  /** Event time of its latest verdict, epoch ms. */
  readonly lastAt: number;
  readonly decision: Decision;
  readonly isAbout: (call: Call) => boolean;
}

/** The open incidents of a session that are neither false positives nor muted. @param now wall clock, epoch ms */
export async function openIncidents(
  database: Queryable,
  sessionId: string,
  now: number,
): Promise<OpenIncident[]> {
  const rows = await database.query<{ fold: string }>(
    `select d.fold from incidents i join incident_docs d on d.id = i.id
     where i.session_id = $1 and i.state = 'open' and not ${isDismissedAt('$2')}`,
    [sessionId, now],
  );
  return rows.flatMap(({ fold }) => openOf(readRow(fold)) ?? []);
}

/** Whether the incident is a false positive, or muted. @param now wall clock, epoch ms */
export async function isDismissed(database: Queryable, incidentId: string, now: number): Promise<boolean> {
  const rows = await database.query(`select 1 from incidents where id = $1 and ${isDismissedAt('$2')}`, [
    incidentId,
    now,
  ]);
  return rows.length > 0;
}

function isDismissedAt(now: string): string {
  return `${triageNow(now)} in ('false_positive', 'muted')`;
}

/** @param isOver incidents that are known to be over, or better known elsewhere */
export function decideByIncidents(
  open: readonly OpenIncident[],
  call: Call,
  isOver: (incident: OpenIncident) => boolean,
): Decision {
  const about = open
    .filter((incident) => !isOver(incident) && incident.isAbout(call))
    .map(({ decision }) => decision);
  return about.find(({ action }) => action === 'deny') ?? about[0] ?? ALLOWED;
}

function openOf(fold: ReturnType<typeof readRow>): OpenIncident | undefined {
  const { id, kind, detector, action, tool, reason, lastAt } = toRow(fold);
  if (kind === 'outage' || action === 'none') return undefined;
  const denied = action !== 'warn';
  const guidance = denied ? guidanceOf({ reason, guidance: fold.guidance?.value }) : null;
  const decision: Decision = { action: denied ? 'deny' : 'warn', reason, guidance, incidentId: id };
  const isAbout = (call: Call): boolean => {
    if (kind === 'limit') return true;
    if (!callDetectors.has(detector) || tool === null) return false;
    if (detector === 'stagnation' && action === 'block') return tool.name === call.name;
    return tool.signature === `${call.name}:${canonicalArguments(call.args)}`;
  };
  return { id, lastAt, decision, isAbout };
}
