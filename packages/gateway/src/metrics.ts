import { Counter, Gauge, type Registry } from 'prom-client';

/** Every metric of the gateway, by name and meaning in one place. Label values come from closed sets, never from ids. */
export interface GatewayMetrics {
  readonly requests: Counter<'api' | 'outcome'>;
  readonly upstreamFailures: Counter<'failure'>;
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

/** What became of a request. */
export type Outcome =
  | 'passed'
  | 'blocked'
  | 'limited'
  | 'command'
  | 'refused'
  | 'upstream_failed'
  | 'client_gone';

/** @param now what is asked for when metrics are read */
export function createGatewayMetrics(
  registry: Registry,
  now: {
    readonly activeSessions: () => number;
    readonly bufferedRecords: () => number;
    readonly waitingRows: () => number;
  },
): GatewayMetrics {
  const registers = [registry];
  const counter = <L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
  ): Counter<L> => new Counter({ name: `loopwatch_${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: `loopwatch_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('active_sessions', 'Sessions in memory.', now.activeSessions);
  gauge('gateway_buffered_records', 'Records that wait for the event log.', now.bufferedRecords);
  gauge(
    'gateway_storage_waiting_rows',
    'Sessions, answers and messages that wait for the database.',
    now.waitingRows,
  );
  return {
    requests: counter('gateway_requests_total', 'Requests by API and by what became of them.', [
      'api',
      'outcome',
    ]),
    upstreamFailures: counter('gateway_upstream_failures_total', 'Answers that did not come, or not whole.', [
      'failure',
    ]),
    unjudged: counter(
      'gateway_unjudged_total',
      'Requests and answers that went on without a look: path, too_large, encoded, malformed.',
      ['reason'],
    ),
    faults: counter('detection_faults_total', 'Events at which detection itself failed: a bug.'),
    toolCalls: counter('tool_calls_total', 'Tool calls processed.'),
    verdicts: counter('verdicts_total', 'Verdicts given.', ['detector', 'phase', 'action']),
    warnings: counter('warnings_total', 'Warnings issued: verdicts with action warn or chance.'),
    blocks: counter('blocks_total', 'Blocks applied: verdicts with action block.'),
    mitigations: counter('mitigations_total', 'What came of a chance: recovered or blocked.', ['outcome']),
    evictedSessions: counter('evicted_sessions_total', 'Sessions freed: idle, lru (for want of room).', [
      'reason',
    ]),
    published: counter('gateway_published_records_total', 'Events and verdicts written to the event log.'),
    dropped: counter(
      'gateway_dropped_records_total',
      'Events and verdicts lost, because the event log could not be reached for too long.',
    ),
    storageFailures: counter(
      'gateway_storage_failures_total',
      'Times that the database could not be used; requests go on without.',
      ['work'],
    ),
    storageDropped: counter(
      'gateway_storage_dropped_total',
      'Sessions, answers and messages that were not stored, because the database was away for too long.',
      ['what'],
    ),
  };
}
