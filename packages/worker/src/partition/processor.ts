import { analyzedByHeader, type CheckRecord, type TopicNames, type Verdict } from '@loopwatch/contract';
import type { LiveSettings, SettingsVersion } from '@loopwatch/detectors';
import type {
  LogRecord,
  OutputRecord,
  PartitionTask,
  StateChange,
  Step,
  TaskBatch,
  TaskLane,
  TopicPartition,
} from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import type { Outcome } from '../records.ts';
import { BatchTrace } from '../report/batch-trace.ts';
import type { DetectionReport, TimedVerdict } from '../report/detection-report.ts';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { WorkerMetrics } from '../report/metrics.ts';
import { type PartitionSessions, ReplayBudget } from '../sessions/partition-sessions.ts';
import type { SessionSummaries } from '../sessions/summaries.ts';
import type { LoopPipeline } from '../stream/loop-pipeline.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import type { LateAnswer } from '../stream/semantic-checks.ts';
import { notedLetter } from './dead-letter.ts';
import type { DeadLetterLog, DeadLetterNote } from './dead-letter-log.ts';
import { PartitionRecovery } from './recovery.ts';
import { deleteSnapshot, type StateEntry, SUMMARIZED_KEY, writeSnapshot } from './state.ts';
import type { PartitionWatch } from './watch.ts';

/** What the partitions of a worker share. */
export interface PartitionProcessorDeps {
  readonly pipeline: LoopPipeline;
  readonly settings: LiveSettings;
  readonly topics: TopicNames;
  readonly metrics: WorkerMetrics;
  readonly incidents: IncidentMetrics;
  readonly report: DetectionReport;
  readonly watch: PartitionWatch;
  readonly logger: Logger;
  readonly letters: DeadLetterLog;
  /** Upper bound of the records that a takeover replays; sessions that reach back further get snapshots. */
  readonly maxReplayRecords: number;
  /** How often summaries of active sessions are published, ms. */
  readonly summaryIntervalMs: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

/** Snapshots written in one step; a wave of old sessions is spread over several. */
const MAX_SNAPSHOTS = 1_000;
/** Summaries published at a time: bounds the cost of live numbers when very many sessions are active. */
const MAX_SUMMARIES = 1_000;

/**
 * Processes one partition: records become verdicts and dead letters, committed together with the offset of the next
 * record. Results are counted and logged once they are committed.
 */
export class PartitionProcessor implements PartitionTask {
  readonly #place: TopicPartition;
  readonly #lane: TaskLane;
  readonly #pipeline: PartitionPipeline;
  readonly #sessions: PartitionSessions;
  readonly #deps: PartitionProcessorDeps;
  readonly #recovery: PartitionRecovery;
  readonly #replayBudget: ReplayBudget;
  /** The settings that apply to the next record. */
  #adopted: SettingsVersion | undefined;
  /** Offset of the next record. */
  #position = 0;
  /** Summaries cover all events before this offset; committed, or about to be. */
  #summarizedTo = 0;
  #isClosed = false;
  #summaryTimer: NodeJS.Timeout | undefined;

  constructor(place: TopicPartition, lane: TaskLane, deps: PartitionProcessorDeps) {
    this.#place = place;
    this.#lane = lane;
    this.#pipeline = deps.pipeline.partition(place);
    this.#sessions = this.#pipeline.sessions;
    this.#deps = deps;
    this.#recovery = new PartitionRecovery(this.#pipeline, deps);
    this.#replayBudget = new ReplayBudget(deps.maxReplayRecords);
  }

  restore(entry: StateEntry): void {
    this.#recovery.restore(entry);
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.#recovery.replay(batch.records);
  }

  ready(position: number): void {
    this.#position = position;
    this.#recovery.finish();
    const { summarizedTo } = this.#recovery;
    this.#adoptSettings();
    this.#pipeline.resume();
    this.#summarizedTo = summarizedTo;
    if (summarizedTo < position) this.#sessions.noteUnsummarized(summarizedTo);
    this.#summaryTimer = setInterval(() => this.#publishSummaries(), this.#deps.summaryIntervalMs);
  }

  process(batch: TaskBatch): Promise<void> {
    return BatchTrace.around(batch, this.#deps.system, (trace) => this.#process(batch, trace));
  }

  async #process(batch: TaskBatch, trace: BatchTrace): Promise<void> {
    const { metrics, report, watch, now } = this.#deps;
    const { next, lag, isRetry = false } = batch;
    const startedAt = performance.now();
    this.#adoptSettings();
    const outputs: OutputRecord[] = [];
    const verdicts: TimedVerdict[] = [];
    const letters: DeadLetterNote[] = [];
    // Counts of an earlier batch that failed halfway: it is processed again.
    report.takeCounts();
    const analyze = (): Promise<void> =>
      this.#pipeline.process(batch.records).forEach((outcome) => {
        if (isJudged(outcome)) return;
        if (outcome.type === 'verdict')
          outputs.push(this.#verdictRecord(outcome.verdict, outcome.record.timestamp, verdicts, now()));
        else {
          const topic = this.#deps.topics['dead-letters'];
          const letter = notedLetter(topic, outcome.record, this.#place, outcome, isRetry);
          outputs.push(letter.output);
          letters.push(letter.note);
        }
      });
    const processing = trace.process(analyze);
    // The whole batch is counted by now; other partitions count theirs while this one waits.
    const counts = report.takeCounts();
    await processing;
    // A commit has failed meanwhile: the batch will be processed again.
    if (this.#isClosed) {
      trace.interrupted();
      return;
    }
    this.#position = next;
    const ms = performance.now() - startedAt;
    this.#replayBudget.noteBatch(batch.records.length, ms);
    metrics.batchDuration.observe(ms / 1000);
    report.lastEventAt = now();
    trace.processed({
      'loopwatch.batch.verdicts': verdicts.length,
      'loopwatch.batch.dead_letters': letters.length,
    });
    const committing = this.#commit(outputs, verdicts);
    void trace.commit(committing).then((isCommitted) => {
      if (!isCommitted) return;
      report.batchCommitted(counts);
      for (const letter of letters) {
        metrics.deadLetters.inc({ reason: letter.reason });
        this.#deps.letters.note(letter);
      }
      watch.note({ ...this.#place, position: next, end: next + lag });
    });
  }

  /** Publishes the verdicts that a model's answer led to; its event was processed long before. */
  onCheckAnswered({ verdicts: found }: LateAnswer, record: CheckRecord): void {
    if (this.#isClosed) return;
    const { topics, now } = this.#deps;
    const verdicts: TimedVerdict[] = [];
    this.#sessions.noteCheck(record.sessionId, record.id);
    const outputs: OutputRecord[] = [{ topic: topics.checks, key: record.id, value: JSON.stringify(record) }];
    const timestamp = now();
    for (const verdict of found ?? []) outputs.push(this.#verdictRecord(verdict, timestamp, verdicts));
    void this.#commit(outputs, verdicts);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#summaryTimer);
    this.#pipeline.close();
  }

  /** The current settings apply from the next record; their offset is committed in the same step as that record. */
  #adoptSettings(): void {
    const { current } = this.#deps.settings;
    if (current === this.#adopted) return;
    this.#adopted = current;
    const { history } = this.#recovery;
    if (history.latest !== current) history.begin(this.#position, current);
    this.#sessions.detection = current.detection;
  }

  /**
   * Publishes summaries of active sessions in a step of its own, because their partition may receive no further records
   * for a long time. The offset they cover is committed with them, so that a new owner publishes exactly what is
   * missing.
   */
  #publishSummaries(): void {
    const { incidents, now } = this.#deps;
    const { summaries } = this.#sessions;
    if (summaries === undefined) return;
    const active = summaries.summarizeChanges(MAX_SUMMARIES);
    const summarizedTo = summaries.firstUnsummarized ?? this.#position;
    if (active.sessions === 0 && summarizedTo === this.#summarizedTo) return;
    if (active.incidents.length > 0) incidents.noteActivity(active.incidents, now());
    this.#summarizedTo = summarizedTo;
    void this.#commit([], [], [{ key: SUMMARIZED_KEY, value: String(summarizedTo) }]);
  }

  /** @returns whether the step is committed; if not, the partition restarts from the last commit */
  async #commit(
    outputs: readonly OutputRecord[],
    verdicts: readonly TimedVerdict[],
    changes: readonly StateChange[] = [],
  ): Promise<boolean> {
    try {
      await this.#lane.commit(this.#step(outputs, verdicts, changes));
    } catch {
      return false;
    }
    this.#deps.report.verdictsCommitted(verdicts);
    return true;
  }

  #step(
    outputs: readonly OutputRecord[],
    verdicts: readonly TimedVerdict[],
    changes: readonly StateChange[],
  ): Step {
    const { settings, incidents, topics } = this.#deps;
    const position = this.#position;
    const checkpoint = this.#sessions.checkpoint(position, this.#replayBudget.records, MAX_SNAPSHOTS);
    const { history } = this.#recovery;
    const state: StateChange[] = checkpoint.forgotten.map(deleteSnapshot);
    if (history.hasChanged) state.push(...history.takeChanges());
    for (const { openIncidents, detection, ...session } of checkpoint.snapshots) {
      const { hash } = settings.versionOf(detection.settings);
      const open = incidents.openAfter(
        openIncidents,
        verdicts.map(({ verdict }) => verdict),
      );
      state.push(writeSnapshot({ ...session, settings: hash, incidents: open }));
    }
    state.push(...changes);
    const drained = this.#sessions.summaries?.drain();
    const summaries = drained === undefined ? [] : summaryRecords(drained, topics);
    return { position, resumeFrom: checkpoint.replayFrom, outputs: [...outputs, ...summaries], state };
  }

  #verdictRecord(
    found: Omit<Verdict, 'detectedAt'>,
    timestamp: number,
    verdicts: TimedVerdict[],
    detectedAt = timestamp,
  ): OutputRecord {
    const verdict: Verdict = { ...found, detectedAt };
    verdicts.push({ verdict, timestamp });
    return { topic: this.#deps.topics.verdicts, key: verdict.sessionId, value: JSON.stringify(verdict) };
  }
}

/** Whether the producer of the event, a gateway, has written this verdict already. */
function isJudged({ type, record }: Outcome<LogRecord>): boolean {
  return type === 'verdict' && analyzedByHeader in record.headers;
}

/** Current summaries of sessions, and tombstones for the records of sessions that have expired. */
function summaryRecords(
  { summaries, over, checksOver }: SessionSummaries,
  { sessions, checks }: Pick<TopicNames, 'sessions' | 'checks'>,
): OutputRecord[] {
  return [
    ...summaries.map((summary) => ({
      topic: sessions,
      key: summary.sessionId,
      value: JSON.stringify(summary),
    })),
    ...over.map((sessionId) => ({ topic: sessions, key: sessionId, value: null })),
    ...checksOver.map((id) => ({ topic: checks, key: id, value: null })),
  ];
}
