import { analyzedByHeader, type CheckRecord, type TopicNames, type Verdict } from '@loopwatch/contract';
import type {
  LogRecord,
  OutputRecord,
  PartitionPosition,
  PartitionTask,
  Place,
  StateChange,
  Step,
  TaskBatch,
  TaskLane,
} from '@loopwatch/log';
import type { LateAnswer, LoopPipeline, Outcome, PartitionPipeline, WideSettings } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import { notedLetter } from './dead-letter.ts';
import type { DeadLetterLog, DeadLetterNote } from './dead-letter-log.ts';
import { countEvents, type EventTally } from './event-tally.ts';
import { type IncidentBook, openIncidentOf } from './incident-book.ts';
import { forgetSession, keepSession } from './kept-state.ts';
import type { WorkerMetrics } from './metrics.ts';
import { PartitionRecovery, TOLD_KEY } from './partition-recovery.ts';
import { ReplayReach } from './replay-reach.ts';
import { newsOutputs } from './session-summaries.ts';
import { type Found, reportVerdicts } from './verdict-report.ts';

/** What the partitions of a worker share. */
export interface PartitionProcessorDeps {
  readonly pipeline: LoopPipeline;
  readonly settings: WideSettings;
  readonly topics: TopicNames;
  readonly metrics: WorkerMetrics;
  readonly incidents: IncidentBook;
  readonly tally: EventTally;
  readonly logger: Logger;
  readonly letters: DeadLetterLog;
  /** A replay goes through no more records than about these: sessions that reach back further are kept as snapshots. */
  readonly replayReach: number;
  /** How often what goes on in sessions is told, ms. */
  readonly tellIntervalMs: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Told when something was processed. */
  readonly processed: () => void;
  /** Told when steps are durable, with the end of the partition as it was then. */
  readonly durable: (position: PartitionPosition) => void;
}

/** Sessions kept in one step; a wave of old ones is spread over several. */
const MAX_KEPT = 1_000;
/** Sessions told of at a time: bounds what live numbers cost, in bytes and work, where very many sessions go on. */
const MAX_TOLD = 1_000;

/**
 * The work on one partition: records to verdicts and dead letters, made durable together with the position behind them.
 * What was found is counted and logged once it is out.
 */
export class PartitionProcessor implements PartitionTask {
  private readonly place: Place;
  private readonly lane: TaskLane;
  private readonly pipeline: PartitionPipeline;
  private readonly deps: PartitionProcessorDeps;
  /** Offset of the next record. */
  private position = 0;
  private closed = false;
  /** Of events at this offset and behind it, summaries may not have told; as it is durable, or on its way there. */
  private told = 0;
  private ticker: NodeJS.Timeout | undefined;
  private readonly recovery: PartitionRecovery;
  private readonly reach: ReplayReach;

  constructor(place: Place, lane: TaskLane, deps: PartitionProcessorDeps) {
    this.place = place;
    this.lane = lane;
    this.pipeline = deps.pipeline.partition(place);
    this.deps = deps;
    this.recovery = new PartitionRecovery(this.pipeline, deps.settings, deps.incidents);
    this.reach = new ReplayReach(deps.replayReach);
  }

  restore(entry: { readonly key: string; readonly value: string }): void {
    this.recovery.restore(entry);
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.recovery.replay(batch.records);
  }

  ready(position: number): void {
    this.position = position;
    this.recovery.restoreSessions();
    const { notRestored, toldBefore } = this.recovery;
    if (notRestored > 0) {
      this.deps.logger.warn(
        { ...this.place, sessions: notRestored },
        'Ignored session snapshots of another version; these sessions restart where the replay began',
      );
    }
    this.adoptSettings();
    this.pipeline.resume();
    this.told = toldBefore;
    if (toldBefore < position) this.pipeline.noteUntold(toldBefore);
    this.ticker = setInterval(() => this.tell(), this.deps.tellIntervalMs);
  }

  /**
   * Tells how sessions that go on stand, in a step of its own: nothing else may come of their partition for long. Which
   * events are told of is kept with it, so that a takeover tells of the others, and of no more.
   */
  private tell(): void {
    const { incidents, now } = this.deps;
    const active = this.pipeline.tellChanges(MAX_TOLD);
    const told = this.pipeline.untoldFrom ?? this.position;
    if (active.sessions === 0 && told === this.told) return;
    incidents.noteActivity(active.incidents, now());
    this.told = told;
    void this.commit([], [], [{ key: TOLD_KEY, value: String(told) }]);
  }

  /** What holds now, holds from the next record on; the offset is kept with the step that the record is in. */
  private adoptSettings(): void {
    const { current } = this.deps.settings;
    const { history } = this.recovery;
    if (history.latest !== current) history.begin(this.position, current);
    this.pipeline.adopt(current.detection);
  }

  async process(batch: TaskBatch): Promise<void> {
    const { metrics, tally, processed } = this.deps;
    const { next, lag, isRetry = false } = batch;
    const began = performance.now();
    this.adoptSettings();
    const outputs: OutputRecord[] = [];
    const found: Found[] = [];
    const letters: DeadLetterNote[] = [];
    // What a batch before this one counted that failed half-way comes again.
    tally.take();
    const processing = this.pipeline.process(batch.records).forEach((outcome) => {
      if (isJudged(outcome)) return;
      if (outcome.type === 'verdict')
        outputs.push(this.verdictOutput(outcome.verdict, outcome.record.timestamp, found, this.deps.now()));
      else {
        const { topics } = this.deps;
        const letter = notedLetter(topics['dead-letters'], outcome.record, this.place, outcome, isRetry);
        outputs.push(letter.output);
        letters.push(letter.note);
      }
    });
    // All of it is counted by now; while this waits, other partitions count theirs.
    const counts = tally.take();
    await processing;
    // A write has failed meanwhile: the batch comes again.
    if (this.closed) return;
    this.position = next;
    const ms = performance.now() - began;
    this.reach.note(batch.records.length, ms);
    metrics.batchDuration.observe(ms / 1000);
    processed();
    void this.commit(outputs, found).then((durable) => {
      if (!durable) return;
      countEvents(counts, metrics);
      for (const letter of letters) {
        metrics.deadLetters.inc({ reason: letter.reason });
        this.deps.letters.note(letter);
      }
      this.deps.durable({ ...this.place, position: next, end: next + lag });
    });
  }

  /** What an answer led to that came when its event was long processed. */
  late({ verdicts }: LateAnswer, record: CheckRecord): void {
    if (this.closed) return;
    const { topics, now } = this.deps;
    const found: Found[] = [];
    this.pipeline.noteCheck(record);
    const outputs: OutputRecord[] = [{ topic: topics.checks, key: record.id, value: JSON.stringify(record) }];
    const timestamp = now();
    for (const verdict of verdicts ?? []) outputs.push(this.verdictOutput(verdict, timestamp, found));
    void this.commit(outputs, found);
  }

  close(): void {
    this.closed = true;
    clearInterval(this.ticker);
    this.pipeline.close();
  }

  /** @returns whether the step is durable; if not, the partition's work restarts */
  private async commit(
    outputs: readonly OutputRecord[],
    found: readonly Found[],
    changes: readonly StateChange[] = [],
  ): Promise<boolean> {
    try {
      const step = this.step(outputs, found);
      await this.lane.commit({ ...step, state: [...step.state, ...changes] });
    } catch {
      return false;
    }
    reportVerdicts(found, this.deps);
    return true;
  }

  private step(outputs: readonly OutputRecord[], found: readonly Found[]): Step {
    const { settings, incidents, topics } = this.deps;
    const { position } = this;
    const checkpoint = this.pipeline.checkpoint(position, this.reach.records, MAX_KEPT);
    const state: StateChange[] = [
      ...this.recovery.history.changes(),
      ...checkpoint.forgotten.map(forgetSession),
    ];
    for (const { openIncidents, detection, ...session } of checkpoint.kept) {
      // What this step itself found is not in the book before it is out.
      const news = found.filter(({ verdict }) => openIncidents.includes(verdict.incidentId));
      const told = news.map(({ verdict }) => openIncidentOf(verdict));
      const known = openIncidents.flatMap((id) => incidents.get(id) ?? []);
      const open = [...new Map([...known, ...told].map((incident) => [incident.id, incident])).values()];
      const { hash } = settings.versionOf(detection.settings);
      state.push(keepSession({ ...session, settings: hash, incidents: open }));
    }
    const news = newsOutputs(this.pipeline.takeNews(), topics);
    return { position, resumeFrom: checkpoint.resumeFrom, outputs: [...outputs, ...news], state };
  }

  private verdictOutput(
    finding: Omit<Verdict, 'detectedAt'>,
    timestamp: number,
    found: Found[],
    detectedAt = timestamp,
  ): OutputRecord {
    const verdict: Verdict = { ...finding, detectedAt };
    found.push({ verdict, timestamp });
    return { topic: this.deps.topics.verdicts, key: verdict.sessionId, value: JSON.stringify(verdict) };
  }
}

/** A verdict that the producer of the event, a gateway, has written already. */
function isJudged({ type, record }: Outcome<LogRecord>): boolean {
  return type === 'verdict' && analyzedByHeader in record.headers;
}
