import type { SessionStop } from '@loopwatch/contract/api';
import { Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import { changeSettings } from '../settings/change-settings.ts';
import { parseScope } from '../settings/scope.ts';
import type { SettingsApiOptions } from '../settings/settings-api.ts';
import { settingsOf } from '../settings/stored-settings.ts';
import type { Guard } from './guard.ts';

export interface StopApiOptions extends SettingsApiOptions {
  readonly guard: Guard;
}

/**
 * `POST` and `DELETE /sessions/:id/stop`: a stop is a setting of the session, so that it is stored, published and obeyed like
 * the others, and survives restarts and prompts.
 */
export function stopApi(options: StopApiOptions): Router {
  const { database, configured, guard, now } = options;
  const router = Router();
  const change = async (id: string, by: string, stopped: boolean): Promise<SessionStop> => {
    const scope = parseScope(`session:${id}`);
    const { set, version } = await settingsOf(database, scope.text);
    const { stopped: before, ...others } = set;
    if ((before === true) !== stopped) {
      const next = stopped ? { ...others, stopped } : others;
      await changeSettings(
        { ...options, base: configured.settings },
        { scope, set: next, version, by, at: now() },
      );
      guard.settingsChanged();
    }
    return { stopped, obeyedBy: await guard.obeyedBy(id) };
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
