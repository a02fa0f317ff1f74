import { proposedCallSchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import { exactBody, parseBody } from '../http/parse-body.ts';
import { methodNotAllowed } from '../http/problem.ts';
import type { Guard } from './guard.ts';

/** `POST /decide`: decides a call before it runs; records nothing. */
export function decideApi(guard: Guard): Router {
  const router = Router();
  router
    .route('/decide')
    .post(exactBody(), async (request, response) => {
      response.json(await guard.decide(parseBody(request, proposedCallSchema)));
    })
    .all(methodNotAllowed('POST'));
  return router;
}
