import {
  type AgentEvent,
  isOpenAfter,
  type OpenIncidentSummary,
  reasonWithCount,
  type Verdict,
} from '@loopwatch/contract';
import { type Detection, type SessionAccount, SessionAnalyzer } from '@loopwatch/detectors';
import type { ScannedLoop } from './scan-report.ts';

type ScannedVerdict = Omit<Verdict, 'detectedAt' | 'source'>;

/** A session of a history during analysis. */
export class ScannedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #file: string;
  readonly #incidents = new Map<string, { readonly first: ScannedVerdict; latest: ScannedVerdict }>();
  /** State of the incidents that a pause left open, as of the last event before it. */
  readonly #abandoned = new Map<string, OpenIncidentSummary>();
  /** Usage before each long pause. */
  readonly #accounts: SessionAccount[] = [];
  duplicates = 0;

  constructor(sessionId: string, detection: Detection, file: string) {
    this.#analyzer = new SessionAnalyzer(sessionId, detection);
    this.#file = file;
  }

  push(event: AgentEvent): void {
    const { isDuplicate, verdicts, abandoned, accountBefore } = this.#analyzer.push(event);
    if (isDuplicate) this.duplicates += 1;
    if (accountBefore !== null) this.#accounts.push(accountBefore);
    for (const summary of abandoned) this.#abandoned.set(summary.id, summary);
    for (const verdict of verdicts) {
      const first = this.#incidents.get(verdict.incidentId)?.first ?? verdict;
      this.#incidents.set(verdict.incidentId, { first, latest: verdict });
    }
  }

  /** Usage of the whole session: of each of its parts between long pauses. */
  get accounts(): readonly SessionAccount[] {
    return [...this.#accounts, this.#analyzer.account];
  }

  /** The session's loops, as of its last event. */
  get loops(): ScannedLoop[] {
    const open = new Map(this.#abandoned);
    for (const summary of this.#analyzer.openIncidentSummaries) open.set(summary.id, summary);
    return [...this.#incidents].map(([id, { first, latest }]) => {
      const now = isOpenAfter(latest) ? open.get(id) : undefined;
      return loopOf(first, latest, now ?? latest, this.#file);
    });
  }
}

function loopOf(
  first: ScannedVerdict,
  latest: ScannedVerdict,
  { count, cost, wasted = cost }: Pick<ScannedVerdict, 'count' | 'cost' | 'wasted'>,
  file: string,
): ScannedLoop {
  const { sessionId, agent, model, detector, kind, time } = first;
  // The reason of a resolution is how the loop ended, not what was repeated.
  const reason = reasonWithCount(latest.phase === 'resolved' ? first : latest, count);
  return {
    sessionId,
    file,
    agent,
    model: latest.model ?? model,
    detector,
    kind,
    count,
    reason,
    time,
    cost,
    wasted,
  };
}
