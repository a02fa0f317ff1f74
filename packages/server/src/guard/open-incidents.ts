import { callDetectors } from '@loopwatch/contract';
import type { ProposedCall } from '@loopwatch/contract/api';
import { ALLOWED, canonicalArguments, type Decision, plainGuidance } from '@loopwatch/detectors';
import type { Queryable } from '@loopwatch/storage';
import { toRow } from '../incidents/fold.ts';
import { readRow } from '../incidents/stored-fold.ts';

/** What a call is judged by where this server has not seen what led to it. */
type Call = Pick<ProposedCall, 'name' | 'args'>;

/** An open incident, as far as a call can be held against it. */
interface Open {
  readonly id: string;
  readonly decision: Decision;
  readonly isAbout: (call: Call) => boolean;
}

/** The open incidents of a session that nobody has called false or muted. */
export async function openIncidents(database: Queryable, sessionId: string): Promise<Open[]> {
  const rows = await database.query<{ fold: string }>(
    `select d.fold from incidents i join incident_docs d on d.id = i.id
     where i.session_id = $1 and i.state = 'open' and i.triage not in ('false_positive', 'muted')`,
    [sessionId],
  );
  return rows.flatMap(({ fold }) => openOf(readRow(fold)) ?? []);
}

/** Whether a person has called the incident false, or muted it. */
export async function isDismissed(database: Queryable, incidentId: string): Promise<boolean> {
  const rows = await database.query(
    `select 1 from incidents where id = $1 and triage in ('false_positive', 'muted')`,
    [incidentId],
  );
  return rows.length > 0;
}

/** @param isKnown incidents that are known better elsewhere */
export function decideByIncidents(
  open: readonly Open[],
  call: Call,
  isKnown: (incidentId: string) => boolean,
): Decision {
  const about = open
    .filter(({ id, isAbout }) => !isKnown(id) && isAbout(call))
    .map(({ decision }) => decision);
  return about.find(({ action }) => action === 'deny') ?? about[0] ?? ALLOWED;
}

function openOf(fold: ReturnType<typeof readRow>): Open | undefined {
  const { id, kind, detector, action, tool, reason } = toRow(fold);
  if (kind === 'outage' || action === 'none') return undefined;
  const denied = action !== 'warn';
  const guidance = denied ? (fold.guidance?.value ?? plainGuidance({ reason })) : null;
  const decision: Decision = { action: denied ? 'deny' : 'warn', reason, guidance, incidentId: id };
  const isAbout = (call: Call): boolean => {
    if (kind === 'limit') return true;
    if (!callDetectors.has(detector) || tool === null) return false;
    if (detector === 'stagnation' && action === 'block') return tool.name === call.name;
    return tool.signature === `${call.name}:${canonicalArguments(call.args)}`;
  };
  return { id, decision, isAbout };
}
