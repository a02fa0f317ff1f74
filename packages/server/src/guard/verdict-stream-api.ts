import { Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { VerdictStreams } from './verdict-streams.ts';

/** `GET /sessions/:id/verdicts/stream`: also of a session that has sent no event yet. */
export function verdictStreamApi(streams: VerdictStreams): Router {
  const router = Router();
  router
    .route('/sessions/:id/verdicts/stream')
    .get(async (request, response) => {
      if (streams.isFull)
        throw new HttpProblem(503, 'Too many streams of verdicts are open; try again shortly');
      await streams.open(request, response, request.params.id);
    })
    .all(methodNotAllowed('GET'));
  return router;
}
