import type { DetectionSettings } from '@loopwatch/contract';
import {
  detectionDefinition,
  findSetting,
  modelDefinition,
  safeParseSettings,
  settingPaths,
} from '@loopwatch/contract/internal';
import { type MergeTarget, mergeSettings, unknownSetting } from './merge-settings.ts';
import { belongsToProcess } from './process-settings.ts';

/** Settings by dotted path, for each scope wider than a session: `server`, or `model:<backend>/<model>`. */
export type WideScopes = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const modelPrefix = 'model:';

/** An invalid setting, as another program may write it. */
export interface RefusedSetting {
  readonly scope: string;
  readonly path: string;
  /** Names the key, the value and what is allowed. */
  readonly why: string;
}

export interface WideSettings {
  readonly settings: DetectionSettings;
  readonly refused: readonly RefusedSetting[];
}

/**
 * The configured settings, overridden by those of wider scopes: first the server's, then those of models. Invalid
 * settings are left out; the others apply.
 */
export function withScopes(configured: DetectionSettings, scopes: WideScopes): WideSettings {
  const refused: RefusedSetting[] = [];
  let settings = configured;
  for (const scope of [...scopes.keys()].sort(serverFirst)) {
    for (const [path, value] of Object.entries(scopes.get(scope) ?? {})) {
      const result = withScope(settings, scope, { [path]: value });
      if ('refused' in result) refused.push({ scope, path, why: result.refused });
      else settings = result.settings;
    }
  }
  return { settings, refused };
}

/** One text about all invalid settings in a scope's record; undefined if all are valid. */
export function leftOutText(
  configured: DetectionSettings,
  scope: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const { refused } = withScopes(configured, new Map([[scope, values]]));
  if (refused.length === 0) return undefined;
  const keys = refused.map(({ path }) => path).join(', ');
  const reasons = refused.map(({ why }) => why).join('; ');
  return (
    `Of the settings of ${scope}, ${keys} cannot be taken and ${refused.length === 1 ? 'is' : 'are'} left out: ${reasons}. ` +
    `To remove them, save the scope without them on the page Settings, or by PUT /api/v1/settings/${encodeURIComponent(scope)}`
  );
}

/** @returns the settings overridden by one scope's, or an error text */
export function withScope(
  base: DetectionSettings,
  scope: string,
  values: Readonly<Record<string, unknown>>,
): { settings: DetectionSettings } | { refused: string } {
  const model = scope.startsWith(modelPrefix) ? scope.slice(modelPrefix.length) : undefined;
  if (model === undefined ? scope !== 'server' : !/^[^/]+\/.+$/.test(model)) {
    return { refused: 'is no scope of many sessions; those are server and model:<backend>/<model>' };
  }
  const target = JSON.parse(JSON.stringify(base)) as Record<string, unknown>;
  const ground: MergeTarget =
    model === undefined
      ? { target, block: [], schema: detectionDefinition, owner: 'detection' }
      : { target, block: ['overrides', 'models', model], schema: modelDefinition, owner: 'a model' };
  const refused = Object.keys(values).flatMap((path) => unsettable(path, ground) ?? []);
  if (refused.length > 0) return { refused: refused.join('; ') };
  const faults = mergeSettings(ground, values);
  const parsed = safeParseSettings(detectionDefinition, target);
  if (!parsed.success) faults.push(...parsed.issues.map(({ message }) => message));
  return parsed.success && faults.length === 0 ? { settings: parsed.data } : { refused: faults.join('; ') };
}

/** Why a path cannot be set; undefined if it can. */
function unsettable(path: string, { schema, owner }: MergeTarget): string | undefined {
  const refused = belongsToProcess(path);
  if (refused !== undefined) return refused;
  const known = settingPaths(schema).map(({ path: other }) => other);
  const isOfTool = /(?:^|\.)per_tool\./.test(path) && findSetting(schema, path) !== undefined;
  return known.includes(path) || isOfTool ? undefined : unknownSetting(path, owner, known);
}

function serverFirst(a: string, b: string): number {
  if ((a === 'server') !== (b === 'server')) return a === 'server' ? -1 : 1;
  return a < b ? -1 : 1;
}
