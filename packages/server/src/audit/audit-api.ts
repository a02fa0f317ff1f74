import { auditFilterSchema, auditSorts } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { parseListQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { listAudit } from './audit-log.ts';

/** `/audit`. */
export function auditApi({ database }: { readonly database: Database }): Router {
  const router = Router();
  router
    .route('/audit')
    .get(async (request, response) => {
      const { filter, ...paging } = parseListQuery(request.query, auditFilterSchema, auditSorts);
      response.json(await listAudit(database, filter, paging));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
