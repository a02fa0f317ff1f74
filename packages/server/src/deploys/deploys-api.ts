import { deployPostSchema, deployQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { parseQuery } from '../http/parse-query.ts';
import { badRequest, HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import { listDeploys } from './list-deploys.ts';
import { addDeploy, removeDeploy } from './write-deploys.ts';

const MAX_DEPLOYS = 200;
/** Clocks differ, but a deploy of tomorrow has a wrong unit or day. */
const MAX_AHEAD_MS = 3_600_000;

export interface DeploysApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `/deploys` and `/deploys/:id`. */
export function deploysApi({ database, now }: DeploysApiOptions): Router {
  const router = Router();
  router
    .route('/deploys')
    .get(async (request, response) => {
      const query = parseQuery(request.query, deployQuerySchema);
      response.json({ items: await listDeploys(database, query, MAX_DEPLOYS) });
    })
    .post(jsonBody(), async (request, response) => {
      const post = parseBody(request, deployPostSchema);
      const at = now();
      if (post.at !== undefined && post.at > at + MAX_AHEAD_MS)
        throw badRequest({ path: 'at', detail: 'is in the future; it takes milliseconds since 1970' });
      response.status(201).json(await addDeploy(database, post, userName(request), at));
    })
    .all(methodNotAllowed('GET, POST'));
  router
    .route('/deploys/:id')
    .delete(async (request, response) => {
      const { id } = request.params;
      if (!(await removeDeploy(database, id)))
        throw new HttpProblem(
          404,
          `No posted deploy ${id}; those that were seen in sessions cannot be deleted`,
        );
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));
  return router;
}
