/**
 * An unresolved incident is open while its session is active, and quiet once the session has sent no event for this
 * long; the next event opens it again. Verdicts do not contain this state. Readers derive it from the time of the
 * session's latest event, so it is also correct after restarts and when no more events arrive.
 *
 * What counts is the wall clock at which that event was processed. The event's own time is in the past if a recording
 * is replayed, and may be in the future if the producer's clock is wrong.
 */
export const QUIET_AFTER_MS = 60_000;

/** @param now wall clock, epoch ms */
export function isQuiet({ lastActivityAt }: Activity, now: number): boolean {
  return now - lastActivityAt >= QUIET_AFTER_MS;
}

export interface Activity {
  /** Wall clock at which the session's latest event was processed, epoch ms. */
  readonly lastActivityAt: number;
}

export const incidentStates = ['open', 'quiet', 'resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** The incident with its current state; the same object if the state has not changed. */
export function incidentAt<T extends Activity & { readonly state: IncidentState }>(
  incident: T,
  now: number,
): T {
  if (incident.state === 'resolved') return incident;
  const state = isQuiet(incident, now) ? 'quiet' : 'open';
  return state === incident.state ? incident : { ...incident, state };
}

export const sessionStates = ['live', 'quiet', 'ended', 'idle'] as const;
export type SessionState = (typeof sessionStates)[number];

interface TimedSession extends Activity {
  readonly state: SessionState;
  readonly incidents: { readonly open: number; readonly quiet: number };
}

/** The session with its current state and incident counts; the same object if nothing has changed. */
export function sessionAt<T extends TimedSession>(session: T, now: number): T {
  const { state: before, incidents } = session;
  const mayGoOn = before === 'live' || before === 'quiet';
  const state = mayGoOn ? (isQuiet(session, now) ? 'quiet' : 'live') : before;
  const unresolved = incidents.open + incidents.quiet;
  const open = state === 'live' ? unresolved : 0;
  if (state === before && open === incidents.open) return session;
  return { ...session, state, incidents: { ...incidents, open, quiet: unresolved - open } };
}
