import { activityAt, analyzedByHeader, type TopicNames, type Verdict } from '@loopwatch/contract';
import type { LiveSettings, SettingsVersion } from '@loopwatch/detectors/internal';
import type {
  LogRecord,
  PartitionTask,
  Step,
  StepPosition,
  TaskBatch,
  TaskLane,
  TopicPartition,
} from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import { defer, filter, interval, map, type Observable, reduce, startWith, tap } from 'rxjs';
import type { Outcome } from '../records.ts';
import { BatchTrace } from '../report/batch-trace.ts';
import type { DetectionReport } from '../report/detection-report.ts';
import { reportFault } from '../report/fault.ts';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { WorkerMetrics } from '../report/metrics.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';
import { ReplayBudget } from '../sessions/replay-budget.ts';
import type { LoopPipeline } from '../stream/loop-pipeline.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import { PartitionStream } from '../stream/partition-stream.ts';
import type { LateAnswer } from '../stream/semantic-checks.ts';
import { type DeadLetterLog, notedLetter } from './dead-letter-log.ts';
import { PartitionRecovery } from './recovery.ts';
import { deleteSnapshot, STATE_FORMAT, type StateEntry, writeSnapshot, writeSummarized } from './state.ts';
import type { PartitionWatch } from './watch.ts';
import { type TracedBatch, Work } from './work.ts';

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
  /** Sessions that are restored before the first record is processed; 1,000 by default. */
  readonly restoredFirst?: number | undefined;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

/** Snapshots written in one step; a wave of old sessions is spread over several. */
const MAX_SNAPSHOTS = 1_000;
/** Summaries published at a time: bounds the cost of live numbers when very many sessions are active. */
const MAX_SUMMARIES = 1_000;

interface Commit {
  readonly work: Work;
  readonly step: Step;
}

/**
 * Processes one partition: records become verdicts and dead letters, committed together with the offset of the next
 * record. Results are counted and logged once they are committed.
 */
export class PartitionProcessor implements PartitionTask {
  readonly #topicPartition: TopicPartition;
  readonly #lane: TaskLane;
  readonly #pipeline: PartitionPipeline;
  readonly #sessions: PartitionSessions;
  readonly #deps: PartitionProcessorDeps;
  readonly #recovery: PartitionRecovery;
  readonly #replayBudget: ReplayBudget;
  readonly #stream = new PartitionStream<TracedBatch>();
  /** The settings that apply to the next record. */
  #adopted: SettingsVersion | undefined;
  /** Offset of the next record. */
  #position = 0;
  /** Summaries cover all events before this offset; committed, or about to be. */
  #summarizedTo = 0;

  constructor(topicPartition: TopicPartition, lane: TaskLane, deps: PartitionProcessorDeps) {
    this.#topicPartition = topicPartition;
    this.#lane = lane;
    this.#pipeline = deps.pipeline.partition(topicPartition);
    this.#sessions = this.#pipeline.sessions;
    this.#deps = deps;
    this.#recovery = new PartitionRecovery(this.#pipeline, deps);
    this.#replayBudget = new ReplayBudget(deps.maxReplayRecords);
  }

  restore(entry: StateEntry): void {
    this.#recovery.restore(entry);
  }

  replayFrom(committed: StepPosition): Promise<number> {
    return this.#recovery.replayFrom(committed);
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.#recovery.replay(batch.records);
  }

  ready(position: number): void {
    this.#position = position;
    const ended = this.#ended(this.#recovery.finish());
    const { summarizedTo } = this.#recovery;
    this.#adoptSettings();
    this.#summarizedTo = summarizedTo;
    if (summarizedTo < position) this.#sessions.noteUnsummarized(summarizedTo);
    this.#stream.start(
      {
        answers: this.#pipeline.answers.pipe(
          map((late) => this.#answered(late)),
          filter((work) => work !== undefined),
          startWith(...ended),
        ),
        ticks: interval(this.#deps.summaryIntervalMs).pipe(
          map(() => this.#summarized()),
          filter((work) => work !== undefined),
        ),
      },
      {
        process: (traced) => this.#analyzed(traced),
        toCommit: (work) => ({ work, step: this.#step(work) }),
        commit: (commit) => this.#commit(commit),
      },
      (error) => {
        this.#lane.fail(error);
        reportFault(this.#deps, this.#topicPartition, error);
      },
    );
    this.#pipeline.resume();
    this.#recovery.restoreRest().catch((error: unknown) => {
      this.#lane.fail(error);
      reportFault(this.#deps, this.#topicPartition, error);
    });
  }

  process(batch: TaskBatch): Promise<void> {
    return BatchTrace.around(batch, this.#deps.system, (trace) =>
      trace.process(() => this.#process({ batch, trace })),
    );
  }

  async #process(traced: TracedBatch): Promise<void> {
    try {
      await this.#stream.process(traced);
    } catch (error) {
      reportFault(this.#deps, this.#topicPartition, error);
      throw error;
    }
  }

  close(): void {
    this.#stream.close();
    this.#recovery.close();
    this.#pipeline.close();
    this.#deps.incidents.forget(this.#deps.report.takeAbandoned());
  }

  /** All of a batch is processed at once, so the counts are its own, and no answer or tick comes in between. */
  #analyzed(from: TracedBatch): Observable<Work> {
    return defer(() => {
      const { batch, trace } = from;
      const { metrics, report, topics, now } = this.#deps;
      const startedAt = performance.now();
      this.#adoptSettings();
      // Counts of an earlier batch that failed halfway: it is processed again.
      report.takeCounts();
      return this.#pipeline.process(batch.records).pipe(
        reduce((work, outcome) => this.#add(work, outcome), new Work(topics, from)),
        tap((work) => {
          work.counts = report.takeCounts();
          work.abandoned = report.takeAbandoned();
          this.#position = batch.next;
          const ms = performance.now() - startedAt;
          this.#replayBudget.noteBatch(batch.records.length, ms);
          metrics.batchDuration.observe(ms / 1000);
          report.lastEventAt = now();
          trace.processed({
            'loopwatch.batch.verdicts': work.verdicts.length,
            'loopwatch.batch.dead_letters': work.letters.length,
          });
        }),
      );
    });
  }

  #add(work: Work, outcome: Outcome<LogRecord>): Work {
    if (isJudged(outcome)) return work;
    if (outcome.type === 'verdict')
      work.addVerdict(outcome.verdict, outcome.record.timestamp, this.#deps.now());
    else if (outcome.type === 'erasure') work.addErasure(outcome.sessionId);
    else {
      const topic = this.#deps.topics['dead-letters'];
      const isRetry = work.from?.batch.isRetry === true;
      work.addLetter(notedLetter(topic, outcome.record, this.#topicPartition, outcome, isRetry));
    }
    return work;
  }

  /** The end of incidents that could not be restored. */
  #ended(verdicts: readonly Omit<Verdict, 'detectedAt'>[]): Work[] {
    if (verdicts.length === 0) return [];
    const { topics, now } = this.#deps;
    const work = new Work(topics);
    for (const verdict of verdicts) work.addVerdict(verdict, now());
    return [work];
  }

  /** The verdicts that a model's answer led to, and its record. */
  #answered({ verdicts, record }: LateAnswer): Work | undefined {
    if (record === undefined) return undefined;
    const { topics, now } = this.#deps;
    this.#sessions.noteCheck(record.sessionId, record.id);
    const work = new Work(topics);
    work.addCheck(record);
    for (const verdict of verdicts ?? []) work.addVerdict(verdict, now());
    return work;
  }

  /**
   * Summaries of active sessions. The offset they cover is committed with them, so that a new owner publishes exactly
   * what is missing.
   */
  #summarized(): Work | undefined {
    const { incidents, topics, now } = this.#deps;
    const { summaries } = this.#sessions;
    if (summaries === undefined) return undefined;
    const { sessions, active } = summaries.summarizeChanges(MAX_SUMMARIES);
    const summarizedTo = summaries.firstUnsummarized ?? this.#position;
    if (sessions === 0 && summarizedTo === this.#summarizedTo) return undefined;
    for (const one of active) incidents.noteActivity(one.incidents, activityAt(one.lastEventAt, now()));
    this.#summarizedTo = summarizedTo;
    const work = new Work(topics);
    work.changes.push(writeSummarized(summarizedTo));
    return work;
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

  #step(work: Work): Step {
    const { outputs, verdicts, changes } = work;
    const { settings, incidents } = this.#deps;
    const position = this.#position;
    const checkpoint = this.#sessions.checkpoint(position, this.#replayBudget.records, MAX_SNAPSHOTS);
    const { history } = this.#recovery;
    // What is damaged is deleted first: it may be written again in the same step.
    const state = [...this.#recovery.takeChanges(), ...checkpoint.forgotten.map(deleteSnapshot)];
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
    if (drained !== undefined) work.addSummaries(drained);
    return {
      position,
      resumeFrom: checkpoint.replayFrom,
      rebuildFrom: checkpoint.rebuildFrom,
      mark: { format: STATE_FORMAT, since: this.#recovery.since },
      outputs,
      state,
    };
  }

  async #commit({ work, step }: Commit): Promise<void> {
    const { metrics, incidents, report, letters, watch } = this.#deps;
    const committing = this.#lane.commit(step).then(
      () => true,
      // The partition restarts from the last commit.
      () => false,
    );
    void work.from?.trace.commit(committing);
    // Nothing else may be awaited: commits that the log has merged end together, and are noted in their order.
    if (!(await committing)) return;
    report.verdictsCommitted(work.verdicts);
    incidents.noteUse(work.open);
    incidents.forget(work.abandoned);
    if (work.from === undefined) return;
    if (work.counts !== undefined) report.batchCommitted(work.counts);
    for (const letter of work.letters) {
      metrics.deadLetters.inc({ reason: letter.reason });
      letters.note(letter);
    }
    const { records, next, lag } = work.from.batch;
    watch.note({ ...this.#topicPartition, position: next, end: next + lag }, records.at(-1)?.timestamp);
  }
}

/** Whether the producer of the event, a gateway, has written this verdict already. */
function isJudged({ type, record }: Outcome<LogRecord>): boolean {
  return type === 'verdict' && analyzedByHeader in record.headers;
}
