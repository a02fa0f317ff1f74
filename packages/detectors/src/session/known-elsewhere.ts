import { continues } from '../incident/call-key.ts';
import type { OpenIncident } from './decide.ts';
import type { CallInQuestion, IncidentSelection } from './watched-session.ts';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Decides a call by what the session's own analysis may not know. The library knows no more, and its bundle does not
 * include this.
 *
 * @param incidents open incidents of the session, as stored or received from another analysis
 * @param dismissed ids of incidents that deny nothing: muted, or false positives
 */
export function knownElsewhere(
  incidents: Iterable<OpenIncident>,
  dismissed: ReadonlySet<string> = NOTHING,
): IncidentSelection {
  return (own, question) => {
    const { call, plan } = question;
    const continued = [...incidents].filter(
      (incident) => !isOver(incident, question) && continues(incident, call, plan.knowledge, false),
    );
    return [...continued, ...own].filter(({ incidentId }) => !dismissed.has(incidentId));
  };
}

/** Whether an incident known from elsewhere is over, or known better by the session's own analysis. */
function isOver(
  { incidentId, detector, time, windowMs }: OpenIncident,
  { reported, promptedAt, time: now, plan: { idleMs } }: CallInQuestion,
): boolean {
  if (reported.has(incidentId)) return true;
  // Only a budget outlasts a prompt.
  if (detector !== 'budget' && time < promptedAt) return true;
  return now - time > Math.min(idleMs, windowMs ?? idleMs);
}
