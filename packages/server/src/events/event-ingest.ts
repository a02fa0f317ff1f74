import type { PostedEvents } from '@loopwatch/contract/api';
import { type Copies, TelemetryMemory } from '@loopwatch/formats';
import { LogError, type RecordSink } from '@loopwatch/log';

import { HttpProblem, logFull } from '../http/problem.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { BufferLimit } from './buffer-limit.ts';
import { EventCounts, RecentIds } from './event-counts.ts';
import {
  type BodyFormat,
  type IngestOptions,
  type IngestResult,
  ingestBody,
  TimeSlicer,
} from './ingest-body.ts';
import type { LogWriteHealth } from './log-write-health.ts';
import type { Rejection } from './read-event.ts';

export interface EventIngestOptions {
  readonly sink: RecordSink;
  readonly copies: Copies;
  /** The topic of agent events. */
  readonly topic: string;
  readonly metrics: ServerMetrics;
  readonly logWriteHealth: LogWriteHealth;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called with each valid event. */
  readonly onEvent: IngestOptions['onEvent'];
}

/** Writes posted events to the log; its limits apply to all requests together. */
export class EventIngest {
  readonly #options: EventIngestOptions;
  readonly #buffer = new BufferLimit();
  readonly #slicer = new TimeSlicer();
  readonly #recentIds = new RecentIds();
  readonly #memory = new TelemetryMemory();
  /** Wall clock at which events were last accepted, epoch ms; null before the first. */
  lastAcceptedAt: number | null = null;

  constructor(options: EventIngestOptions) {
    this.#options = options;
  }

  /**
   * Valid events are accepted even when others of the body are rejected.
   *
   * @throws HttpProblem when not everything could be accepted; its body carries the same counts
   */
  async ingest(chunks: AsyncGenerator<Buffer>, format: BodyFormat): Promise<PostedEvents> {
    const { metrics, logWriteHealth, ...options } = this.#options;
    const { reserve, release } = this.#buffer.admit();
    try {
      const counts = new EventCounts(this.#recentIds, metrics.postedEvents);
      const { failure, unread } = await ingestBody(chunks, {
        ...options,
        ...format,
        memory: this.#memory,
        onAccepted: (at) => {
          this.lastAcceptedAt = at;
        },
        slicer: this.#slicer,
        clock: () => performance.now(),
        reserve,
        counts,
      });
      const response = counts.toResponse();
      if (failure !== undefined) {
        counts.addFailed(failure.events);
        if (failure.error instanceof LogError && failure.error.code === 'log_full')
          throw logFull(failure.error, { ...response, retryFromLine: failure.line });
        logWriteHealth.onFailure(failure.error, failure.events);
        throw logUnavailable(response, failure.line);
      }
      if (counts.hasUsable) logWriteHealth.onSuccess();
      if (unread !== undefined) throw partlyRead(response, unread, counts.hasUsable);
      if (!counts.hasUsable) throw nothingUsable(response);
      return response;
    } finally {
      release();
    }
  }
}

function logUnavailable(response: PostedEvents, line: number): HttpProblem {
  const written = response.accepted + response.duplicates > 0 ? ' Earlier events were accepted.' : '';
  const detail = `The event log could not write the events from line ${String(line)} onward.${written} Retry from line ${String(line)}`;
  return new HttpProblem(503, detail, { ...response, retryFromLine: line }, undefined, {
    'retry-after': '5',
  });
}

function partlyRead(
  response: PostedEvents,
  { fromLine, problem }: NonNullable<IngestResult['unread']>,
  hasUsable: boolean,
): HttpProblem {
  const { message, status, cause, headers } = problem;
  const outcome = hasUsable
    ? `Events before line ${String(fromLine)} were accepted, the rest were not`
    : 'No event was accepted';
  return new HttpProblem(
    // A body without a single event is a bad request, however long it is.
    status === 422 && !hasUsable ? 400 : status,
    `${message}. ${outcome}`,
    { ...response, unreadFromLine: fromLine },
    cause,
    headers,
  );
}

const statuses: Partial<Record<Rejection['code'], number>> = {
  too_large: 413,
  too_complex: 422,
  not_allowed: 403,
};

function nothingUsable(response: PostedEvents): HttpProblem {
  const [first] = response.rejected;
  if (first === undefined) {
    const detail = 'The body is empty: send one JSON event, an array of events, or one event per line';
    return new HttpProblem(400, detail, { ...response });
  }
  const total = response.rejectedTotal ?? response.rejected.length;
  const subject =
    total === 1 ? 'The event was rejected' : `All ${String(total)} events were rejected; the first`;
  const detail = `${subject}: line ${String(first.line)}: ${first.detail}`;
  return new HttpProblem(statuses[first.code] ?? 400, detail, { ...response });
}
