import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ClientMetrics } from './client-metrics.ts';

/** The gateway's metrics. Label values come from closed or bounded sets, never from ids. */
export interface GatewayMetrics {
  readonly requests: Counter<'api' | 'outcome'>;
  readonly upstreamFailures: Counter<'failure'>;
  readonly addedLatency: Histogram<'api'>;
  readonly client: ClientMetrics;
  readonly unjudged: Counter<'reason'>;
  readonly faults: Counter;
  readonly toolCalls: Counter;
  readonly verdicts: Counter<'detector' | 'phase' | 'action'>;
  readonly warnings: Counter;
  readonly blocks: Counter;
  readonly mitigations: Counter<'outcome'>;
  readonly evictedSessions: Counter<'reason'>;
  readonly published: Counter;
  readonly dropped: Counter;
  readonly storageFailures: Counter<'work'>;
  readonly storageDropped: Counter<'what'>;
}

/** How a request ended. */
export type RequestOutcome =
  | 'passed'
  | 'blocked'
  | 'limited'
  | 'command'
  | 'refused'
  | 'upstream_failed'
  | 'client_gone';

export function createGatewayMetrics(registry: Registry): GatewayMetrics {
  const registers = [registry];
  const counter = <L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
  ): Counter<L> => new Counter({ name: `loopwatch_${name}`, help, labelNames, registers });
  return {
    requests: counter('gateway_requests_total', 'Requests, by API and outcome.', ['api', 'outcome']),
    upstreamFailures: counter(
      'gateway_upstream_failures_total',
      'Upstream responses that failed or were incomplete.',
      ['failure'],
    ),
    addedLatency: new Histogram({
      name: 'loopwatch_gateway_added_latency_seconds',
      help: 'Time from the last byte of a request until it is forwarded, which the gateway adds to the first byte.',
      labelNames: ['api'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    client: new ClientMetrics(registry),
    unjudged: counter(
      'gateway_unjudged_total',
      'Requests, replies and calls passed through unjudged: path, too_large, encoded, malformed, background, call.',
      ['reason'],
    ),
    faults: counter('detection_faults_total', 'Events on which detection failed: a bug in Loopwatch.'),
    toolCalls: counter('tool_calls_total', 'Tool calls processed.'),
    verdicts: counter('verdicts_total', 'Verdicts given.', ['detector', 'phase', 'action']),
    warnings: counter('warnings_total', 'Warnings issued: verdicts with action warn or chance.'),
    blocks: counter('blocks_total', 'Blocks applied: verdicts with action block.'),
    mitigations: counter('mitigations_total', 'How chances ended: recovered or blocked.', ['outcome']),
    evictedSessions: counter('evicted_sessions_total', 'Sessions evicted: idle, lru (session limit).', [
      'reason',
    ]),
    published: counter('gateway_published_records_total', 'Events and verdicts written to the event log.'),
    dropped: counter(
      'gateway_dropped_records_total',
      'Events and verdicts lost because the event log was unavailable for too long.',
    ),
    storageFailures: counter(
      'gateway_storage_failures_total',
      'Failed database operations; requests continue without the database.',
      ['work'],
    ),
    storageDropped: counter(
      'gateway_storage_dropped_total',
      'Sessions, replies and messages lost because the database was unavailable for too long.',
      ['what'],
    ),
  };
}

/** Sizes read when the metrics are scraped. */
export interface GatewaySizes {
  readonly activeSessions: () => number;
  readonly bufferedRecords: () => number;
  readonly waitingRows: () => number;
}

export function registerGatewayGauges(registry: Registry, sizes: GatewaySizes): void {
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: `loopwatch_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('active_sessions', 'Sessions in memory.', sizes.activeSessions);
  gauge('gateway_buffered_records', 'Records waiting for the event log.', sizes.bufferedRecords);
  gauge(
    'gateway_storage_waiting_rows',
    'Sessions, replies and messages waiting for the database.',
    sizes.waitingRows,
  );
}
