import { samplesPutSchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { SampleSessions } from './sample-sessions.ts';

export interface SamplesApiOptions {
  readonly samples: Pick<SampleSessions, 'state' | 'setPlaying' | 'remove'>;
}

/** `/samples`. */
export function samplesApi({ samples }: SamplesApiOptions): Router {
  const router = Router();
  router
    .route('/samples')
    .get(async (_request, response) => {
      response.json(await samples.state());
    })
    .put(jsonBody(), async (request, response) => {
      const { playing } = parseBody(request, samplesPutSchema);
      if (playing && !(await samples.state()).available) {
        throw new HttpProblem(
          409,
          'This server has no sample sessions: run `loopwatch start` without --no-samples',
        );
      }
      await samples.setPlaying(playing);
      response.json(await samples.state());
    })
    .delete(async (_request, response) => {
      await samples.remove();
      response.json(await samples.state());
    })
    .all(methodNotAllowed('GET, PUT, DELETE'));
  return router;
}
