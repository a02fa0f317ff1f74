import type { DetectorId } from '@loopwatch/contract';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Every metric of the worker. Label values come from closed or bounded sets, never from ids. */
export interface WorkerMetrics {
  readonly events: Counter<'type'>;
  readonly duplicates: Counter;
  readonly toolCalls: Counter;
  readonly verdicts: Counter<'detector' | 'phase' | 'action'>;
  readonly loops: Counter<'detector' | 'agent' | 'model'>;
  readonly oldestIncident: Gauge<'agent' | 'model'>;
  readonly warnings: Counter;
  readonly blocks: Counter;
  readonly mitigations: Counter<'outcome'>;
  readonly incidentsOpen: Gauge<'detector'>;
  readonly incidentsQuiet: Gauge<'detector'>;
  readonly wastedTokens: Counter;
  readonly wastedUsd: Counter;
  readonly wastedCalls: Counter;
  readonly byAgent: Wasted<'agent' | 'model'>;
  readonly byTool: Wasted<'tool'> & { readonly loops: Counter<'tool'> };
  readonly detectionLatency: Histogram;
  readonly batchDuration: Histogram;
  readonly semanticChecks: Counter<'result'>;
  readonly semanticDuration: Histogram;
  readonly semanticTokens: Counter<'kind'>;
  readonly activeSessions: Gauge;
  readonly evictedSessions: Counter<'reason'>;
  readonly consumerLag: Gauge<'topic' | 'partition'>;
  readonly partitionStuck: Gauge<'topic' | 'partition'>;
  readonly deadLetters: Counter<'reason'>;
  readonly sourceRecords: Counter<'topic' | 'result'>;
  readonly refusedSettings: Counter;
  readonly rebalances: Counter;
  readonly interruptions: Counter;
  readonly recoveryDuration: Histogram;
  readonly faults: Counter;
}

/** Usage inside loops, by a label with a bounded number of values. */
interface Wasted<L extends string> {
  readonly calls: Counter<L>;
  readonly tokens: Counter<L>;
  readonly usd: Counter<L>;
}

/** Names that producers choose, limited to a bounded number of values. */
export interface IncidentLabels {
  readonly agent: string;
  readonly model: string;
}

/** Unresolved incidents, by detector. */
export interface IncidentStates {
  readonly open: readonly DetectorId[];
  readonly quiet: readonly DetectorId[];
  /** Detectors that have had any. */
  readonly detectors: Iterable<DetectorId>;
  /** Age of each open incident. */
  readonly ages: readonly (IncidentLabels & { readonly seconds: number })[];
}

/** Values read when the metrics are scraped. */
export interface WorkerState {
  readonly activeSessions: () => number;
  readonly incidents: () => IncidentStates;
}

export function createWorkerMetrics(
  registry: Registry,
  { activeSessions, incidents }: WorkerState,
): WorkerMetrics {
  const registers = [registry];
  const counter = <L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
  ): Counter<L> => new Counter({ name: `loopwatch_${name}`, help, labelNames, registers });
  const incidentGauge = (name: string, help: string, state: 'open' | 'quiet'): Gauge<'detector'> =>
    new Gauge({
      name: `loopwatch_${name}`,
      help,
      labelNames: ['detector'],
      registers,
      collect() {
        const states = incidents();
        for (const detector of states.detectors) this.set({ detector }, 0);
        for (const detector of states[state]) this.inc({ detector });
      },
    });
  return {
    events: counter('events_total', 'Events processed, by type; unknown types share "other".', ['type']),
    duplicates: counter('duplicate_events_total', 'Events ignored because their session has seen their id.'),
    toolCalls: counter('tool_calls_total', 'Tool calls processed.'),
    verdicts: counter('verdicts_total', 'Verdicts published.', ['detector', 'phase', 'action']),
    loops: counter('loops_total', 'Loops detected, by detector, agent and model.', [
      'detector',
      'agent',
      'model',
    ]),
    oldestIncident: new Gauge({
      name: 'loopwatch_incidents_oldest_age_seconds',
      help: 'Age of the oldest active loop, by agent and model.',
      labelNames: ['agent', 'model'],
      aggregator: 'max',
      registers,
      collect() {
        // The last value set for a label pair is exported: the oldest.
        const ages = [...incidents().ages].sort((a, b) => a.seconds - b.seconds);
        this.reset();
        for (const { agent, model, seconds } of ages) this.set({ agent, model }, seconds);
      },
    }),
    warnings: counter('warnings_total', 'Warnings issued: verdicts with action warn or chance.'),
    blocks: counter('blocks_total', 'Blocks applied: verdicts with action block.'),
    mitigations: counter('mitigations_total', 'How chances ended: recovered or blocked.', ['outcome']),
    incidentsOpen: incidentGauge('incidents_open', 'Loops active now.', 'open'),
    incidentsQuiet: incidentGauge(
      'incidents_quiet',
      'Unresolved loops whose session has been silent for a minute.',
      'quiet',
    ),
    wastedTokens: counter('wasted_tokens_total', 'Tokens used inside loops, if producers report usage.'),
    wastedUsd: counter(
      'wasted_usd_total',
      'US dollars spent inside loops, if usage is reported and the model has a price.',
    ),
    wastedCalls: counter('wasted_calls_total', 'Tool calls made inside loops.'),
    byAgent: {
      calls: counter('agent_wasted_calls_total', 'Tool calls made inside loops, by agent and model.', [
        'agent',
        'model',
      ]),
      tokens: counter('agent_wasted_tokens_total', 'Tokens used inside loops, by agent and model.', [
        'agent',
        'model',
      ]),
      usd: counter('agent_wasted_usd_total', 'US dollars spent inside loops, by agent and model.', [
        'agent',
        'model',
      ]),
    },
    byTool: {
      loops: counter('tool_loops_total', 'Loops detected, by tool.', ['tool']),
      calls: counter('tool_wasted_calls_total', 'Tool calls made inside loops, by tool.', ['tool']),
      tokens: counter('tool_wasted_tokens_total', 'Tokens used inside loops, by tool.', ['tool']),
      usd: counter('tool_wasted_usd_total', 'US dollars spent inside loops, by tool.', ['tool']),
    },
    detectionLatency: new Histogram({
      name: 'loopwatch_detection_latency_seconds',
      help: "From the record's timestamp to its verdict committed.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    }),
    batchDuration: new Histogram({
      name: 'loopwatch_batch_duration_seconds',
      help: 'From a fetched batch to its records analyzed.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    semanticChecks: counter(
      'semantic_checks_total',
      'Checks by a model: loop, none, discarded, skipped; failed calls: error, timeout, malformed.',
      ['result'],
    ),
    semanticDuration: new Histogram({
      name: 'loopwatch_semantic_check_duration_seconds',
      help: 'From a raised check to its answer, time in the queue included.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
      registers,
    }),
    semanticTokens: counter(
      'semantic_tokens_total',
      'Tokens used by checks: input and output, if the model server reports them.',
      ['kind'],
    ),
    activeSessions: new Gauge({
      name: 'loopwatch_active_sessions',
      help: 'Sessions in memory.',
      registers,
      collect() {
        this.set(activeSessions());
      },
    }),
    evictedSessions: counter(
      'evicted_sessions_total',
      'Sessions evicted: idle, lru (session or memory limit), partition_lost, fault.',
      ['reason'],
    ),
    consumerLag: new Gauge({
      name: 'loopwatch_consumer_lag',
      help: 'Records behind the committed offset.',
      labelNames: ['topic', 'partition'],
      // When metrics of several workers are merged: a partition has one owner, except for a moment during a rebalance.
      aggregator: 'max',
      registers,
    }),
    partitionStuck: new Gauge({
      name: 'loopwatch_partition_stuck_seconds',
      help: 'Seconds since the offset of a partition with records to read last moved; 0 without lag.',
      labelNames: ['topic', 'partition'],
      aggregator: 'max',
      registers,
    }),
    deadLetters: counter('dead_letters_total', 'Rejected records, once their dead letters are committed.', [
      'reason',
    ]),
    sourceRecords: counter(
      'source_records_total',
      'Records of the topics in kafka.sources, once their results are committed: translated, ignored, dead_letter.',
      ['topic', 'result'],
    ),
    refusedSettings: counter('refused_settings_total', 'Control events with an invalid key or value.'),
    faults: counter('detection_faults_total', 'Failures of detection: a bug in Loopwatch.'),
    rebalances: counter('rebalances_total', 'Changes of the partitions assigned to this worker.'),
    interruptions: counter(
      'partition_interruptions_total',
      'Times a partition restarted from the last commit, because a write failed or its owner changed.',
    ),
    recoveryDuration: new Histogram({
      name: 'loopwatch_recovery_duration_seconds',
      help: 'From a partition assigned to its first new record: fencing, restoring snapshots, replay.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
  };
}
