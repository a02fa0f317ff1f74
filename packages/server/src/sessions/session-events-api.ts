import { sessionEventsQuerySchema } from '@loopwatch/contract/api';
import type { RecordReader } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { badRequest, HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { incidentDetail } from '../incidents/read-incidents.ts';
import { sessionItems } from './read-sessions.ts';
import { sessionEvents } from './session-events.ts';

export interface SessionEventsApiOptions {
  readonly database: Database;
  readonly records: RecordReader;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `GET /sessions/:id/events`. */
export function sessionEventsApi({ database, records, now }: SessionEventsApiOptions): Router {
  const router = Router();
  router
    .route('/sessions/:id/events')
    .get(async (request, response) => {
      const { id } = request.params;
      const query = parseQuery(request.query, sessionEventsQuerySchema);
      const ways = [query.after, query.before, query.end, query.around].filter((way) => way !== undefined);
      if (ways.length > 1) throw new HttpProblem(400, 'Give one of after, before, end and around');
      const [session] = await sessionItems(database, [id], now());
      if (session === undefined) throw new HttpProblem(404, `There is no session ${id}`);
      const around =
        query.around === undefined ? undefined : await placeOf(database, id, query.around, now());
      try {
        response.json(await sessionEvents(records, { session, query, around }));
      } catch (error) {
        if (error instanceof HttpProblem) throw error;
        throw new HttpProblem(503, 'The event log could not be read; try again shortly', {}, error);
      }
    })
    .all(methodNotAllowed('GET'));
  return router;
}

async function placeOf(
  database: Database,
  sessionId: string,
  incidentId: string,
  now: number,
): Promise<{ offset: number; index: number }> {
  const incident = await incidentDetail(database, incidentId, now);
  if (incident?.sessionId !== sessionId || incident.source === null) {
    const detail = `${incidentId} is no incident of this session that says where its events lie`;
    throw badRequest({ parameter: 'around', detail });
  }
  return { offset: Number(incident.source.offset), index: incident.lastEventIndex };
}
