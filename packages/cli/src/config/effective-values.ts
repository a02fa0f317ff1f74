import {
  hiddenValue,
  isSecretPath,
  type SettingOrigin,
  type Settings,
  settingPaths,
  settingsSchema,
  settingValue,
  topicNames,
  withoutSecrets,
} from '@loopwatch/contract';
import { planDetection, presets, settingsInForce } from '@loopwatch/detectors';
import type { LoadedConfig } from './load-config.ts';

/** One setting as it holds, and who decided it. `null`: there is none. */
export interface EffectiveValue {
  readonly path: string;
  readonly value: unknown;
  readonly source: SettingOrigin['source'];
  readonly name?: string;
}

/** Every setting in the order of the schema, what the preset decides filled in, secrets hidden. */
export function effectiveValues({ settings, origins }: LoadedConfig): EffectiveValue[] {
  const filled = filledIn(settings);
  return pathsInOrder(origins).map((path) => {
    const set = settingValue(settingsSchema, settings, path);
    const value = set ?? (set === null ? null : (filled.get(path) ?? null));
    const origin = originOf(path, settings, origins);
    return { path, value: shown(path, value, settings), ...origin };
  });
}

/** The schema's order; what stands inside a record comes where the record does. */
function pathsInOrder(origins: LoadedConfig['origins']): string[] {
  return settingPaths(settingsSchema).flatMap(({ path }) => {
    const inside = Object.keys(origins).filter((given) => given.startsWith(`${path}.`));
    return inside.length > 0 ? inside : [path];
  });
}

/** What holds where the settings say nothing. */
function filledIn(settings: Settings): ReadonlyMap<string, unknown> {
  const topics = Object.entries(topicNames(settings.kafka.topics));
  return new Map<string, unknown>([
    ...settingsInForce(settings),
    ...topics.map(([role, name]) => [`kafka.topics.${role}`, name] as const),
  ]);
}

/** Two keys hold the similarity's threshold: the one that is silent follows the other. */
const twins: Readonly<Record<string, string>> = {
  'tool_call_loop.similarity_threshold': 'tool_call_loop.similarity.threshold',
  'tool_call_loop.similarity.threshold': 'tool_call_loop.similarity_threshold',
};

function originOf(path: string, settings: Settings, origins: LoadedConfig['origins']): SettingOrigin {
  const own = origins[path] ?? { source: 'default' };
  if (own.source !== 'preset') return own;
  const twin = origins[twins[path] ?? path];
  if (twin !== undefined && twin.source !== 'preset') return twin;
  // A text layer that the preset leaves out, and that is on all the same, runs on the numbers of `stream`.
  const layer = /^(content|thought)_loop\./.exec(path)?.[1] as 'content' | 'thought' | undefined;
  const missing = layer !== undefined && presets[settings.preset][layer] === null;
  return missing && planDetection(settings).on.has(`${layer}-repeat`)
    ? { source: 'preset', name: 'stream' }
    : own;
}

function shown(path: string, value: unknown, { notifications }: Settings): unknown {
  if (path === 'notifications') return notifications.map(withoutSecrets);
  return isSecretPath(path) ? masked(value) : value;
}

function masked(value: unknown): unknown {
  return typeof value === 'string' || Array.isArray(value) ? hiddenValue : value;
}
