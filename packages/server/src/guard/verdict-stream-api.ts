import { Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { VerdictStreams } from './verdict-streams.ts';

/** `GET /sessions/:id/verdicts/stream`; the session need not exist yet. */
export function verdictStreamApi(streams: VerdictStreams): Router {
  const router = Router();
  router
    .route('/sessions/:id/verdicts/stream')
    .get(async (request, response) => {
      if (streams.isFull) throw new HttpProblem(503, 'Too many verdict streams are open; retry shortly');
      await streams.open(request, response, request.params.id);
    })
    // Express would answer with the stream's headers, and keep the response open.
    .head((_request, response) => {
      response.type('text/event-stream').end();
    })
    .all(methodNotAllowed('GET'));
  return router;
}
