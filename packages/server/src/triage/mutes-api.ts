import { randomUUID } from 'node:crypto';
import { type Mute, mutePostSchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { badRequest, HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { IncidentsApiOptions } from '../incidents/incidents-api.ts';
import { userName } from '../security/user.ts';
import { lockChanges } from '../storage/change-lock.ts';
import { addMute, listMutes, removeMute, worstOf } from './write-mutes.ts';

/** `/mutes` and `/mutes/:id`. */
export function mutesApi({ database, now, onTriage }: IncidentsApiOptions): Router {
  const router = Router();
  router
    .route('/mutes')
    .get(async (_request, response) => {
      response.json({ items: await listMutes(database, now()) });
    })
    .post(jsonBody(), async (request, response) => {
      const { cause, until = null, untilEscalates, note } = parseBody(request, mutePostSchema);
      const at = now();
      if (until !== null && until <= at) throw badRequest({ path: 'until', detail: 'is in the past' });
      const by = userName(request);
      const mute = await database.transaction(async (tx): Promise<Mute> => {
        await lockChanges(tx);
        const escalation = untilEscalates === true ? await worstOf(tx, cause) : null;
        if (escalation === undefined)
          throw badRequest({
            path: 'untilEscalates',
            detail: 'no incident has this cause yet, so there is nothing to compare with',
          });
        const created = { id: `m-${randomUUID()}`, cause, until, escalation, note: note || null, by, at };
        await addMute(tx, created);
        return created;
      });
      onTriage();
      response.status(201).json(mute);
    })
    .all(methodNotAllowed('GET, POST'));
  router
    .route('/mutes/:id')
    .delete(async (request, response) => {
      const { id } = request.params;
      const removed = await database.transaction(async (tx) => {
        await lockChanges(tx);
        return removeMute(tx, id);
      });
      if (!removed) throw new HttpProblem(404, `Mute ${id} not found; it may have been removed`);
      onTriage();
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));
  return router;
}
