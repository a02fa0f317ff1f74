import { type AgentEvent, messageOf } from '@loopwatch/contract';
import type { ProposedCall, SessionStop } from '@loopwatch/contract/api';
import { acceptEvent } from '@loopwatch/contract/check';
import { ALLOWED, type Decision, denialText, isStopped, type PureVerdict } from '@loopwatch/detectors';
import type { RecordSink } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { LogWriteHealth } from '../events/log-write-health.ts';
import type { CurrentSettings, GuardSettings } from './guard-settings.ts';
import { GuardedSession } from './guarded-session.ts';
import { IncidentCache } from './incident-cache.ts';
import { decideByIncidents } from './open-incidents.ts';

/** Sessions whose events are analyzed here; for others, stored open incidents decide. */
const MAX_SESSIONS = 2_000;

export interface GuardDeps {
  readonly database: Database;
  readonly settings: GuardSettings;
  readonly sink: RecordSink;
  readonly logWriteHealth: LogWriteHealth;
  /** The topic of agent events. */
  readonly topic: string;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Decides tool calls before they run. Fails open: a call that cannot be decided is allowed. */
export class Guard {
  readonly #deps: GuardDeps;
  readonly #settings: GuardSettings;
  readonly #incidents: IncidentCache;
  /** The least recently used first. */
  readonly #sessions = new Map<string, GuardedSession>();
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#incidents = new IncidentCache(deps.database, deps.now, MAX_SESSIONS);
  }

  /** Decides a call; records nothing. */
  async decide({ sessionId, name, args }: ProposedCall): Promise<Decision> {
    const { logger, now } = this.#deps;
    try {
      const settings = await this.#settings.get();
      const stop = stopOf(settings, sessionId);
      if (stop !== undefined) return stop;
      const session = this.#session(sessionId, settings);
      const own = session.decide({ name, args }, now());
      const open = await this.#incidents.of(sessionId);
      if (own.action === 'deny')
        return open.some(({ id, isDismissed }) => isDismissed && id === own.incidentId) ? ALLOWED : own;
      const stored = decideByIncidents(open, { name, args }, (incident) => session.isClosed(incident));
      return stored.action === 'allow' ? own : stored;
    } catch (error) {
      logger.warn({ sessionId, error: messageOf(error) }, 'deciding a call failed; call allowed');
      return ALLOWED;
    }
  }

  /** Whether to show a warning: users are warned once per incident, not at each call. */
  shouldWarn(sessionId: string, { incidentId }: Decision): boolean {
    return incidentId === null || (this.#sessions.get(sessionId)?.markWarned(incidentId) ?? true);
  }

  /** Reads the stored settings. @returns whether a session is stopped */
  async readStops(): Promise<(sessionId: string) => boolean> {
    const { detection, overridesOf } = await this.#settings.latest();
    return (sessionId) => isStopped(detection.settings, overridesOf(sessionId).set);
  }

  /** Analyzes an event that was written to the log by other means. */
  follow(sessionId: string, event: AgentEvent): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) this.#analyze(session, sessionId, event);
  }

  /** Writes new events of one session to the log. @returns the verdicts on them */
  async record(sessionId: string, events: readonly AgentEvent[]): Promise<readonly PureVerdict[]> {
    const session = this.#session(sessionId, await this.#settings.get());
    const verdicts: PureVerdict[] = [];
    const fresh: AgentEvent[] = [];
    for (const event of events) {
      const stamped = { ...event, v: 1 as const, sessionId, time: event.time ?? this.#deps.now() };
      const checked = acceptEvent(stamped);
      if (!checked.ok) {
        const { type } = event;
        this.#deps.logger.warn({ sessionId, type, detail: checked.message }, 'skipped an invalid hook event');
        continue;
      }
      const result = this.#analyze(session, sessionId, stamped);
      if (result === undefined) continue;
      fresh.push(stamped);
      verdicts.push(...result);
    }
    await this.#write(sessionId, fresh);
    return verdicts;
  }

  /** Records a denied call: it counts as another repetition. */
  async recordDenied(
    sessionId: string,
    call: Extract<AgentEvent, { type: 'tool_call_request' }>,
    guidance: string,
  ): Promise<void> {
    const { id, callId, agent, model, time, parentSessionId } = call;
    const result = {
      agent,
      model,
      time,
      parentSessionId,
      callId,
      result: denialText(guidance),
      isError: true,
    };
    const denied = typeof id === 'string' ? { id: `denied:${id}` } : {};
    await this.record(sessionId, [call, { ...result, ...denied, type: 'tool_result' }]);
  }

  /** What enforces a stop of this session; null if unknown. */
  async enforcerOf(sessionId: string): Promise<SessionStop['obeyedBy']> {
    if (this.#sessions.has(sessionId)) return 'hooks';
    // Messages are stored by gateways only.
    const rows = await this.#deps.database.query('select 1 from messages where session_id = $1 limit 1', [
      sessionId,
    ]);
    return rows.length > 0 ? 'gateway' : null;
  }

  /** Call when verdicts on these sessions were stored. */
  onIncidentsChanged(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#incidents.reload(id);
  }

  /** Call when this server has stored triage; it applies from the next call. */
  onTriageChanged(): void {
    this.#incidents.clear();
  }

  /** Call when this server has stored settings; they apply from the next call. */
  onSettingsChanged(): void {
    this.#settings.invalidate();
  }

  #session(id: string, settings: CurrentSettings): GuardedSession {
    const session = this.#sessions.get(id) ?? new GuardedSession(id, settings.detection);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    session.adopt(settings.detection, settings.overridesOf(id).set);
    return session;
  }

  /** When detection fails, the session is dropped and its agent continues. @returns undefined for a duplicate */
  #analyze(session: GuardedSession, id: string, event: AgentEvent): readonly PureVerdict[] | undefined {
    try {
      return session.push(event, this.#deps.now());
    } catch (error) {
      this.#sessions.delete(id);
      this.#deps.logger.error(
        { err: error, sessionId: id },
        'detection failed for a guarded session; session dropped',
      );
      return [];
    }
  }

  /** Writes are sequential, so that a session's events stay in order. */
  async #write(key: string, events: readonly AgentEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { sink, topic, logWriteHealth } = this.#deps;
    const records = events.map((event) => ({ topic, key, value: JSON.stringify(event) }));
    const written = this.#writing.then(() => sink.publish(records));
    this.#writing = written.then(
      () => logWriteHealth.onSuccess(),
      (error: unknown) => logWriteHealth.onFailure(error, events.length),
    );
    await this.#writing;
  }
}

/** The denial of a session that a person has stopped, alone or with all others. */
function stopOf({ detection, overridesOf }: CurrentSettings, sessionId: string): Decision | undefined {
  const { set, updatedBy } = overridesOf(sessionId);
  if (!isStopped(detection.settings, set)) return undefined;
  const who = set['stopped'] === true && updatedBy !== null ? ` by ${updatedBy}` : '';
  const reason = `The session was stopped${who} in Loopwatch`;
  const guidance = `${reason}. Make no more tool calls: say what is done and what is left, and end your turn.`;
  return { action: 'deny', reason, guidance, incidentId: null };
}
