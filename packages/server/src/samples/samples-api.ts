import { samplesPutSchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { SampleSessions } from './sample-sessions.ts';

export interface SamplesApiOptions {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly samples: Pick<SampleSessions, 'state' | 'setPlaying' | 'remove'>;
}

/** `/samples`. */
export function samplesApi({ samples, audit }: SamplesApiOptions): Router {
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
    .delete(async (request, response) => {
      await samples.remove();
      await audit.record(request, 'samples.removed', 'samples');
      response.json(await samples.state());
    })
    .all(methodNotAllowed('GET, PUT, DELETE'));
  return router;
}
