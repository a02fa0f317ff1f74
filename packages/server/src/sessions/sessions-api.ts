import { type SessionDetail, sessionFilterSchema, sessionSorts } from '@loopwatch/contract/api';
import type { Database, Queryable } from '@loopwatch/storage';
import { type RequestHandler, Router } from 'express';
import { parseListQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { listIncidents } from '../incidents/list-incidents.ts';
import { listSessions } from './list-sessions.ts';
import { requireSession } from './read-sessions.ts';

const MAX_INCIDENTS = 200;

export interface SessionsApiOptions {
  readonly database: Database;
  /** Answers `DELETE`. */
  readonly erase: { readonly matching: RequestHandler; readonly one: RequestHandler<{ id: string }> };
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `/sessions` and `/sessions/:id`. */
export function sessionsApi({ database, erase, now }: SessionsApiOptions): Router {
  const router = Router();
  router
    .route('/sessions')
    .get(async (request, response) => {
      const { filter, ...page } = parseListQuery(request.query, sessionFilterSchema, sessionSorts);
      response.json(await listSessions(database, filter, { ...page, now: now() }));
    })
    .delete(erase.matching)
    .all(methodNotAllowed('GET, DELETE'));
  router
    .route('/sessions/:id')
    .get(async (request, response) => {
      response.json(await sessionDetail(database, request.params.id, now()));
    })
    .delete(erase.one)
    .all(methodNotAllowed('GET, DELETE'));
  return router;
}

/** @throws HttpProblem 404 */
export async function sessionDetail(database: Queryable, id: string, now: number): Promise<SessionDetail> {
  const session = await requireSession(database, id, now);
  const { items: incidentItems } = await listIncidents(
    database,
    { sessionId: [id] },
    { sort: { by: 'detectedAt', descending: true }, limit: MAX_INCIDENTS, cursor: undefined, now },
  );
  const [overrides] = await database.query<{ values: Record<string, unknown> }>(
    'select values from settings where scope = $1',
    [`session:${id}`],
  );
  const [children] = await database.query<{ count: number }>(
    'select count(*)::float8 as count from sessions where parent = $1 and id <> $1',
    [id],
  );
  const subAgents = children?.count ?? 0;
  return {
    ...session,
    incidentItems,
    settings: overrides?.values ?? {},
    ...(subAgents > 0 && { subAgents }),
  };
}
