import { type AgentEvent, messageOf } from '@loopwatch/contract';
import type { ProposedCall, SessionStop } from '@loopwatch/contract/api';
import { acceptEvent } from '@loopwatch/contract/check';
import type { Decision, PureVerdict } from '@loopwatch/detectors';
import {
  ALLOWED,
  ConfiguredSession,
  deniedResult,
  knownElsewhere,
  stoppedDecision,
  type WatchedPush,
} from '@loopwatch/detectors/internal';
import type { RecordSink } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { LogWriteHealth } from '../events/log-write-health.ts';
import type { CurrentSettings, GuardSettings } from './guard-settings.ts';
import { IncidentCache } from './incident-cache.ts';
import type { Stop } from './stops.ts';

/** Sessions whose events are analyzed here; others are read from the log when their agents ask again. */
const MAX_SESSIONS = 2_000;
/** Incidents that users were warned about. */
const MAX_WARNED = 10_000;

export interface GuardDeps {
  readonly database: Database;
  readonly settings: GuardSettings;
  readonly sink: RecordSink;
  /** What the log holds of a session that has gone on since then, epoch ms. */
  readonly recordedEvents: (
    sessionId: string,
    since: number,
  ) => Promise<readonly { readonly event: AgentEvent; readonly timestamp: number }[]>;
  readonly logWriteHealth: LogWriteHealth;
  /** The topic of agent events. */
  readonly topic: string;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** For how long something takes, ms. */
  readonly monotonic: () => number;
}

/**
 * Decides tool calls before they run. A decision cannot wait for the worker, so the guard analyzes the sessions whose agents
 * ask; the worker analyzes the same events and decides what is stored. Fails open: a call that cannot be decided is allowed.
 */
export class Guard {
  readonly #deps: GuardDeps;
  readonly #settings: GuardSettings;
  readonly #incidents: IncidentCache;
  /** The least recently used first. */
  readonly #sessions = new LRUCache<string, ConfiguredSession>({ max: MAX_SESSIONS });
  /** Sessions whose earlier events are being read. */
  readonly #restoring = new Map<string, Promise<ConfiguredSession>>();
  readonly #warned = new Set<string>();
  /** Why the turn of a session should end, until its agent has been told. */
  readonly #ends = new LRUCache<string, string>({ max: MAX_SESSIONS });
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#incidents = new IncidentCache(deps.database, deps, MAX_SESSIONS);
  }

  /** Decides a call; records nothing. */
  async decide({ sessionId, name, args, parentSession }: ProposedCall): Promise<Decision> {
    const { logger, now } = this.#deps;
    try {
      const settings = await this.#settings.get();
      const stop = stopOf(settings, sessionId, parentSession);
      if (stop !== undefined) return stoppedDecision(stop.by);
      const session = await this.#session(sessionId, settings);
      const stored = await this.#incidents.of(sessionId);
      const dismissed = stored.filter(({ isDismissed }) => isDismissed);
      const known = knownElsewhere(
        stored.map(({ incident }) => incident),
        new Set(dismissed.map(({ incident }) => incident.incidentId)),
      );
      return session.decide({ name, args }, now(), known);
    } catch (error) {
      logger.warn({ sessionId, error: messageOf(error) }, 'Deciding a call failed; call allowed');
      return ALLOWED;
    }
  }

  /** Whether to show a warning: users are warned once per incident, not at each call. */
  shouldWarn({ incidentId }: Decision): boolean {
    if (incidentId === null) return true;
    if (this.#warned.has(incidentId)) return false;
    this.#warned.add(incidentId);
    const [oldest] = this.#warned;
    if (this.#warned.size > MAX_WARNED && oldest !== undefined) this.#warned.delete(oldest);
    return true;
  }

  /** Reads the stored settings. @returns whether a session is stopped */
  async readStops(): Promise<(sessionId: string) => boolean> {
    const settings = await this.#settings.latest();
    return (sessionId) => stopOf(settings, sessionId) !== undefined;
  }

  /** Analyzes an event that was written to the log by other means. */
  follow(sessionId: string, event: AgentEvent): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) this.#analyze(session, sessionId, event);
  }

  /** Writes new events of one session to the log. @returns the verdicts on them */
  async record(sessionId: string, events: readonly AgentEvent[]): Promise<readonly PureVerdict[]> {
    const session = await this.#session(sessionId, await this.#settings.get());
    const verdicts: PureVerdict[] = [];
    const fresh: AgentEvent[] = [];
    for (const event of events) {
      const stamped = { ...event, v: 1 as const, sessionId, time: event.time ?? this.#deps.now() };
      const checked = acceptEvent(stamped);
      if (!checked.ok) {
        const { type } = event;
        this.#deps.logger.warn({ sessionId, type, detail: checked.message }, 'Skipped an invalid hook event');
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

  /** Analyzes events that an earlier process may have written to the log; they are not written again. */
  async catchUp(sessionId: string, events: readonly AgentEvent[]): Promise<void> {
    const session = await this.#session(sessionId, await this.#settings.get());
    for (const event of events) this.#analyze(session, sessionId, event);
  }

  /** Records a denied call: it counts as another repetition. @returns the text in place of its result */
  async recordDenied(
    sessionId: string,
    call: Extract<AgentEvent, { type: 'tool_call_request' }>,
    decision: Decision,
  ): Promise<string> {
    const { id, callId, agent, model, time, parentSessionId } = call;
    const denied = deniedResult(decision);
    const own = typeof id === 'string' ? { id: `denied:${id}` } : {};
    const event = { ...denied, ...own, agent, model, time, parentSessionId, callId };
    await this.record(sessionId, [call, event]);
    if (decision.action === 'stop') this.#ends.set(sessionId, denied.result);
    return denied.result;
  }

  /** Why the session's turn should end; undefined if it should not, or if this was asked since. */
  takeEnd(sessionId: string): string | undefined {
    const reason = this.#ends.get(sessionId);
    this.#ends.delete(sessionId);
    return reason;
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

  /** Forgets sessions that were erased. */
  forget(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) {
      this.#sessions.delete(id);
      this.#ends.delete(id);
      this.#incidents.reload(id);
    }
    this.#settings.invalidate();
  }

  /** Call when this server has stored triage; it applies from the next call. */
  onTriageChanged(): void {
    this.#incidents.clear();
  }

  /** Call when settings were stored; they apply from the next call. */
  onSettingsChanged(): void {
    this.#settings.invalidate();
  }

  async #session(id: string, settings: CurrentSettings): Promise<ConfiguredSession> {
    const session = this.#sessions.get(id) ?? (await this.#restored(id, settings));
    session.adopt(settings.detection);
    this.#report(id, session.adoptOwn(settings.overridesOf(id).set));
    return session;
  }

  /** A session goes on where an earlier process left it. */
  #restored(id: string, settings: CurrentSettings): Promise<ConfiguredSession> {
    const known = this.#restoring.get(id);
    if (known !== undefined) return known;
    const restoring = this.#restore(id, settings).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    return restoring;
  }

  async #restore(id: string, { detection }: CurrentSettings): Promise<ConfiguredSession> {
    const session = new ConfiguredSession(id, detection);
    const { recordedEvents, logger, now } = this.#deps;
    const since = now() - detection.settings.session.idle_seconds * 1_000;
    try {
      for (const { event, timestamp } of await recordedEvents(id, since))
        this.#report(id, session.push(event, timestamp));
    } catch (error) {
      logger.warn(
        { sessionId: id, error: messageOf(error) },
        'Reading the earlier events of a guarded session failed; detection starts without them',
      );
    }
    this.#sessions.set(id, session);
    return session;
  }

  /** @returns undefined for a duplicate */
  #analyze(session: ConfiguredSession, id: string, event: AgentEvent): readonly PureVerdict[] | undefined {
    const pushed = session.push(event, this.#deps.now());
    this.#report(id, pushed);
    return pushed.isDuplicate ? undefined : pushed.verdicts;
  }

  #report(sessionId: string, pushed: WatchedPush | undefined): void {
    if (pushed?.fault === undefined) return;
    const { logger } = this.#deps;
    logger.error(
      { err: pushed.fault, sessionId },
      'Detection failed for a guarded session; session restarted',
    );
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

/** Whether a person has stopped this session, alone, with the one that started it, or with all others. */
function stopOf({ detection, stops }: CurrentSettings, id: string, parent?: string): Stop | undefined {
  return stops.of(id, detection.settings.stopped, parent);
}
