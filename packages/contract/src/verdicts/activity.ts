/**
 * What goes on now. An incident is open while its session is active, and quiet once the session has sent nothing for a
 * minute; the next event opens it again. That is no verdict: it follows from when the session's latest event was
 * processed, wherever the incident is read, so that it holds after restarts and where nothing comes any more.
 *
 * The wall clock of that processing decides, not the event's own time. Of a live session both say the same; of a recording
 * that is played the event's time lies in the past, and of a producer with a wrong clock it may lie in the future.
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

/** The incident with the state that it has by now; the same object where that is the state it has. */
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

/** The session with the state that it and its incidents have by now; the same object where nothing is different. */
export function sessionAt<T extends TimedSession>(session: T, now: number): T {
  const { state: before, incidents } = session;
  const mayGoOn = before === 'live' || before === 'quiet';
  const state = mayGoOn ? (isQuiet(session, now) ? 'quiet' : 'live') : before;
  const unresolved = incidents.open + incidents.quiet;
  const open = state === 'live' ? unresolved : 0;
  if (state === before && open === incidents.open) return session;
  return { ...session, state, incidents: { ...incidents, open, quiet: unresolved - open } };
}
