import type { CheckRecord, DetectionSettings } from '@loopwatch/contract';
import { type Detection, detectionOf, semanticLayer } from '@loopwatch/detectors';
import { filter, finalize, from, type Observable, type OperatorFunction } from 'rxjs';
import { analyzeSessions } from './analyze-sessions.ts';
import { decodeRecords, type EventRecord } from './decode-records.ts';
import type { KeptSession } from './kept-session.ts';
import type { Checkpoint, PartitionSessions } from './partition-sessions.ts';
import {
  type InputBatch,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type Place,
  silentObserver,
  type VerdictOutcome,
} from './records.ts';
import { answerFirst, answerLater, askLater, type CheckHandling } from './semantic-checks.ts';
import type { SessionNews, ToldChanges } from './session-news.ts';
import { SessionStore } from './session-store.ts';

const NOTHING_TOLD: ToldChanges = { sessions: 0, incidents: [] };
const NO_NEWS: SessionNews = { summaries: [], over: [], checksOver: [] };

/**
 * The topology: record -> event -> session -> verdict. A batch of one partition goes through at a time; batches of
 * different partitions may overlap, since sessions belong to one partition.
 */
export class LoopPipeline {
  readonly detection: Detection;
  private readonly store: SessionStore;
  private readonly observer: PipelineObserver;
  private readonly checks: CheckHandling | undefined;

  /**
   * @param checks who answers the checks of the semantic layer; without one it is off
   * @param news whether what is to be told of sessions is collected, to be taken with {@link takeNews}
   */
  constructor(
    settings: DetectionSettings,
    observer: PipelineObserver = silentObserver,
    checks?: CheckHandling,
    news = false,
  ) {
    this.detection = detectionOf(settings, checks === undefined ? null : semanticLayer);
    this.observer = observer;
    this.checks = checks;
    this.store = new SessionStore({
      detection: this.detection,
      maxSessions: settings.session.max_sessions,
      idleMs: settings.session.idle_seconds * 1000,
      observer,
      news,
    });
  }

  get activeSessions(): number {
    return this.store.size;
  }

  /**
   * What one batch leads to, in the order of its records. Subscribing processes the batch, so subscribe once, and not
   * before the partition's batch before it is through.
   */
  process<R extends InputRecord>({ topic, partition, records }: InputBatch<R>): Observable<Outcome<R>> {
    const sessions = this.store.partition(topic, partition);
    return from(records).pipe(
      decodeRecords(),
      this.analyze<R>(sessions, { topic, partition }),
      finalize(() => {
        this.store.sweep();
      }),
    );
  }

  private analyze<R extends InputRecord>(
    sessions: PartitionSessions,
    place: Place,
  ): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R>> {
    const { checks: handling, observer } = this;
    if (handling === undefined) return analyzeSessions(sessions, place, observer);
    const desk = { handling, sessions, place, observer };
    const analyze = analyzeSessions<R>(sessions, place, observer, true);
    if (handling.late === undefined) return answerFirst(desk, analyze);
    return (item$) => analyze(item$).pipe(answerLater(desk));
  }

  /** Makes settings ready to be adopted by partitions. */
  prepare(settings: DetectionSettings): Detection {
    return detectionOf(settings, this.checks === undefined ? null : semanticLayer);
  }

  /** The partition's sessions go by other settings, each from its next event on. */
  adopt({ topic, partition }: Place, detection: Detection): void {
    this.store.partition(topic, partition).detection = detection;
  }

  /**
   * Takes back a session as it was kept. Before the replay of its partition.
   *
   * @param detection the settings by which it was analyzed then
   */
  restore({ topic, partition }: Place, kept: KeptSession, detection: Detection): void {
    this.store.partition(topic, partition).restore(kept, detection);
  }

  /**
   * Records that were processed before, to bring the sessions back to where they were. Nobody is told, and those that a
   * restored session knows of are passed over.
   *
   * @returns the verdicts they lead to, which are out already
   */
  async replay<R extends InputRecord>({
    topic,
    partition,
    records,
  }: InputBatch<R>): Promise<VerdictOutcome<R>['verdict'][]> {
    const sessions = this.store.partition(topic, partition);
    const verdicts: VerdictOutcome<R>['verdict'][] = [];
    await from(records)
      .pipe(
        decodeRecords(),
        filter((item) => item.type === 'event'),
        // Checks are taken out of their sessions, so that those without an answer count as under way.
        analyzeSessions<R>(sessions, { topic, partition }, silentObserver, this.checks !== undefined),
      )
      .forEach((outcome) => {
        if (outcome.type === 'verdict') verdicts.push(outcome.verdict);
      });
    this.store.sweep();
    sessions.news?.dropSummaries();
    return verdicts;
  }

  /** After the replay: asks again what was being asked when the partition's owner before went away. */
  resume({ topic, partition }: Place): void {
    const { checks: handling, observer } = this;
    if (handling?.late === undefined) return;
    const place = { topic, partition };
    const sessions = this.store.partition(topic, partition);
    for (const { analyzer, coveredTo } of sessions.all()) {
      const check = analyzer.checkUnderWay;
      if (check !== undefined) askLater({ handling, sessions, place, observer }, analyzer, check, coveredTo);
    }
  }

  /**
   * What to keep beside the log when all records of the partition before `next` are processed.
   *
   * @param reach records that a replay may have to go through
   * @param most sessions to be kept at a time
   */
  checkpoint({ topic, partition }: Place, next: number, reach: number, most: number): Checkpoint {
    return this.store.partition(topic, partition).checkpoint(next, reach, most);
  }

  /** A check of a session in the partition is recorded, in the step of the next checkpoint. */
  noteCheck({ topic, partition }: Place, { sessionId, id }: Pick<CheckRecord, 'sessionId' | 'id'>): void {
    this.store.partition(topic, partition).noteCheck(sessionId, id);
  }

  /**
   * Has what changed sessions told with the next {@link takeNews}.
   *
   * @param most sessions at a time, those that have waited longest
   */
  tellChanges({ topic, partition }: Place, most: number): ToldChanges {
    return this.store.partition(topic, partition).news?.tellChanges(most) ?? NOTHING_TOLD;
  }

  /** Offset of the partition's first event that no summary knows of, once the news is taken; undefined: all is told. */
  untoldFrom({ topic, partition }: Place): number | undefined {
    return this.store.partition(topic, partition).news?.untoldFrom;
  }

  /** After the replay: events from this offset on may be in no summary. */
  noteUntold({ topic, partition }: Place, offset: number): void {
    this.store.partition(topic, partition).noteUntold(offset);
  }

  /** What is to be told of the partition's sessions since the last time, together with the next checkpoint. */
  takeNews({ topic, partition }: Place): SessionNews {
    return this.store.partition(topic, partition).news?.take() ?? NO_NEWS;
  }

  /** Frees so many of the least recently used sessions, for want of memory. */
  free(sessions: number): void {
    this.store.free(sessions);
  }

  /** The partition belongs to somebody else now: its sessions are forgotten. */
  drop(topic: string, partition: number): void {
    this.store.dropPartition(topic, partition);
  }
}
