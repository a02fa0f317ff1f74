import type { DetectionInput } from '@loopwatch/contract';
import type { EffectiveSetting, SettingKey } from '@loopwatch/contract/api';
import { readSet } from '../settings/address.ts';
import { check } from '../settings/value.ts';

/** Settings by dotted path. */
export type Values = Readonly<Record<string, unknown>>;

/** Effective server settings, except those that come from the preset or a default. */
export function serverValues(effective: readonly EffectiveSetting[], keys: readonly SettingKey[]): Values {
  const nullable = new Set(keys.filter((key) => key.nullable).map(({ path }) => path));
  return Object.fromEntries(
    effective
      .filter(({ path, origin, value }) => {
        if (origin.tier === 'default' || origin.tier === 'preset') return false;
        return value !== null || nullable.has(path);
      })
      .map(({ path, value }) => [path, value]),
  );
}

/** Model overrides by `backend/model`. */
export type ModelValues = Readonly<Record<string, Values>>;

/** Effective settings of a model that differ from the server's. */
export function modelOverrides(
  model: readonly EffectiveSetting[],
  server: readonly EffectiveSetting[],
  keys: readonly SettingKey[],
): Values {
  const usable = new Set(keys.filter(({ scopes }) => scopes.includes('model')).map(({ path }) => path));
  const serverValue = new Map(server.map(({ path, value }) => [path, JSON.stringify(value)]));
  return Object.fromEntries(
    model
      .filter(({ path, value }) => usable.has(path) && JSON.stringify(value) !== serverValue.get(path))
      .map(({ path, value }) => [path, value]),
  );
}

type Models = NonNullable<NonNullable<DetectionInput['overrides']>['models']>;

/** The nested form of a configuration file, with model overrides. */
export function toConfigWith(values: Values, models: ModelValues): DetectionInput {
  const own = Object.entries(models).map(([label, set]): [string, Models[string]] => [label, toConfig(set)]);
  return { ...toConfig(values), overrides: { models: Object.fromEntries(own) } };
}

/** The nested form of a configuration file. Paths come from the server's list of keys. */
export function toConfig(values: Values): DetectionInput {
  const config: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    let block = config;
    for (const part of parts) {
      const inner = Object.hasOwn(block, part) ? block[part] : undefined;
      const next = isBlock(inner) ? inner : {};
      block[part] = next;
      block = next;
    }
    block[last] = value;
  }
  return config;
}

function isBlock(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The valid settings among those in the URL. */
export function readMoved(given: readonly string[], keys: readonly SettingKey[]): Values {
  return Object.fromEntries(
    [...readSet(given)].flatMap(([path, text]) => {
      const key = keys.find((one) => one.path === path);
      const checked = key === undefined ? undefined : check(key, text);
      return checked !== undefined && 'value' in checked ? [[path, checked.value]] : [];
    }),
  );
}

/** The thresholds with a slider, and its maximum. */
export const thresholds: readonly {
  readonly path: string;
  readonly name: string;
  readonly max: number;
  readonly hint?: string;
}[] = [
  {
    path: 'tool_call_loop.max_repeats',
    name: 'Same call in a row',
    max: 20,
    hint: 'lower when results are identical, higher for status queries',
  },
  { path: 'tool_cycle.min_repeats', name: 'Cycle repeats', max: 12 },
  { path: 'stagnation.same_error', name: 'Same error, different arguments', max: 20 },
  { path: 'stagnation.same_failure', name: 'Same failure', max: 20 },
  { path: 'stagnation.nothing_new', name: 'Calls without new results', max: 20 },
  { path: 'outage.min_failures', name: 'Provider failures', max: 12 },
  { path: 'content_loop.min_repeats', name: 'Same text in the answer', max: 40 },
  { path: 'thought_loop.min_repeats', name: 'Same text in the reasoning', max: 40 },
];
