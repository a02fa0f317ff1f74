/** How far the clock of a producer that is live may be behind, ms. */
const MAX_SKEW_MS = 15 * 60_000;
/** Older events come from a wrong clock, or from times in seconds. */
const OLDEST_HISTORY_MS = 5 * 365 * 86_400_000;

/**
 * When an event happened, for people who look at it later: at its own time. A time in the future, or more than five years
 * back, comes from a wrong clock, and such an event happened when it was processed.
 *
 * @param time event time, epoch ms
 * @param processedAt wall clock, epoch ms
 */
export function happenedAt(time: number, processedAt: number): number {
  const age = processedAt - time;
  return age >= 0 && age < OLDEST_HISTORY_MS ? time : processedAt;
}

/** Whether the clock of an event's producer is wrong, not just a little ahead. Parameters as in {@link happenedAt}. */
export function isWrongClock(time: number, processedAt: number): boolean {
  return happenedAt(time, processedAt) !== time && Math.abs(processedAt - time) > MAX_SKEW_MS;
}

/** Whether an event was long past when it was processed: imported, or read late. Parameters as in {@link happenedAt}. */
export function isHistory(time: number, processedAt: number): boolean {
  return processedAt - happenedAt(time, processedAt) > MAX_SKEW_MS;
}

/**
 * When a session was active: clocks of producers are a little off, so an event that is not history shows that the session
 * was active when it was processed. Parameters as in {@link happenedAt}.
 */
export function activityAt(time: number, processedAt: number): number {
  return isHistory(time, processedAt) ? time : processedAt;
}

/**
 * An unresolved incident is open while its session is active, and quiet once the session has sent no event for this
 * long; the next event opens it again. Verdicts do not contain this state. Readers derive it from when the session's
 * latest event came (see {@link activityAt}), so it is also correct after restarts and when no more events arrive.
 */
export const QUIET_AFTER_MS = 60_000;

/** @param now wall clock, epoch ms */
export function isQuiet({ lastActivityAt }: Activity, now: number): boolean {
  return now - lastActivityAt >= QUIET_AFTER_MS;
}

export interface Activity {
  /** When the session was last active, epoch ms: see {@link activityAt}. */
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
  readonly incidents: {
    readonly open: number;
    readonly quiet: number;
    readonly abandoned?: number | undefined;
  };
}

/** The session with its current state and incident counts; the same object if nothing has changed. */
export function sessionAt<T extends TimedSession>(session: T, now: number): T {
  const { state: before, incidents } = session;
  const mayGoOn = before === 'live' || before === 'quiet';
  const state = mayGoOn ? (isQuiet(session, now) ? 'quiet' : 'live') : before;
  const unresolved = incidents.open + incidents.quiet;
  const open = state === 'live' ? unresolved - (incidents.abandoned ?? 0) : 0;
  if (state === before && open === incidents.open) return session;
  return { ...session, state, incidents: { ...incidents, open, quiet: unresolved - open } };
}
