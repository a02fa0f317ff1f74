import {
  type DetectionSettings,
  detectionSchema,
  type SettingOrigin,
  settingValue,
} from '@loopwatch/contract';
import type { EffectiveSetting } from '@loopwatch/contract/api';
import { effectiveDetectionValues, effectiveSettings, withScopes } from '@loopwatch/detectors';
import type { Scope } from './scope.ts';
import { detectionPaths } from './setting-keys.ts';

/** The settings of file, environment and flags, and where each value came from. */
export interface ConfiguredSettings {
  readonly settings: DetectionSettings;
  readonly origins: Readonly<Record<string, SettingOrigin>>;
  /** Whether there is a model for the semantic layer. */
  readonly hasModel: boolean;
}

const NO_MODEL = 'no model: set llm.model with llm.base_url or llm.api_key';

export interface EffectiveSettingsInput {
  readonly configured: ConfiguredSettings;
  /** What scopes set, by the scope's text. */
  readonly scopes: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly scope: Scope;
  /** Of a session: what it runs on, as far as that is known. */
  readonly labels: { readonly backend: string | null; readonly model: string | null };
}

/** Every key as it holds in a scope, and the tier that decided it; the narrowest wins, key by key. */
export function effectiveSettingsOf({
  configured,
  scopes,
  scope,
  labels,
}: EffectiveSettingsInput): EffectiveSetting[] {
  const wide = new Map([...scopes].filter(([name]) => !name.startsWith('session:')));
  const { settings } = withScopes(configured.settings, wide);
  const { backend, model } = scope.kind === 'model' ? labelsOf(scope.name) : labels;
  const label =
    backend === null || model === null || scope.kind === 'server' ? undefined : `${backend}/${model}`;
  const overrides = scope.kind === 'session' ? (scopes.get(scope.text) ?? {}) : {};
  const held =
    scope.kind === 'server'
      ? settings
      : effectiveSettings(settings, settings.overrides.models, { backend, model, overrides });
  const filled = effectiveDetectionValues(held);
  const tiers: Tier[] = [
    ...(scope.kind === 'session' ? [{ tier: 'session', name: scope.text, sets: overrides } as const] : []),
    ...(label === undefined ? [] : [modelTier(label, scopes)]),
  ];
  const server: Tier = { tier: 'server', name: 'server', sets: scopes.get('server') ?? {} };
  return detectionPaths.map((path) => {
    const value = settingValue(detectionSchema, held, path);
    const origin =
      originIn(tiers, path) ??
      (label === undefined ? undefined : configuredFor(label, path, configured)) ??
      originIn([server], path) ??
      configuredOrigin(path, configured, held);
    const holding = value ?? (value === null ? null : (filled.get(path) ?? null));
    const isIdle = path === 'semantic.enabled' && holding === true && !configured.hasModel;
    return { path, value: holding, ...(isIdle && { note: NO_MODEL }), origin };
  });
}

interface Tier {
  readonly tier: EffectiveSetting['origin']['tier'];
  readonly name: string;
  readonly sets: Readonly<Record<string, unknown>>;
}

function modelTier(label: string, scopes: EffectiveSettingsInput['scopes']): Tier {
  const name = `model:${label}`;
  return { tier: 'model', name, sets: scopes.get(name) ?? {} };
}

function originIn(tiers: readonly Tier[], path: string): EffectiveSetting['origin'] | undefined {
  const found = tiers.find(({ sets }) => Object.hasOwn(sets, path));
  return found && { tier: found.tier, name: found.name };
}

/** A model's own settings in the configuration. */
function configuredFor(
  label: string,
  path: string,
  { origins }: ConfiguredSettings,
): EffectiveSetting['origin'] | undefined {
  const origin = origins[`overrides.models.${label}.${path}`];
  return origin && { tier: origin.source, name: origin.name ?? null };
}

function configuredOrigin(
  path: string,
  { origins }: ConfiguredSettings,
  { preset }: DetectionSettings,
): EffectiveSetting['origin'] {
  const { source, name } = origins[path] ?? { source: 'default' };
  return { tier: source, name: source === 'preset' ? preset : (name ?? null) };
}

function labelsOf(name: string): { backend: string; model: string } {
  const slash = name.indexOf('/');
  return { backend: name.slice(0, slash), model: name.slice(slash + 1) };
}
