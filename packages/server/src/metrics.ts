import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What the server itself measures; detection is measured by the worker. Label values come from closed sets. */
export interface ServerMetrics {
  readonly verdicts: Counter<'result'>;
  readonly postedEvents: Counter<'result'>;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly liveClients: Gauge;
  readonly incidents: Counter<'change'>;
  readonly liveDropped: Counter;
}

export function createServerMetrics(registry: Registry): ServerMetrics {
  const registers = [registry];
  return {
    verdicts: new Counter({
      name: 'loopwatch_server_verdicts_read_total',
      help: 'Records of the verdict topic by what they did: stored, duplicate, unreadable.',
      labelNames: ['result'],
      registers,
    }),
    postedEvents: new Counter({
      name: 'loopwatch_server_posted_events_total',
      help: 'Events sent to POST /api/v1/events: accepted, rejected, failed (the log did not take them).',
      labelNames: ['result'],
      registers,
    }),
    requests: new Histogram({
      name: 'loopwatch_server_http_request_duration_seconds',
      help: 'HTTP requests by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
      registers,
    }),
    incidents: new Counter({
      name: 'loopwatch_server_incidents_total',
      help: 'Incidents written by what verdicts did to them: opened, changed.',
      labelNames: ['change'],
      registers,
    }),
    liveDropped: new Counter({
      name: 'loopwatch_server_live_dropped_total',
      help: 'Changes that dashboards were not told one by one because there were too many at once.',
      registers,
    }),
    liveClients: new Gauge({
      name: 'loopwatch_server_live_clients',
      help: 'Dashboards connected to the namespace /live.',
      registers,
    }),
  };
}
