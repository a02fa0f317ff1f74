import { type Settings, settingsSchema, topicNames } from '@loopwatch/contract';
import {
  hiddenValue,
  isSecretPath,
  type SettingOrigin,
  settingPaths,
  settingValue,
  withoutSecrets,
  withoutUser,
} from '@loopwatch/contract/internal';
import { effectiveDetectionValues, planDetection, presets } from '@loopwatch/detectors/internal';
import type { LoadedConfig } from './load-config.ts';

/** The effective value of a setting and its origin; `null` when it has no value. */
export interface EffectiveValue {
  readonly path: string;
  readonly value: unknown;
  readonly source: SettingOrigin['source'];
  readonly name?: string;
}

/** Every setting in schema order, with the defaults of the preset and with secrets hidden. */
export function effectiveValues({ settings, origins }: LoadedConfig): EffectiveValue[] {
  const defaults = defaultValues(settings);
  return Array.from(pathsInOrder(origins), (path) => {
    const set = settingValue(settingsSchema, settings, path);
    const value = set ?? (set === null ? null : (defaults.get(path) ?? null));
    const origin = originOf(path, settings, origins);
    return { path, value: hideSecrets(path, value, settings), ...origin };
  });
}

/** In schema order; keys inside a record appear in place of the record. A block may have a record beside its own keys. */
function pathsInOrder(origins: LoadedConfig['origins']): ReadonlySet<string> {
  const paths = settingPaths(settingsSchema).flatMap(({ path }) => {
    const inside = Object.keys(origins).filter((given) => given.startsWith(`${path}.`));
    return inside.length > 0 ? inside : [path];
  });
  return new Set(paths);
}

/** The values of settings that are not set. */
function defaultValues(settings: Settings): ReadonlyMap<string, unknown> {
  const topics = Object.entries(topicNames(settings.kafka.topics));
  return new Map<string, unknown>([
    ...effectiveDetectionValues(settings),
    ...topics.map(([role, name]) => [`kafka.topics.${role}`, name] as const),
  ]);
}

/** The similarity threshold has two keys; the one that is not set follows the other. */
const twins: Readonly<Record<string, string>> = {
  'tool_call_loop.similarity_threshold': 'tool_call_loop.similarity.threshold',
  'tool_call_loop.similarity.threshold': 'tool_call_loop.similarity_threshold',
};

function originOf(path: string, settings: Settings, origins: LoadedConfig['origins']): SettingOrigin {
  const own = origins[path] ?? { source: 'default' };
  if (own.source !== 'preset') return own;
  const twin = origins[twins[path] ?? path];
  if (twin !== undefined && twin.source !== 'preset') return twin;
  // A text detector that the preset leaves out but the settings turn on uses the values of `stream`.
  const layer = /^(content|thought)_loop\./.exec(path)?.[1] as 'content' | 'thought' | undefined;
  const missing = layer !== undefined && presets[settings.preset][layer] === null;
  return missing && planDetection(settings).on.has(`${layer}-repeat`)
    ? { source: 'preset', name: 'stream' }
    : own;
}

function hideSecrets(path: string, value: unknown, { notifications }: Settings): unknown {
  if (path === 'notifications') return notifications.map(withoutSecrets);
  if (isSecretPath(path)) return maskValue(value);
  return typeof value === 'string' ? withoutUser(value) : value;
}

function maskValue(value: unknown): unknown {
  return typeof value === 'string' || Array.isArray(value) ? hiddenValue : value;
}
