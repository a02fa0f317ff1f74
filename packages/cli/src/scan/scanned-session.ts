import { type AgentEvent, type Cost, isOpenAfter, reasonWithCount, type Verdict } from '@loopwatch/contract';
import { type Detection, SessionAnalyzer } from '@loopwatch/detectors';
import type { ScannedLoop } from './scan-report.ts';

type ScannedVerdict = Omit<Verdict, 'detectedAt' | 'source'>;

/** A session of a history during analysis. */
export class ScannedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #file: string;
  readonly #incidents = new Map<string, { readonly first: ScannedVerdict; latest: ScannedVerdict }>();
  duplicates = 0;

  constructor(sessionId: string, detection: Detection, file: string) {
    this.#analyzer = new SessionAnalyzer(sessionId, detection);
    this.#file = file;
  }

  push(event: AgentEvent): void {
    const { isDuplicate, verdicts } = this.#analyzer.push(event);
    if (isDuplicate) this.duplicates += 1;
    for (const verdict of verdicts) {
      const first = this.#incidents.get(verdict.incidentId)?.first ?? verdict;
      this.#incidents.set(verdict.incidentId, { first, latest: verdict });
    }
  }

  get account() {
    return this.#analyzer.account;
  }

  /** The session's loops, as of its last event. */
  get loops(): ScannedLoop[] {
    const open = new Map(this.#analyzer.openIncidentSummaries.map((summary) => [summary.id, summary]));
    return [...this.#incidents].map(([id, { first, latest }]) => {
      const now = isOpenAfter(latest) ? open.get(id) : undefined;
      return loopOf(first, latest, now?.count ?? latest.count, now?.cost ?? latest.cost, this.#file);
    });
  }
}

function loopOf(
  first: ScannedVerdict,
  latest: ScannedVerdict,
  count: number,
  cost: Cost,
  file: string,
): ScannedLoop {
  const { sessionId, agent, model, detector, kind, time } = first;
  // The reason of a resolution is how the loop ended, not what was repeated.
  const reason = reasonWithCount(latest.phase === 'resolved' ? first : latest, count);
  return { sessionId, file, agent, model: latest.model ?? model, detector, kind, count, reason, time, cost };
}
