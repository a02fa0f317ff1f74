import { postedEventsQuerySchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
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
      response.status(202).json(await ingest.ingest(body, { format, session, isNdjson, mayControl }));
    })
    .all(methodNotAllowed('POST'));
  return router;
}
