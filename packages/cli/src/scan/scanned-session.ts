import {
  type AgentEvent,
  incidentTitle,
  isOpenAfter,
  type OpenIncidentSummary,
  reasonWithCount,
  titleWithCount,
  type Verdict,
} from '@loopwatch/contract';
import {
  accountOf,
  type Detection,
  openIncidentSummaries,
  reportOf,
  type SessionAccount,
  SessionAnalyzer,
  type SessionState,
  sessionTitle,
  withPrompt,
} from '@loopwatch/detectors/internal';
import type { ScannedLoop } from './scan-report.ts';

type ScannedVerdict = Omit<Verdict, 'detectedAt' | 'source'>;

/** What a session used between two long pauses. */
export interface ScannedPart extends SessionAccount {
  /** Event time of its first and latest event, epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A session of a history during analysis. */
export class ScannedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #detection: Detection;
  readonly #file: string;
  readonly #incidents = new Map<string, { readonly first: ScannedVerdict; latest: ScannedVerdict }>();
  /** State of the incidents that a pause left open, as of the last event before it. */
  readonly #abandoned = new Map<string, OpenIncidentSummary>();
  /** What it used before each long pause. */
  readonly #parts: ScannedPart[] = [];
  /** Event time of the first event since then. */
  #startedAt: number | undefined;
  /** The first prompt as it may be shown; empty before it. */
  #prompt = '';
  /** Name of the folder that the agent worked in. */
  project: string | null = null;
  duplicates = 0;

  constructor(sessionId: string, detection: Detection, file: string) {
    this.#analyzer = new SessionAnalyzer(sessionId, detection);
    this.#detection = detection;
    this.#file = file;
  }

  push(event: AgentEvent): void {
    const endedAt = this.#analyzer.lastTime;
    const { isDuplicate, verdicts, before } = this.#analyzer.push(event);
    if (isDuplicate) this.duplicates += 1;
    if (before !== null) this.#noteBefore(before, endedAt);
    if (!isDuplicate) this.#startedAt ??= this.#analyzer.lastTime;
    if (event.type === 'prompt_started' && event.origin !== 'harness' && this.#prompt === '')
      this.#prompt = withPrompt(
        '',
        typeof event.text === 'string' ? event.text : '',
        this.#detection.plan.privacy,
      );
    for (const verdict of verdicts) {
      const first = this.#incidents.get(verdict.incidentId)?.first ?? verdict;
      this.#incidents.set(verdict.incidentId, { first, latest: verdict });
    }
  }

  #noteBefore(before: SessionState, endedAt: number): void {
    const { account, incidents } = reportOf(before);
    this.#parts.push({ ...account, startedAt: this.#startedAt ?? 0, endedAt });
    this.#startedAt = undefined;
    for (const incident of incidents) this.#abandoned.set(incident.id, incident);
  }

  /** What the whole session used, by the parts between its long pauses. */
  get parts(): readonly ScannedPart[] {
    const { state, lastTime: endedAt } = this.#analyzer;
    return [...this.#parts, { ...accountOf(state), startedAt: this.#startedAt ?? 0, endedAt }];
  }

  /** The session's loops, as of its last event. */
  get loops(): ScannedLoop[] {
    const open = new Map(this.#abandoned);
    for (const summary of openIncidentSummaries(this.#analyzer.state)) open.set(summary.id, summary);
    return [...this.#incidents].map(([id, { first, latest }]) => {
      const now = isOpenAfter(latest) ? open.get(id) : undefined;
      const { project } = this;
      const of = { file: this.#file, prompt: sessionTitle(this.#prompt) ?? null, project };
      return loopOf(first, latest, now ?? latest, of);
    });
  }
}

function loopOf(
  first: ScannedVerdict,
  latest: ScannedVerdict,
  { count, cost, wasted = cost }: Pick<ScannedVerdict, 'count' | 'cost' | 'wasted'>,
  session: Pick<ScannedLoop, 'file' | 'prompt' | 'project'>,
): ScannedLoop {
  const { sessionId, agent, model, detector, kind, time } = first;
  // The reason of a resolution is how the loop ended, not what was repeated.
  const described = latest.phase === 'resolved' ? first : latest;
  return {
    ...session,
    sessionId,
    agent,
    model: latest.model ?? model,
    tool: latest.tool?.name ?? null,
    detector,
    kind,
    count,
    title: titleWithCount(described.title ?? incidentTitle(described), count),
    reason: reasonWithCount(described, count),
    time,
    cost,
    wasted,
  };
}
