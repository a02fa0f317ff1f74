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

/** Sessions that are followed here; of others, open incidents decide. */
const MAX_SESSIONS = 2_000;

export interface GuardDeps {
  readonly database: Database;
  readonly settings: GuardSettings;
  readonly sink: RecordSink;
  readonly intake: LogWriteHealth;
  /** The topic of agent events. */
  readonly topic: string;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/**
 * Decides calls before they run. What it cannot find out does not hold an agent up: then the call is allowed.
 */
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

  /** What would happen at a call; nothing of it is recorded. */
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
      const stored = decideByIncidents(open, { name, args }, (incident) => session.isOver(incident));
      return stored.action === 'allow' ? own : stored;
    } catch (error) {
      logger.warn({ sessionId, error: messageOf(error) }, 'a call could not be decided; it is allowed');
      return ALLOWED;
    }
  }

  /** Whether a warning is news: an incident is warned of once, not at each call. */
  isNews(sessionId: string, { incidentId }: Decision): boolean {
    return incidentId === null || (this.#sessions.get(sessionId)?.warnOf(incidentId) ?? true);
  }

  /** Which sessions are stopped now, by the settings as they are stored. */
  async stops(): Promise<(sessionId: string) => boolean> {
    const { detection, ofSession } = await this.#settings.latest();
    return (sessionId) => isStopped(detection.settings, ofSession(sessionId).set);
  }

  /** Follows an event that goes to the log another way. */
  follow(sessionId: string, event: AgentEvent): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) this.#take(session, sessionId, event);
  }

  /** Writes events of one session to the log, but for those that it has already. @returns what they led to */
  async record(sessionId: string, events: readonly AgentEvent[]): Promise<readonly PureVerdict[]> {
    const session = this.#session(sessionId, await this.#settings.get());
    const verdicts: PureVerdict[] = [];
    const fresh: AgentEvent[] = [];
    for (const event of events) {
      const stamped = { ...event, v: 1 as const, sessionId, time: event.time ?? this.#deps.now() };
      const checked = acceptEvent(stamped);
      if (!checked.ok) {
        const { type } = event;
        this.#deps.logger.warn(
          { sessionId, type, detail: checked.message },
          'a hook reported what is no event; it is left out',
        );
        continue;
      }
      const found = this.#take(session, sessionId, stamped);
      if (found === undefined) continue;
      fresh.push(stamped);
      verdicts.push(...found);
    }
    await this.#write(sessionId, fresh);
    return verdicts;
  }

  /** Records a call that was denied: to the session it is one more repetition. */
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

  /** What holds the session's agent up when it is told to stop. */
  async obeyedBy(sessionId: string): Promise<SessionStop['obeyedBy']> {
    if (this.#sessions.has(sessionId)) return 'hooks';
    // A gateway stores the conversations that pass through it.
    const rows = await this.#deps.database.query('select 1 from messages where session_id = $1 limit 1', [
      sessionId,
    ]);
    return rows.length > 0 ? 'gateway' : null;
  }

  /** Verdicts on these sessions were stored. */
  incidentsChanged(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#incidents.changed(id);
  }

  /** Incidents were judged by a person: that holds from the next call on. */
  triageChanged(): void {
    this.#incidents.forget();
  }

  /** Settings were changed here: they hold from the next call on. */
  settingsChanged(): void {
    this.#settings.forget();
  }

  #session(id: string, settings: CurrentSettings): GuardedSession {
    const session = this.#sessions.get(id) ?? new GuardedSession(id, settings.detection);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    session.adopt(settings.detection, settings.ofSession(id).set);
    return session;
  }

  /** Detection that fails forgets the session, and holds up no one. */
  #take(session: GuardedSession, id: string, event: AgentEvent): readonly PureVerdict[] | undefined {
    try {
      return session.take(event, this.#deps.now());
    } catch (error) {
      this.#sessions.delete(id);
      this.#deps.logger.error({ err: error, sessionId: id }, 'detection failed for a guarded session');
      return [];
    }
  }

  /** One after the other, so that a session's events stay in order. */
  async #write(key: string, events: readonly AgentEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { sink, topic, intake } = this.#deps;
    const records = events.map((event) => ({ topic, key, value: JSON.stringify(event) }));
    const written = this.#writing.then(() => sink.publish(records));
    this.#writing = written.then(
      () => intake.succeeded(),
      (error: unknown) => intake.failed(error, events.length),
    );
    await this.#writing;
  }
}

/** Whether a person has stopped the session, or all of them. */
function stopOf({ detection, ofSession }: CurrentSettings, sessionId: string): Decision | undefined {
  const { set, updatedBy } = ofSession(sessionId);
  if (!isStopped(detection.settings, set)) return undefined;
  const who = set['stopped'] === true && updatedBy !== null ? ` by ${updatedBy}` : '';
  const reason = `The session was stopped${who} in Loopwatch`;
  const guidance = `${reason}. Make no more tool calls: say what is done and what is left, and end your turn.`;
  return { action: 'deny', reason, guidance, incidentId: null };
}
