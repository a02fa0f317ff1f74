import type { VerdictSink } from '@loopwatch/log';
import express, { Router } from 'express';
import type { Logger } from 'pino';
import { HttpProblem, methodNotAllowed } from './http/problem.ts';
import type { ServerMetrics } from './metrics.ts';
import { readPostedEvents } from './posted-events.ts';

export const BODY_LIMIT = '20mb';
/** Errors that one answer lists; the rest is counted. */
const LISTED_ERRORS = 100;

export interface EventsApiOptions {
  readonly sink: VerdictSink;
  /** The topic of agent events. */
  readonly topic: string;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called with the wall clock when events were accepted. */
  readonly onAccepted: (at: number) => void;
}

/** `POST /events`: for producers without Kafka. Good lines are taken even when others are refused. */
export function eventsApi({ sink, topic, metrics, logger, now, onAccepted }: EventsApiOptions): Router {
  const router = Router();
  // Bodies are read whatever their content type says: `curl --data-binary` claims to send a form.
  const body = express.text({ type: () => true, limit: BODY_LIMIT });

  router
    .route('/events')
    .post(body, async (request, response) => {
      const text: unknown = request.body;
      const { records, errors } = readPostedEvents(typeof text === 'string' ? text : '', topic, now());
      if (records.length === 0 && errors.length === 0) {
        throw new HttpProblem(400, 'The body is empty: send one JSON event, or one event a line', {
          accepted: 0,
        });
      }
      metrics.postedEvents.inc({ result: 'rejected' }, errors.length);
      if (records.length > 0) {
        try {
          await sink.publish(records);
        } catch (error) {
          metrics.postedEvents.inc({ result: 'failed' }, records.length);
          logger.error({ err: error, events: records.length }, 'the log did not take posted events');
          throw new HttpProblem(
            503,
            'The event log did not take the events; none or some are in it: send them again',
            {
              accepted: 0,
            },
          );
        }
        metrics.postedEvents.inc({ result: 'accepted' }, records.length);
        onAccepted(now());
      }
      if (errors.length > 0) {
        const refused = `${String(errors.length)} of ${String(errors.length + records.length)} events were refused`;
        throw new HttpProblem(400, `${refused}; the others were accepted`, {
          accepted: records.length,
          rejected: errors.length,
          errors: errors.slice(0, LISTED_ERRORS),
        });
      }
      response.status(202).json({ accepted: records.length });
    })
    .all(methodNotAllowed('POST'));

  return router;
}
