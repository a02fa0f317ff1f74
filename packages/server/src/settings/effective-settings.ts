import { type DetectionSettings, detectionSchema } from '@loopwatch/contract';
import type { EffectiveSetting } from '@loopwatch/contract/api';
import { type SettingOrigin, settingValue } from '@loopwatch/contract/internal';
import { effectiveDetectionValues, effectiveSettings, withScopes } from '@loopwatch/detectors/internal';
import type { Scope } from './scope.ts';
import { detectionPaths } from './setting-keys.ts';

/** The settings of file, environment and flags, and the origin of each value. */
export interface ConfiguredSettings {
  readonly settings: DetectionSettings;
  readonly origins: Readonly<Record<string, SettingOrigin>>;
  /** Whether a model for the semantic layer is configured. */
  readonly hasModel: boolean;
}

const NO_MODEL = 'no model: set llm.model with llm.base_url or llm.api_key';

export interface EffectiveSettingsInput {
  readonly configured: ConfiguredSettings;
  /** Overrides by scope. */
  readonly scopes: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly scope: Scope;
  /** Backend and model of a session, if known. */
  readonly labels: { readonly backend: string | null; readonly model: string | null };
}

/** The effective value of every key in a scope, and the tier it comes from: the narrowest wins, key by key. */
export function effectiveSettingsOf({
  configured,
  scopes,
  scope,
  labels,
}: EffectiveSettingsInput): EffectiveSetting[] {
  const shared = new Map([...scopes].filter(([name]) => !name.startsWith('session:')));
  const { settings } = withScopes(configured.settings, shared);
  const { backend, model } = scope.kind === 'model' ? labelsOf(scope.name) : labels;
  const label =
    backend === null || model === null || scope.kind === 'server' ? undefined : `${backend}/${model}`;
  const overrides = scope.kind === 'session' ? (scopes.get(scope.text) ?? {}) : {};
  const effective =
    scope.kind === 'server'
      ? settings
      : effectiveSettings(settings, settings.overrides.models, { backend, model, overrides });
  const filled = effectiveDetectionValues(effective);
  const tiers: Tier[] = [
    ...(scope.kind === 'session' ? [{ tier: 'session', name: scope.text, sets: overrides } as const] : []),
    ...(label === undefined ? [] : [modelTier(label, scopes)]),
  ];
  const server: Tier = { tier: 'server', name: 'server', sets: scopes.get('server') ?? {} };
  return detectionPaths.map((path) => {
    const value = settingValue(detectionSchema, effective, path);
    const origin =
      originIn(tiers, path) ??
      (label === undefined ? undefined : configuredFor(label, path, configured)) ??
      originIn([server], path) ??
      configuredOrigin(path, configured, effective);
    const filledValue = value ?? (value === null ? null : (filled.get(path) ?? null));
    const lacksModel = path === 'semantic.enabled' && filledValue === true && !configured.hasModel;
    return { path, value: filledValue, ...(lacksModel && { note: NO_MODEL }), origin };
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

/** The origin of a model's override in the configuration. */
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
