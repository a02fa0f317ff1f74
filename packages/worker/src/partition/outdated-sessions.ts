import { detectorKind, type Verdict } from '@loopwatch/contract';
import type { SettingsVersion } from '@loopwatch/detectors/internal';
import type { OpenIncident } from '../report/incident-metrics.ts';
import { MAX_REBUILD_RECORDS, type PartitionSessions } from '../sessions/partition-sessions.ts';
import type { OutdatedSnapshot } from './state.ts';

/** An incident that the rebuilt session does not have, with the verdict that ends it. */
export interface EndedIncident {
  readonly incident: OpenIncident;
  readonly verdict: Omit<Verdict, 'detectedAt'>;
}

/**
 * Sessions whose snapshot comes from another version of Loopwatch, or is damaged, or whose settings are unknown. They are
 * rebuilt from their records, as far as the log holds them. Incidents that were open and are not found again end.
 */
export class OutdatedSessions {
  readonly #snapshots = new Map<string, OutdatedSnapshot>();
  readonly #sessions: PartitionSessions;
  /** Incidents that the replay has found. */
  readonly #found = new Set<string>();
  /** Those that are not rebuilt; undefined if only the sessions with outdated snapshots are. */
  #kept: ReadonlySet<string> | undefined;
  /** Those whose snapshots are damaged, and tell nothing. */
  #unreadable: readonly string[] = [];

  constructor(sessions: PartitionSessions) {
    this.#sessions = sessions;
  }

  get size(): number {
    return this.#snapshots.size;
  }

  add(sessionId: string, snapshot: OutdatedSnapshot): void {
    this.#snapshots.set(sessionId, snapshot);
  }

  /**
   * Rebuilds every session but those with an intact snapshot, since a damaged entry need not tell whose it was.
   *
   * @param intact ids of sessions; those with an outdated snapshot may be among them
   */
  addAllBut(intact: ReadonlySet<string>, unreadable: readonly string[]): void {
    this.#kept = intact;
    this.#unreadable = unreadable;
  }

  /** @returns where the replay has to start */
  replayFrom(resumeFrom: number): number {
    const kept = this.#kept;
    const isOutdated = (id: string): boolean => this.#snapshots.has(id);
    if (kept !== undefined) {
      this.#sessions.rebuild((id) => isOutdated(id) || !kept.has(id), resumeFrom, isOutdated);
      return Math.max(resumeFrom - MAX_REBUILD_RECORDS, 0);
    }
    if (this.size === 0) return resumeFrom;
    this.#sessions.rebuild(isOutdated, resumeFrom);
    let first = resumeFrom;
    for (const { summary } of this.#snapshots.values()) first = Math.min(first, summary.firstOffset);
    return Math.max(first, resumeFrom - MAX_REBUILD_RECORDS, 0);
  }

  /** Call for each verdict of the replay: an incident that it finds again, and ends, has ended. */
  found({ incidentId }: Pick<Verdict, 'incidentId'>): void {
    if (this.size > 0) this.#found.add(incidentId);
  }

  /** Call after the replay. */
  finish({ settings, hash }: SettingsVersion): EndedIncident[] {
    const ended: EndedIncident[] = [];
    for (const sessionId of this.#unreadable)
      if (this.#sessions.openIncidentsOf(sessionId) === undefined) this.#sessions.storeNext(sessionId);
    for (const [sessionId, outdated] of this.#snapshots) {
      const open = this.#sessions.openIncidentsOf(sessionId);
      const lost = outdated.incidents.filter(({ id }) => open?.includes(id) !== true && !this.#found.has(id));
      // Stored with the verdicts that end its incidents, so that they end once.
      if (lost.length > 0 || open === undefined) this.#sessions.storeNext(sessionId);
      for (const incident of lost) {
        const verdict = endOf(sessionId, incident, outdated, { preset: settings.preset, configHash: hash });
        ended.push({ incident, verdict });
      }
    }
    return ended;
  }
}

function endOf(
  sessionId: string,
  { id, detector, calls, tokens, usd, agent, model }: OpenIncident,
  { snapshot }: OutdatedSnapshot,
  settings: Pick<Verdict, 'preset' | 'configHash'>,
): Omit<Verdict, 'detectedAt'> {
  const count = snapshot.incidents.find(([, incidentId]) => incidentId === id)?.[2].count ?? 1;
  return {
    v: 1,
    id: `v-${id}-ended`,
    incidentId: id,
    phase: 'resolved',
    kind: detectorKind(detector),
    detector,
    action: 'none',
    outcome: 'ended',
    sessionId,
    promptId: null,
    eventId: '',
    eventIndex: snapshot.totals.events,
    time: snapshot.lastTime,
    count,
    threshold: count,
    windowMs: null,
    period: 1,
    confidence: 1,
    tool: null,
    reason:
      'The incident was tracked by another version of Loopwatch, and this version did not find it again',
    evidence: {},
    cost: { calls, turns: 0, characters: 0, tokens: tokens === 0 ? null : tokens, usd, ms: 0 },
    model,
    backend: null,
    agent,
    tenant: null,
    ...settings,
  };
}
