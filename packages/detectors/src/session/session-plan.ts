import { type DetectionSettings, detectionSchema, type ThresholdOrigin } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import type { Finding } from '../incident/finding.ts';
import type { Labels } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import { makePlan } from '../plan/make-plan.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { modelName } from '../settings/effective-settings.ts';
import {
  applyControl,
  assignPath,
  type SessionOverrides,
  soundOverrides,
} from '../settings/session-settings.ts';

const NO_OVERRIDES: SessionOverrides = {};

/** The settings of a session: the server's, overridden by its model's, overridden by its own. */
export class SessionPlan {
  /** The plan in effect. */
  current: DetectionPlan;
  overrides = NO_OVERRIDES;
  /** The detection without the session's own settings: its model's, or the server's. */
  private base: Detection;
  private next: Detection | undefined;

  constructor(detection: Detection) {
    this.base = detection;
    this.current = detection.plan;
  }

  get semantic(): SemanticLayer | null {
    return this.base.semantic;
  }

  /** The server's settings in effect, without those of the model and the session. */
  get server(): Detection {
    return this.base.server ?? this.base;
  }

  /** Whether the plan has to be re-evaluated at each event. */
  get mayChange(): boolean {
    return this.next !== undefined || this.base.tiers !== undefined;
  }

  /** Replaces the server's settings, effective with the session's next event. */
  replaceServer(detection: Detection): void {
    this.next = detection;
  }

  /** The settings of each tier for a session with these labels. */
  tiers(labels: Labels): SettingTiers {
    const { settings, tiers } = this.server;
    const name = tiers === undefined ? null : modelName(labels);
    const { models } = settings.overrides;
    return {
      session: this.overrides,
      model: name !== null && Object.hasOwn(models, name) ? models[name] : undefined,
      server: settings,
    };
  }

  /** Adopts the newest settings of the model that the session currently uses. @returns whether the plan changed */
  adoptCurrent(labels: Labels): boolean {
    const { next } = this;
    this.next = undefined;
    const tier = tierOf(next ?? this.base, labels);
    if (tier === this.base) return false;
    this.base = tier;
    this.current = this.ownPlan();
    return true;
  }

  /** Sets and unsets settings of the session. @returns an error that names the key, the value and what is allowed */
  change(change: Parameters<typeof applyControl>[2]): string | undefined {
    const result = this.tryChange(change);
    if ('refused' in result) return result.refused;
    this.overrides = result.overrides;
    this.current = this.planOf(result.settings);
    return undefined;
  }

  /** Resets to the server's settings, dropping the session's own. */
  reset(): void {
    this.base = this.base.server ?? this.base;
    this.current = this.base.plan;
    this.overrides = NO_OVERRIDES;
  }

  restore(overrides: SessionOverrides, labels: Labels): void {
    this.base = tierOf(this.base, labels);
    const { settings, library } = this.base;
    this.overrides = soundOverrides(settings, overrides, library.schema);
    this.current = this.ownPlan();
  }

  private ownPlan(): DetectionPlan {
    if (this.overrides === NO_OVERRIDES) return this.base.plan;
    const result = this.tryChange({});
    return 'refused' in result ? this.base.plan : this.planOf(result.settings);
  }

  private tryChange(change: Parameters<typeof applyControl>[2]): ReturnType<typeof applyControl> {
    const { settings, library } = this.base;
    return applyControl(settings, this.overrides, change, library.schema);
  }

  private planOf(settings: DetectionSettings): DetectionPlan {
    return makePlan(settings, this.base.library, this.semantic !== null);
  }
}

function tierOf(base: Detection, labels: Labels): Detection {
  const name = modelName(labels);
  return (name === null ? undefined : base.tiers?.get(name)) ?? base.server ?? base;
}

/** The settings of each tier; the narrowest wins. */
export interface SettingTiers {
  readonly session: SessionOverrides;
  readonly model: Readonly<Record<string, unknown>> | undefined;
  readonly server: DetectionSettings;
}

const DEFAULTS = detectionSchema.parse({});
/** Alternative name in a model's settings. */
const OLDER_NAME = 'tool_loop_detection_max_repeats';

/** The origin of a finding's threshold: the setting, and who set it. */
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

/** The narrowest tier that sets the path; undefined if none does. */
function scopeOf(
  keys: readonly string[],
  { session, model, server }: SettingTiers,
): ThresholdOrigin['scope'] | undefined {
  const overrides: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(session)) assignPath(overrides, path.split('.'), value);
  if (valueAt(overrides, keys) !== undefined) return 'session';
  const older = keys.join('.') === 'tool_call_loop.max_repeats' ? model?.[OLDER_NAME] : undefined;
  if ((valueAt(model, keys) ?? older) !== undefined) return 'model';
  const set = valueAt(server, keys);
  return set === undefined || set === valueAt(DEFAULTS, keys) ? undefined : 'server';
}

function valueAt(settings: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    settings,
  );
}
