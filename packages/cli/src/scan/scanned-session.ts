import { type AgentEvent, type Cost, isOpenAfter, reasonWithCount, type Verdict } from '@loopwatch/contract';
import { type Detection, SessionAnalyzer } from '@loopwatch/detectors';
import type { ScannedLoop } from './scan-report.ts';

type Found = Omit<Verdict, 'detectedAt' | 'source'>;

/** One session of a history as it is analyzed. */
export class ScannedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #file: string;
  readonly #incidents = new Map<string, { readonly first: Found; latest: Found }>();
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

  /** Its loops as they stand at the session's last event. */
  get loops(): ScannedLoop[] {
    const open = new Map(this.#analyzer.openIncidentSummaries.map((summary) => [summary.id, summary]));
    return [...this.#incidents].map(([id, { first, latest }]) => {
      const now = isOpenAfter(latest) ? open.get(id) : undefined;
      return loopOf(first, latest, now?.count ?? latest.count, now?.cost ?? latest.cost, this.#file);
    });
  }
}

function loopOf(first: Found, latest: Found, count: number, cost: Cost, file: string): ScannedLoop {
  const { sessionId, agent, model, detector, kind, time } = first;
  // A resolution says how it ended, not what was repeated.
  const reason = reasonWithCount(latest.phase === 'resolved' ? first : latest, count);
  return { sessionId, file, agent, model: latest.model ?? model, detector, kind, count, reason, time, cost };
}
