import type { IncomingMessage } from 'node:http';
import { erasureQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { RequestHandler } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { parseQuery } from '../http/parse-query.ts';
import { badRequest } from '../http/problem.ts';
import type { SessionErasure } from './erasure.ts';
import { sessionsMatching } from './select-sessions.ts';

export interface ErasureApiOptions {
  readonly database: Database;
  readonly erasure: Pick<SessionErasure, 'erase'>;
  readonly audit: Pick<AuditLog, 'originOf'>;
}

/** `DELETE /sessions` and `DELETE /sessions/:id`. */
export function erasureHandlers({ database, erasure, audit }: ErasureApiOptions): {
  readonly matching: RequestHandler;
  readonly one: RequestHandler<{ id: string }>;
} {
  const erase = (request: IncomingMessage, subject: string, ids: readonly string[]) =>
    erasure.erase(ids, { subject, by: audit.originOf(request) });
  return {
    matching: async (request, response) => {
      const query = parseQuery(request.query, erasureQuerySchema);
      const { tenant, tag } = query;
      if ((tenant === undefined) === (tag === undefined))
        throw badRequest({
          parameter: 'tenant',
          detail: 'pass either tenant=NAME or tag=NAME:VALUE; for one session, DELETE /api/v1/sessions/ID',
        });
      const subject = tenant === undefined ? `tag:${tag ?? ''}` : `tenant:${tenant}`;
      response.json(await erase(request, subject, await sessionsMatching(database, query)));
    },
    one: async (request, response) => {
      const { id } = request.params;
      response.json(await erase(request, `session:${id}`, [id]));
    },
  };
}
