import { type PostedEvents, postedEventsQuerySchema } from '@loopwatch/contract/api';
import type { VerdictSink } from '@loopwatch/log';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { ServerMetrics } from '../metrics.ts';
import { HeldBodies } from './held-bodies.ts';
import type { Intake } from './intake.ts';
import { limits } from './limits.ts';
import { readBody } from './read-body.ts';
import { isKnownType, type PostedEvent, type Rejection, readEvents } from './read-events.ts';
import { RecentIds } from './recent-ids.ts';
import { Turns } from './turns.ts';
import { writeEvents } from './write-events.ts';

export interface EventsApiOptions {
  readonly sink: VerdictSink;
  /** The topic of agent events. */
  readonly topic: string;
  readonly metrics: ServerMetrics;
  readonly intake: Intake;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called with the wall clock when events were accepted. */
  readonly onAccepted: (at: number) => void;
}

/**
 * `POST /events`: for producers without Kafka. Good lines are taken even when others are refused. Nothing is taken
 * before the body has come whole.
 */
export function eventsApi({ sink, topic, metrics, intake, now, onAccepted }: EventsApiOptions): Router {
  const router = Router();
  const held = new HeldBodies();
  const turns = new Turns();
  const recent = new RecentIds();

  router
    .route('/events')
    .post(async (request, response) => {
      parseQuery(request.query, postedEventsQuerySchema);
      const room = held.enter();
      try {
        const body = await readBody(request, limits.bodyBytes, room.add);
        const read = await readEvents(body, { topic, now: now(), turns });
        const written = await writeEvents(sink, read.events);
        const outcome = sumUp(written.events, recent);
        const rejectedTotal = read.rejectedTotal + written.rejected.length;
        const rejected = [...read.rejected, ...written.rejected].slice(0, limits.listed);
        count(
          metrics,
          outcome,
          rejectedTotal,
          read.events.length - written.events.length - written.rejected.length,
        );
        const answer: PostedEvents = {
          ...outcome,
          rejected,
          ...(rejectedTotal > rejected.length && { rejectedTotal }),
        };
        if (written.events.length > 0) onAccepted(now());
        if (written.failed !== undefined) {
          const { line, error } = written.failed;
          intake.failed(error, read.events.length - written.events.length);
          throw unavailable(answer, line);
        }
        if (written.events.length > 0) intake.succeeded();
        if (read.unreadFromLine !== undefined) throw tooManyRefused(answer, read.unreadFromLine);
        if (written.events.length === 0) throw nothingUsable(answer);
        response.status(202).json(answer);
      } finally {
        room.leave();
      }
    })
    .all(methodNotAllowed('POST'));

  return router;
}

type Outcome = Pick<PostedEvents, 'accepted' | 'duplicates' | 'ignored'>;

/** What became of events that are in the log. */
function sumUp(events: readonly PostedEvent[], recent: RecentIds): Outcome {
  let accepted = 0;
  let duplicates = 0;
  const ignored = new Map<string, number>();
  for (const event of events) {
    const { id, type } = event;
    if (id !== undefined && recent.has(id)) duplicates += 1;
    else if (isKnownType(event)) accepted += 1;
    else {
      const name = ignored.has(type) || ignored.size < limits.listedTypes ? type.slice(0, 100) : 'other';
      ignored.set(name, (ignored.get(name) ?? 0) + 1);
    }
    if (id !== undefined) recent.add(id);
  }
  return { accepted, duplicates, ignored: Object.fromEntries(ignored) };
}

function count(
  { postedEvents }: ServerMetrics,
  { accepted, duplicates, ignored }: Outcome,
  rejected: number,
  failed: number,
): void {
  const others = Object.values(ignored).reduce((sum, of) => sum + of, 0);
  for (const [result, events] of Object.entries({
    accepted,
    duplicate: duplicates,
    ignored: others,
    rejected,
    failed,
  })) {
    if (events > 0) postedEvents.inc({ result }, events);
  }
}

function unavailable(answer: PostedEvents, line: number): HttpProblem {
  const taken = answer.accepted + answer.duplicates > 0 ? 'Those before it are taken. ' : '';
  const detail = `The event log did not take the events from line ${String(line)} on. ${taken}Send line ${String(line)} and those behind it again`;
  return new HttpProblem(503, detail, { ...answer, retryFromLine: line }, undefined, { 'retry-after': '5' });
}

function tooManyRefused(answer: PostedEvents, line: number): HttpProblem {
  const usable = answer.accepted + answer.duplicates + Object.keys(answer.ignored).length > 0;
  const detail = `${String(limits.refused)} lines before line ${String(line)} are no events, so nothing from there on was read. The events before it are taken; send the rest in another request once it is mended`;
  return new HttpProblem(usable ? 422 : 400, detail, { ...answer, unreadFromLine: line });
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
