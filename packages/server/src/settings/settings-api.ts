import type { DetectionSettings } from '@loopwatch/contract';
import { type ScopeSettings, type SettingsOverview, settingsPutSchema } from '@loopwatch/contract/api';
import { type Request, Router } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import { type ChangeSettingsDeps, changeSettings, type SettingsChange } from './change-settings.ts';
import { asSpelled, invalidSettings } from './check-settings.ts';
import { type ConfiguredSettings, effectiveSettingsOf } from './effective-settings.ts';
import { parseScope, type Scope } from './scope.ts';
import { settingKeys } from './setting-keys.ts';
import { allSettings, type StoredSettings, settingsOf } from './stored-settings.ts';

export interface SettingsApiOptions extends Omit<ChangeSettingsDeps, 'base'> {
  readonly configured: ConfiguredSettings;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Called when settings were stored. */
  readonly onSettings: () => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `/settings` and `/settings/:scope`. */
export function settingsApi(options: SettingsApiOptions): Router {
  const { database, now, configured, audit, onSettings } = options;
  const router = Router();
  const deps = { ...options, base: configured.settings };
  const change = async (
    request: Request,
    { scope, set, version }: Pick<SettingsChange, 'scope' | 'set' | 'version'>,
  ): Promise<ScopeSettings> => {
    await changeSettings(deps, { scope, set, version, by: userName(request), at: now() });
    onSettings();
    await audit.record(request, 'settings.changed', scope.text, { set });
    return scopeSettings(options, scope);
  };
  router
    .route('/settings')
    .get(async (_request, response) => {
      const overview: SettingsOverview = {
        keys: [...settingKeys()],
        scopes: (await allSettings(database)).map(toApi),
      };
      response.json(overview);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/settings/:scope')
    .get(async (request, response) => {
      response.json(await scopeSettings(options, parseScope(request.params.scope)));
    })
    .put(jsonBody(), async (request, response) => {
      const scope = parseScope(request.params.scope);
      const { set, version } = parseBody(request, settingsPutSchema);
      response.json(await change(request, { scope, set: asSpelled(scope, set), version }));
    })
    .delete(async (request, response) => {
      const scope = parseScope(request.params.scope);
      response.json(await change(request, { scope, set: {}, version: undefined }));
    })
    .all(methodNotAllowed('GET, PUT, DELETE'));
  return router;
}

/** The overrides of a scope, and its effective settings. */
export async function scopeSettings(
  { database, configured }: Pick<SettingsApiOptions, 'database' | 'configured'>,
  scope: Scope,
): Promise<ScopeSettings> {
  const [labels = { backend: null, model: null }] =
    scope.kind === 'session'
      ? await database.query<{ backend: string | null; model: string | null }>(
          'select backend, model from sessions where id = $1',
          [scope.name],
        )
      : [];
  const relevant = (await allSettings(database)).filter(
    ({ scope: name }) => name === scope.text || !name.startsWith('session:'),
  );
  const scopes = new Map(
    relevant.map(({ scope: name, set }) => [name, validPart(configured.settings, name, set)]),
  );
  const stored = await settingsOf(database, scope.text);
  return {
    ...toApi(stored),
    invalid: invalidSettings(configured.settings, scope, stored.set),
    effective: effectiveSettingsOf({ configured, scopes, scope, labels }),
  };
}

/** The valid overrides of a scope. */
function validPart(
  base: DetectionSettings,
  scope: string,
  set: StoredSettings['set'],
): StoredSettings['set'] {
  const invalid = invalidSettings(base, parseScope(scope), set).map(({ path }) => path);
  return Object.fromEntries(Object.entries(set).filter(([path]) => !invalid.includes(path)));
}

function toApi(settings: StoredSettings): Omit<ScopeSettings, 'effective' | 'invalid'> {
  return { ...settings, set: { ...settings.set } };
}
