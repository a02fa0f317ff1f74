import { erasureQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { type RequestHandler, Router } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { parseQuery } from '../http/parse-query.ts';
import { badRequest } from '../http/problem.ts';
import type { SessionErasure } from './erasure.ts';
import { sessionsMatching } from './select-sessions.ts';

export interface ErasureApiOptions {
  readonly database: Database;
  readonly erasure: Pick<SessionErasure, 'erase'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** `DELETE /sessions` and `DELETE /sessions/:id`; the other methods are those of the sessions. */
export function erasureApi({ database, erasure, audit }: ErasureApiOptions): Router {
  const router = Router();
  const erase = async (request: Parameters<RequestHandler>[0], subject: string, ids: readonly string[]) => {
    const result = await erasure.erase(ids);
    const { sessions, incidents, messages, records } = result;
    await audit.record(request, 'session.erased', subject, { sessions, incidents, messages, records });
    return result;
  };
  router.delete('/sessions', async (request, response) => {
    const query = parseQuery(request.query, erasureQuerySchema);
    const { tenant, tag } = query;
    if ((tenant === undefined) === (tag === undefined))
      throw badRequest({
        parameter: 'tenant',
        detail: 'pass either tenant=NAME or tag=NAME:VALUE; for one session, DELETE /api/v1/sessions/ID',
      });
    const subject = tenant === undefined ? `tag:${tag ?? ''}` : `tenant:${tenant}`;
    response.json(await erase(request, subject, await sessionsMatching(database, query)));
  });
  router.delete('/sessions/:id', async (request, response) => {
    const { id } = request.params;
    response.json(await erase(request, `session:${id}`, [id]));
  });
  return router;
}
