import type { DetectorId } from '@loopwatch/contract';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Every metric of the worker, by name and meaning in one place. Label values come from closed or bounded sets, never from ids. */
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

/** What loops used, by names that are kept to a bounded number of values. */
interface Wasted<L extends string> {
  readonly calls: Counter<L>;
  readonly tokens: Counter<L>;
  readonly usd: Counter<L>;
}

/** Names that producers choose, kept to a bounded number of values. */
export interface IncidentLabels {
  readonly agent: string;
  readonly model: string;
}

/** Incidents that are not resolved, each as its detector. */
export interface IncidentStates {
  readonly open: readonly DetectorId[];
  readonly quiet: readonly DetectorId[];
  /** Detectors that have had some. */
  readonly detectors: Iterable<DetectorId>;
  /** For how long each of the open ones has gone on. */
  readonly ages: readonly (IncidentLabels & { readonly seconds: number })[];
}

/** What is read when the metrics are scraped. */
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
    events: counter('events_total', 'Events taken, by type; types that are not known share "other".', [
      'type',
    ]),
    duplicates: counter(
      'duplicate_events_total',
      'Events whose id their session knows already, and which are ignored.',
    ),
    toolCalls: counter('tool_calls_total', 'Tool calls processed.'),
    verdicts: counter('verdicts_total', 'Verdicts published.', ['detector', 'phase', 'action']),
    loops: counter('loops_total', 'Loops found, by the agent and the model that they are of.', [
      'detector',
      'agent',
      'model',
    ]),
    oldestIncident: new Gauge({
      name: 'loopwatch_incidents_oldest_age_seconds',
      help: 'For how long the oldest loop that goes on now has gone on, by agent and model.',
      labelNames: ['agent', 'model'],
      aggregator: 'max',
      registers,
      collect() {
        // Oldest last: the value that stays.
        const ages = [...incidents().ages].sort((a, b) => a.seconds - b.seconds);
        this.reset();
        for (const { agent, model, seconds } of ages) this.set({ agent, model }, seconds);
      },
    }),
    warnings: counter('warnings_total', 'Warnings issued: verdicts with action warn or chance.'),
    blocks: counter('blocks_total', 'Blocks applied: verdicts with action block.'),
    mitigations: counter('mitigations_total', 'What came of a chance: recovered or blocked.', ['outcome']),
    incidentsOpen: incidentGauge('incidents_open', 'Loops that go on now.', 'open'),
    incidentsQuiet: incidentGauge(
      'incidents_quiet',
      'Loops that are not resolved, but whose session has sent nothing for a minute.',
      'quiet',
    ),
    wastedTokens: counter('wasted_tokens_total', 'Tokens used inside loops, where producers report usage.'),
    wastedUsd: counter(
      'wasted_usd_total',
      'US dollars spent inside loops, where usage is reported and the model has a price.',
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
      loops: counter('tool_loops_total', 'Loops found, by the tool that is called again and again.', [
        'tool',
      ]),
      calls: counter('tool_wasted_calls_total', 'Tool calls made inside loops, by tool.', ['tool']),
      tokens: counter('tool_wasted_tokens_total', 'Tokens used inside loops, by tool.', ['tool']),
      usd: counter('tool_wasted_usd_total', 'US dollars spent inside loops, by tool.', ['tool']),
    },
    detectionLatency: new Histogram({
      name: 'loopwatch_detection_latency_seconds',
      help: "From the record's timestamp to its verdict sent.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    }),
    batchDuration: new Histogram({
      name: 'loopwatch_batch_duration_seconds',
      help: 'From a batch fetched to its records analyzed.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    semanticChecks: counter(
      'semantic_checks_total',
      'Checks by a model: loop, none, discarded, skipped; and calls that failed: error, timeout, malformed.',
      ['result'],
    ),
    semanticDuration: new Histogram({
      name: 'loopwatch_semantic_check_duration_seconds',
      help: 'From a check raised to its answer, waiting for its turn included.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
      registers,
    }),
    semanticTokens: counter(
      'semantic_tokens_total',
      'Tokens that checks by a model took: input and output, where its server reports them.',
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
      'Sessions freed: idle, lru (for want of room), partition_lost, fault.',
      ['reason'],
    ),
    consumerLag: new Gauge({
      name: 'loopwatch_consumer_lag',
      help: 'Records behind the last one whose results are durable.',
      labelNames: ['topic', 'partition'],
      // Where the metrics of several workers are put together: a partition has one owner, two only while it changes hands.
      aggregator: 'max',
      registers,
    }),
    partitionStuck: new Gauge({
      name: 'loopwatch_partition_stuck_seconds',
      help: 'Seconds for which a partition has not moved although there are records to read; 0 when there are none.',
      labelNames: ['topic', 'partition'],
      aggregator: 'max',
      registers,
    }),
    deadLetters: counter(
      'dead_letters_total',
      'Records that could not be read, once their dead letters are durable.',
      ['reason'],
    ),
    sourceRecords: counter(
      'source_records_total',
      'Records of the topics in kafka.sources, once what came of them is durable: translated, ignored, dead_letter.',
      ['topic', 'result'],
    ),
    refusedSettings: counter('refused_settings_total', 'Control events with a bad key or value.'),
    faults: counter('detection_faults_total', 'Events at which detection itself failed: a bug.'),
    rebalances: counter('rebalances_total', 'Changes of the partitions that this worker owns.'),
    interruptions: counter(
      'partition_interruptions_total',
      'Times the work on a partition restarted from the last commit, because a write failed or its owner changed.',
    ),
    recoveryDuration: new Histogram({
      name: 'loopwatch_recovery_duration_seconds',
      help: 'From a partition assigned to its first new record: fencing, restored sessions, replay.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
  };
}
