import type { FormatName } from '@loopwatch/contract';
import type { PostedEvents } from '@loopwatch/contract/api';
import type { RecordSink } from '@loopwatch/log';
import type { Guard } from '../guard/guard.ts';
import { HttpProblem } from '../http/problem.ts';
import type { ServerMetrics } from '../metrics.ts';
import { BufferLimit } from './buffer-limit.ts';
import { EventCounts } from './event-counts.ts';
import { type IngestResult, ingestBody } from './ingest-body.ts';
import type { LogWriteHealth } from './log-write-health.ts';
import type { Rejection } from './read-event.ts';
import { RecentIds } from './recent-ids.ts';
import { TimeSlicer } from './time-slicer.ts';

export interface EventIngestOptions {
  readonly sink: RecordSink;
  /** The topic of agent events. */
  readonly topic: string;
  readonly metrics: ServerMetrics;
  readonly intake: LogWriteHealth;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Follows sessions whose agents ask before they call. */
  readonly guard: Pick<Guard, 'follow'>;
  /** Called with the wall clock when events were accepted. */
  readonly onAccepted: (at: number) => void;
}

/** How a body is to be read. */
export interface BodyFormat {
  readonly format: FormatName | 'auto';
  /** The session of records of a format that names none. */
  readonly session?: string | undefined;
  /** Whether it says that it is lines. */
  readonly areLines: boolean;
}

/** Takes the events of posted bodies, all requests together. */
export class EventIngest {
  readonly #options: EventIngestOptions;
  readonly #held = new BufferLimit();
  readonly #turns = new TimeSlicer();
  readonly #recent = new RecentIds();

  constructor(options: EventIngestOptions) {
    this.#options = options;
  }

  /**
   * Good events are taken even when others are refused.
   *
   * @throws HttpProblem where nothing, or not everything, could be taken; its body has the same counts
   */
  async take(chunks: AsyncGenerator<Buffer>, form: BodyFormat): Promise<PostedEvents> {
    const { metrics, intake, guard, ...options } = this.#options;
    const { hold, leave } = this.#held.enter();
    try {
      const counts = new EventCounts(this.#recent, metrics.postedEvents);
      const { failure, unread } = await ingestBody(chunks, {
        ...options,
        ...form,
        onEvent: (sessionId, event) => {
          guard.follow(sessionId, event);
        },
        turns: this.#turns,
        hold,
        counts,
      });
      const answer = counts.answer();
      if (failure !== undefined) {
        counts.failed(failure.events);
        intake.failed(failure.error, failure.events);
        throw unavailable(answer, failure.line);
      }
      if (counts.hasUsable) intake.succeeded();
      if (unread !== undefined) throw unfinished(answer, unread, counts.hasUsable);
      if (!counts.hasUsable) throw nothingUsable(answer);
      return answer;
    } finally {
      leave();
    }
  }
}

function unavailable(answer: PostedEvents, line: number): HttpProblem {
  const taken = answer.accepted + answer.duplicates > 0 ? 'Those before it are taken. ' : '';
  const detail = `The event log did not take the events from line ${String(line)} on. ${taken}Send line ${String(line)} and those behind it again`;
  return new HttpProblem(503, detail, { ...answer, retryFromLine: line }, undefined, { 'retry-after': '5' });
}

function unfinished(
  answer: PostedEvents,
  { fromLine, problem }: NonNullable<IngestResult['unread']>,
  hasUsable: boolean,
): HttpProblem {
  const { message, status, cause, headers } = problem;
  const what = hasUsable
    ? `Nothing from line ${String(fromLine)} on was taken; the events before it are`
    : 'Nothing of it was taken';
  return new HttpProblem(
    // That there was too much of it is no news where none of it was an event.
    status === 422 && !hasUsable ? 400 : status,
    `${message}. ${what}`,
    { ...answer, unreadFromLine: fromLine },
    cause,
    headers,
  );
}

const statuses: Partial<Record<Rejection['code'], number>> = {
  too_large: 413,
  too_complex: 422,
};

function nothingUsable(answer: PostedEvents): HttpProblem {
  const [first] = answer.rejected;
  if (first === undefined) {
    return new HttpProblem(
      400,
      'The body is empty: send one JSON event, an array of events, or one event a line',
      {
        ...answer,
      },
    );
  }
  const total = answer.rejectedTotal ?? answer.rejected.length;
  const what = total === 1 ? 'The event was refused' : `All ${String(total)} events were refused; the first`;
  const detail = `${what}: line ${String(first.line)}: ${first.detail}`;
  return new HttpProblem(statuses[first.code] ?? 400, detail, { ...answer });
}
