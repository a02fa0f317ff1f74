import { postedEventsQuerySchema } from '@loopwatch/contract/api';
import { type Request, Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { userOf } from '../security/user.ts';
import { structured } from './binary-cloud-event.ts';
import type { EventIngest } from './event-ingest.ts';
import { readBody } from './read-body.ts';

const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** `POST /events`: for producers without Kafka. */
export function eventsApi(ingest: EventIngest): Router {
  const router = Router();
  router
    .route('/events')
    .post(async (request, response) => {
      const { format = 'auto', session } = parseQuery(request.query, postedEventsQuerySchema);
      const isNdjson = typeof request.is(ndjsonTypes) === 'string';
      const body = structured(readBody(request), request.headers);
      // Who reports what an agent does must not be able to switch off what watches it.
      const mayControl = userOf(request)?.role !== 'producer';
      try {
        response.status(202).json(await ingest.ingest(body, { format, session, isNdjson, mayControl }));
      } catch (error) {
        throw isForm(request) ? withoutLineEnds(error) : error;
      }
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** Whether curl sent it with its option -d. */
function isForm(request: Request): boolean {
  return request.is('application/x-www-form-urlencoded') !== false;
}

/** Several events on one line are what curl makes of a file of events. */
function withoutLineEnds(error: unknown): unknown {
  if (!(error instanceof HttpProblem) || !error.message.includes('after JSON')) return error;
  const hint = '`curl -d @FILE` removes the line ends of a file: use --data-binary';
  return new HttpProblem(error.status, `${error.message}. ${hint}`, error.extra);
}
