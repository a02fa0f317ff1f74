import type { SessionSummary } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import { reportOf, type SessionReport } from '@loopwatch/detectors/internal';
import type { TopicPartition } from '../records.ts';
import type { SessionEntry, SessionTally, SummaryState } from './entry.ts';
import { summaryOf } from './session-summary.ts';

/** Changes of a partition's sessions for the compacted topics. */
export interface SessionSummaries {
  /** The latest of each session, preceded by the last ones of those that restarted or expired. */
  readonly summaries: readonly SessionSummary[];
  /** Erased sessions; these summaries do not include what they did before. */
  readonly erased: readonly string[];
  /** Expired sessions: their summaries are to be deleted. */
  readonly expired: readonly string[];
  /** Ids of their recorded checks, which are to be deleted too. */
  readonly expiredChecks: readonly string[];
}

/** Event time, ms, after which a session gets another summary and progress sample. */
const SUMMARY_INTERVAL_MS = 30_000;

/** The result of {@link SummaryCollector.summarizeChanges}. */
export interface SummarizedChanges {
  readonly sessions: number;
  /** Their open incidents, and the event time of their latest events. */
  readonly active: readonly { readonly incidents: readonly string[]; readonly lastEventAt: number }[];
}

type ReportedVerdicts = readonly Pick<PureVerdict, 'phase' | 'detector'>[];

/**
 * Collects the summaries of a partition's sessions. A session is summarized at its first event, at each verdict and at its
 * end; other changes wait for the next {@link summarizeChanges}. Of several summaries of one session only the latest counts.
 */
export class SummaryCollector {
  /** `null`: the session has expired. */
  readonly #latest = new Map<string, SessionSummary | null>();
  /** Sessions with events not covered by a summary, with the offset of the first such event; ordered by that offset. */
  readonly #changed = new Map<SessionEntry, number>();
  /** The last summaries of sessions before they restarted or expired, which later ones do not include, and of each day. */
  #last: SessionSummary[] = [];
  #expiredChecks: string[] = [];
  readonly #erased = new Set<string>();
  readonly #topicPartition: TopicPartition;

  constructor(topicPartition: TopicPartition) {
    this.#topicPartition = topicPartition;
  }

  /**
   * Call if a long pause preceded the event, before {@link note}: the session counts from 0 again.
   *
   * @param before its usage and open incidents up to the pause, and the offset of its last event before it
   */
  noteRestart(entry: SessionEntry, before: SessionReport): void {
    this.#last.push(summaryOf(entry, before, this.#topicPartition));
    this.#latest.delete(entry.analyzer.sessionId);
    this.#changed.delete(entry);
  }

  /** Call after each event that is not a duplicate. */
  note(entry: SessionEntry, type: string, offset: number, verdicts: ReportedVerdicts): void {
    const { analyzer } = entry;
    const ends = type === 'session_ended';
    if (type === 'control') {
      this.#noteControl(entry, offset, verdicts);
      return;
    }
    entry.livedAt = analyzer.lastTime;
    if (analyzer.eventIndex === 0) startSession(entry, offset);
    // The absolute value: a clock that was set back must not suppress summaries.
    else if (verdicts.length === 0 && !ends && Math.abs(sinceSummary(entry)) < SUMMARY_INTERVAL_MS) {
      if (!this.#changed.has(entry)) this.#changed.set(entry, offset);
      return;
    }
    if (verdicts.length > 0) countVerdicts(entry, verdicts);
    const elapsed = analyzer.lastTime - entry.startedAt;
    if (analyzer.eventIndex > 0) sampleProgress(tallyOf(entry), elapsed, analyzer.eventIndex + 1);
    entry.summarizedAt = ends ? null : elapsed;
    this.#summarize(entry);
  }

  /**
   * Settings come from outside and are not activity: they change neither the session's last event time nor its
   * status.
   */
  #noteControl(entry: SessionEntry, offset: number, verdicts: ReportedVerdicts): void {
    const isFirst = entry.analyzer.eventIndex === 0;
    if (isFirst) startSession(entry, offset);
    // The session is summarized at its first event that is not a control event.
    if (isFirst) entry.summarizedAt = null;
    if (verdicts.length === 0) return;
    countVerdicts(entry, verdicts);
    this.#summarize(entry);
  }

  /** Call when the answer to a check led to verdicts. */
  noteAnswer(entry: SessionEntry, verdicts: ReportedVerdicts): void {
    countVerdicts(entry, verdicts);
    if (entry.summarizedAt !== null) entry.summarizedAt = entry.analyzer.lastTime - entry.startedAt;
    this.#summarize(entry);
  }

  /** A check's record is deleted with its session, or at once if the session is gone. */
  noteCheck(entry: SessionEntry | undefined, checkId: string): void {
    if (entry === undefined) this.#expiredChecks.push(checkId);
    else tallyOf(entry).checks.push(checkId);
  }

  /** The session has expired. */
  noteExpired(entry: SessionEntry): void {
    const { sessionId } = entry.analyzer;
    if (this.#changed.has(entry)) this.#summarize(entry);
    const last = this.#latest.get(sessionId);
    if (last != null) this.#last.push(last);
    this.#latest.set(sessionId, null);
    if (entry.tally !== undefined) this.#expiredChecks.push(...entry.tally.checks);
  }

  /** The session was evicted from memory but may return. */
  noteEvicted(entry: SessionEntry): void {
    if (this.#changed.has(entry)) this.#summarize(entry);
  }

  /** The session's state is unreliable: it is not summarized. */
  noteFault(entry: SessionEntry): void {
    this.#changed.delete(entry);
  }

  /** The session was erased, and is in memory no more. @param checks ids of its recorded checks */
  noteErased(sessionId: string, checks: readonly string[] = []): void {
    this.#expiredChecks.push(...checks);
    this.#latest.delete(sessionId);
    this.#last = this.#last.filter((summary) => summary.sessionId !== sessionId);
    this.#erased.add(sessionId);
  }

  /** Summaries may lack the session's events at or after this offset, as after a partition takeover. */
  noteChanged(entry: SessionEntry, offset: number): void {
    this.#changed.set(entry, offset);
  }

  /**
   * Drops the summaries of replayed records, which are already published. Expirations may not be, so they are written
   * again.
   */
  dropSummaries(): void {
    for (const [sessionId, summary] of this.#latest) if (summary !== null) this.#latest.delete(sessionId);
    this.#last = [];
    this.#erased.clear();
    this.#changed.clear();
  }

  /** Summarizes changed sessions, those waiting longest first, at most `limit` of them. */
  summarizeChanges(limit: number): SummarizedChanges {
    const active: SummarizedChanges['active'][number][] = [];
    let sessions = 0;
    for (const entry of this.#changed.keys()) {
      if (sessions === limit) break;
      this.#summarize(entry);
      const { openIncidents } = entry.analyzer;
      if (openIncidents.length > 0) active.push({ incidents: openIncidents, lastEventAt: entry.livedAt });
      sessions += 1;
    }
    return { sessions, active };
  }

  /**
   * Offset of the first event not covered by a summary, once the collected ones are drained; undefined if there is
   * none.
   */
  get firstUnsummarized(): number | undefined {
    const [offset] = this.#changed.values();
    return offset;
  }

  drain(): SessionSummaries {
    const latest = [...this.#latest.values()].filter((summary) => summary !== null);
    const summaries = [...this.#last, ...latest];
    const expired = [...this.#latest].flatMap(([sessionId, summary]) =>
      summary === null ? [sessionId] : [],
    );
    const expiredChecks = this.#expiredChecks;
    const erased = [...this.#erased];
    this.#erased.clear();
    this.#latest.clear();
    this.#last = [];
    this.#expiredChecks = [];
    return { summaries, erased, expired, expiredChecks };
  }

  #summarize(entry: SessionEntry): void {
    this.#changed.delete(entry);
    const { analyzer } = entry;
    const before = this.#latest.get(analyzer.sessionId);
    // What was used on a day counts on that day, also if several are read at once.
    if (before != null && dayOf(before.lastEventAt) !== dayOf(entry.livedAt)) this.#last.push(before);
    this.#latest.set(analyzer.sessionId, summaryOf(entry, reportOf(analyzer.state), this.#topicPartition));
  }
}

/** Days since 1970, UTC. */
function dayOf(time: number): number {
  return Math.floor(time / 86_400_000);
}

/** Starts the session at its first event, or at the first after a long pause, which resets everything. */
function startSession(entry: SessionEntry, offset: number): void {
  const { tally } = entry;
  entry.firstOffset = offset;
  entry.startedAt = entry.analyzer.lastTime;
  // Records of checks stay with the session until it expires.
  entry.tally =
    tally === undefined ? undefined : { verdicts: 0, opened: {}, checks: tally.checks, progress: [] };
}

/** Event time since the latest summary, ms. */
function sinceSummary({ analyzer, startedAt, summarizedAt }: SessionEntry): number {
  return summarizedAt === null ? SUMMARY_INTERVAL_MS : analyzer.lastTime - startedAt - summarizedAt;
}

function countVerdicts(summary: SummaryState, verdicts: ReportedVerdicts): void {
  const tally = tallyOf(summary);
  tally.verdicts += verdicts.length;
  for (const { phase, detector } of verdicts) {
    if (phase === 'opened') tally.opened[detector] = (tally.opened[detector] ?? 0) + 1;
  }
}

/** Maximum progress samples of a session; beyond that every other one is dropped. */
const MAX_PROGRESS_SAMPLES = 16;

function tallyOf(summary: SummaryState): SessionTally {
  summary.tally ??= { verdicts: 0, opened: {}, checks: [], progress: [] };
  return summary.tally;
}

function sampleProgress(tally: SessionTally, elapsed: number, events: number): void {
  tally.progress.push(elapsed, events);
  if (tally.progress.length > 2 * MAX_PROGRESS_SAMPLES)
    tally.progress = tally.progress.filter((_, i) => i % 4 < 2);
}

/** Copies only the summary state, for storing; later events do not change the copy. */
export function copySummary({ firstOffset, startedAt, summarizedAt, tally }: SummaryState): SummaryState {
  const copy = tally && {
    ...tally,
    opened: { ...tally.opened },
    checks: [...tally.checks],
    progress: [...tally.progress],
  };
  return { firstOffset, startedAt, summarizedAt, tally: copy };
}
