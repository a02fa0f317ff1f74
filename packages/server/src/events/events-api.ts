import { postedEventsQuerySchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
import type { EventIngest } from './event-ingest.ts';
import { readBody } from './read-body.ts';

/** What says that a body is one event a line. */
const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** `POST /events`: for producers without Kafka. */
export function eventsApi(bodies: EventIngest): Router {
  const router = Router();
  router
    .route('/events')
    .post(async (request, response) => {
      const { format = 'auto', session } = parseQuery(request.query, postedEventsQuerySchema);
      const areLines = typeof request.is(lineTypes) === 'string';
      response.status(202).json(await bodies.take(readBody(request), { format, session, areLines }));
    })
    .all(methodNotAllowed('POST'));
  return router;
}
