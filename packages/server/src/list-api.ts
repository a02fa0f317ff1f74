import { Router } from 'express';
import { z } from 'zod';
import { type IncidentStore, newestFirst } from './incident-store.ts';
import { decodeCursor, page } from './paging.ts';
import { HttpProblem, methodNotAllowed } from './problem.ts';
import { incidentFilters, matches, parseListQuery, verdictFilters } from './query.ts';
import type { VerdictLog } from './verdict-log.ts';

const incidentPosition = z.object({ detectedAt: z.number(), id: z.string() });
const verdictPosition = z.object({ sequence: z.int() });

export interface ListApiOptions {
  readonly store: IncidentStore;
  readonly log: VerdictLog;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `GET /incidents`, `/incidents/:id`, `/verdicts`, `/stats`: what the server has read so far. */
export function listApi({ store, log, now }: ListApiOptions): Router {
  const router = Router();

  router
    .route('/incidents')
    .get((request, response) => {
      const { filters, limit, cursor } = parseListQuery(request.query, incidentFilters);
      const after = decodeCursor(cursor, incidentPosition);
      const rows = store.rows().filter((row) => matches(row, filters));
      const found = page(
        rows,
        { limit, after },
        ({ detectedAt, id }) => ({ detectedAt, id }),
        (row, position) => newestFirst(position, row) < 0,
      );
      const items = found.items.flatMap(({ id }) => store.get(id) ?? []);
      response.json({ items, nextCursor: found.nextCursor });
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/incidents/:id')
    .get((request, response) => {
      const incident = store.get(request.params.id);
      if (incident === undefined) {
        throw new HttpProblem(
          404,
          `There is no incident ${request.params.id}; old ones are dropped to bound memory`,
        );
      }
      response.json(incident);
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/verdicts')
    .get((request, response) => {
      const { filters, limit, cursor } = parseListQuery(request.query, verdictFilters);
      const after = decodeCursor(cursor, verdictPosition);
      const logged = log.newestFirst().filter(({ verdict }) => matches(verdict, filters));
      const found = page(
        logged,
        { limit, after },
        ({ sequence }) => ({ sequence }),
        (item, position) => item.sequence < position.sequence,
      );
      response.json({ items: found.items.map(({ verdict }) => verdict), nextCursor: found.nextCursor });
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/stats')
    .get((_request, response) => {
      response.json(store.stats(now()));
    })
    .all(methodNotAllowed('GET'));

  return router;
}
