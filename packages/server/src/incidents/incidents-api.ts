import {
  groupSorts,
  type IncidentDetail,
  incidentFilterSchema,
  incidentSorts,
  type TriagePatch,
  triageManySchema,
  triagePatchSchema,
  verdictFilterSchema,
} from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { type Request, Router } from 'express';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { parseListQuery } from '../http/parse-query.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import type { ConfiguredSettings } from '../settings/effective-settings.ts';
import { parseScope } from '../settings/scope.ts';
import { scopeSettings } from '../settings/settings-api.ts';
import { lockChanges } from '../storage/change-lock.ts';
import { triageGroup } from '../triage/triage-group.ts';
import { changeTriage, deleteComment } from '../triage/write-triage.ts';
import { listGroups } from './list-groups.ts';
import { listIncidents } from './list-incidents.ts';
import { listVerdicts } from './list-verdicts.ts';
import { incidentDetail, incidentItems } from './read-incidents.ts';
import { remediesOf, settableRemedies } from './remedies.ts';

export interface IncidentsApiOptions {
  readonly database: Database;
  readonly configured: ConfiguredSettings;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called after triage or mutes were stored. */
  readonly onTriage: () => void;
}

/** `/incidents`, `/incident-groups` and `/verdicts`. */
export function incidentsApi(options: IncidentsApiOptions): Router {
  const { database, now } = options;
  const router = Router();

  router
    .route('/incidents')
    .get(async (request, response) => {
      const { filter, ...page } = parseListQuery(request.query, incidentFilterSchema, incidentSorts);
      response.json(await listIncidents(database, filter, { ...page, now: now() }));
    })
    .patch(jsonBody(), async (request, response) => {
      const { ids, change } = parseBody(request, triageManySchema);
      const missing = await triage(options, request, [...new Set(ids)], change);
      response.json({ items: await incidentItems(database, ids, now()), missing });
    })
    .all(methodNotAllowed('GET, PATCH'));

  router
    .route('/incidents/:id')
    .get(async (request, response) => {
      response.json(await requireIncident(options, request.params.id));
    })
    .patch(jsonBody(), async (request, response) => {
      await triage(options, request, [request.params.id], parseBody(request, triagePatchSchema));
      response.json(await requireIncident(options, request.params.id));
    })
    .all(methodNotAllowed('GET, PATCH'));

  router
    .route('/incidents/:id/comments/:revision')
    .delete(async (request, response) => {
      const { id, revision } = request.params;
      const who = { by: userName(request), at: now() };
      await database.transaction(async (tx) => {
        await lockChanges(tx);
        await deleteComment(tx, id, revision, who);
      });
      options.onTriage();
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));

  router
    .route('/incidents/:id/remedies')
    .get(async (request, response) => {
      const incident = await requireIncident(options, request.params.id);
      const scope = parseScope(`session:${incident.sessionId}`);
      const { effective } = await scopeSettings(options, scope);
      const valueOf = (path: string) => effective.find((one) => one.path === path)?.value;
      response.json({ items: settableRemedies(remediesOf(incident, valueOf), options.configured.settings) });
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/incident-groups')
    .get(async (request, response) => {
      const { filter, ...page } = parseListQuery(request.query, incidentFilterSchema, groupSorts);
      response.json(await listGroups(database, filter, { ...page, now: now() }));
    })
    .all(methodNotAllowed('GET'));

  router
    .route('/incident-groups/:key')
    .patch(jsonBody(), async (request, response) => {
      const change = parseBody(request, triagePatchSchema);
      const { key } = request.params;
      const who = { by: userName(request), at: now() };
      const done = await database.transaction(async (tx) => {
        await lockChanges(tx);
        return triageGroup(tx, key, change, who);
      });
      if (done === undefined)
        throw new HttpProblem(404, `Group ${key} not found; retention may have deleted it`);
      options.onTriage();
      response.json(done);
    })
    .all(methodNotAllowed('PATCH'));

  router
    .route('/verdicts')
    .get(async (request, response) => {
      const { filter, ...page } = parseListQuery(request.query, verdictFilterSchema, ['detectedAt']);
      response.json(await listVerdicts(database, filter, page));
    })
    .all(methodNotAllowed('GET'));

  return router;
}

async function requireIncident({ database, now }: IncidentsApiOptions, id: string): Promise<IncidentDetail> {
  const incident = await incidentDetail(database, id, now());
  if (incident === undefined) {
    throw new HttpProblem(404, `Incident ${id} not found; retention may have deleted it`);
  }
  return incident;
}

/** @returns the ids of unknown incidents */
async function triage(
  { database, now, onTriage }: IncidentsApiOptions,
  request: Request,
  ids: readonly string[],
  change: TriagePatch,
): Promise<string[]> {
  const who = { by: userName(request), at: now() };
  const missing = await database.transaction(async (tx) => {
    await lockChanges(tx);
    return changeTriage(tx, ids, change, who);
  });
  onTriage();
  return missing;
}
