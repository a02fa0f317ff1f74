import { type DetectionSettings, detectionSchema, type ThresholdOrigin } from '@loopwatch/contract';
import { assignPath, type SessionOverrides } from '../settings/session-settings.ts';
import type { Finding } from './finding.ts';

/** The settings of each tier, of which the narrowest wins. */
export interface SettingTiers {
  readonly session: SessionOverrides;
  readonly model: Readonly<Record<string, unknown>> | undefined;
  readonly server: DetectionSettings;
}

const DEFAULTS = detectionSchema.parse({});
/** How a model's settings may name it, too. */
const OLDER_NAME = 'tool_loop_detection_max_repeats';

/** Where a finding's threshold comes from: the setting, and who set it. */
export function thresholdOrigin(
  { thresholdOf: { setting, value, adjustments = [] }, tool }: Finding,
  tiers: SettingTiers,
): ThresholdOrigin {
  const keys = setting.split('.');
  const ofTool = tool === null ? undefined : [keys[0] ?? '', 'per_tool', tool.name, ...keys.slice(1)];
  const own = ofTool === undefined ? undefined : scopeOf(ofTool, tiers);
  if (ofTool !== undefined && own !== undefined)
    return { setting: ofTool.join('.'), value, scope: own, adjustments: [...adjustments] };
  return { setting, value, scope: scopeOf(keys, tiers) ?? 'preset', adjustments: [...adjustments] };
}

/** The narrowest tier that has a value there; undefined where none has. */
function scopeOf(
  keys: readonly string[],
  { session, model, server }: SettingTiers,
): ThresholdOrigin['scope'] | undefined {
  const overrides: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(session)) assignPath(overrides, path.split('.'), value);
  if (at(overrides, keys) !== undefined) return 'session';
  const older = keys.join('.') === 'tool_call_loop.max_repeats' ? model?.[OLDER_NAME] : undefined;
  if ((at(model, keys) ?? older) !== undefined) return 'model';
  const set = at(server, keys);
  return set === undefined || set === at(DEFAULTS, keys) ? undefined : 'server';
}

function at(settings: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    settings,
  );
}
