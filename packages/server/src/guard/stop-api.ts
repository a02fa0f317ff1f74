import type { SessionStop } from '@loopwatch/contract/api';
import { type Request, Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import type { SettingsApiOptions } from '../settings/settings-api.ts';
import type { Guard } from './guard.ts';
import { stopSession } from './stop-session.ts';
import type { VerdictStreams } from './verdict-streams.ts';

export interface StopApiOptions extends SettingsApiOptions {
  readonly guard: Guard;
  readonly verdictStreams: Pick<VerdictStreams, 'isFollowed'>;
}

/** `POST` and `DELETE /sessions/:id/stop`. */
export function stopApi(options: StopApiOptions): Router {
  const { configured, guard, verdictStreams, now, audit, onSettings } = options;
  const router = Router();
  const change = async (request: Request<{ id: string }>, stopped: boolean): Promise<SessionStop> => {
    const { id } = request.params;
    const order = { by: userName(request), at: now() };
    if (await stopSession({ ...options, base: configured.settings }, id, stopped, order)) {
      onSettings();
      await audit.record(request, stopped ? 'session.stopped' : 'session.resumed', `session:${id}`);
    }
    const isStopped = await guard.readStops();
    const obeyedBy = (await guard.enforcerOf(id)) ?? (verdictStreams.isFollowed(id) ? 'guard' : null);
    return { stopped: isStopped(id), obeyedBy };
  };
  router
    .route('/sessions/:id/stop')
    .post(async (request, response) => {
      response.json(await change(request, true));
    })
    .delete(async (request, response) => {
      response.json(await change(request, false));
    })
    .all(methodNotAllowed('POST, DELETE'));
  return router;
}
