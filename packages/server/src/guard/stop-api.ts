import type { SessionStop } from '@loopwatch/contract/api';
import { Router } from 'express';
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
  const { configured, guard, verdictStreams, now } = options;
  const router = Router();
  const change = async (id: string, by: string, stopped: boolean): Promise<SessionStop> => {
    const order = { by, at: now() };
    if (await stopSession({ ...options, base: configured.settings }, id, stopped, order))
      guard.onSettingsChanged();
    const obeyedBy = (await guard.enforcerOf(id)) ?? (verdictStreams.isFollowed(id) ? 'guard' : null);
    return { stopped, obeyedBy };
  };
  router
    .route('/sessions/:id/stop')
    .post(async (request, response) => {
      response.json(await change(request.params.id, userName(request), true));
    })
    .delete(async (request, response) => {
      response.json(await change(request.params.id, userName(request), false));
    })
    .all(methodNotAllowed('POST, DELETE'));
  return router;
}
