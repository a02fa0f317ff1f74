import type { Detection } from './detection.ts';
import { modelName } from './effective-settings.ts';
import { type DetectionPlan, planDetection } from './plan.ts';
import type { Labels } from './session-labels.ts';
import { applyControl, type SessionOverrides } from './session-settings.ts';

const NO_OVERRIDES: SessionOverrides = {};

/** What a session is watched by: the server's settings, over them its model's, over them its own. */
export class SessionPlan {
  /** The plan that holds now. */
  current: DetectionPlan;
  overrides = NO_OVERRIDES;
  /** What holds without the session's own settings: its model's, or the server's. */
  private base: Detection;

  constructor(detection: Detection) {
    this.base = detection;
    this.current = detection.plan;
  }

  get hasTiers(): boolean {
    return this.base.tiers !== undefined;
  }

  /** Goes by the settings of the model that the session is known to use now. @returns whether others hold */
  chooseTier(labels: Labels): boolean {
    const tier = this.tierOf(labels);
    if (tier === this.base) return false;
    this.base = tier;
    this.current = this.ownPlan();
    return true;
  }

  /** Sets and unsets settings of the session. @returns why not, naming key, value and what is allowed */
  change(change: Parameters<typeof applyControl>[2]): string | undefined {
    const result = applyControl(this.base.settings, this.overrides, change);
    if ('refused' in result) return result.refused;
    this.overrides = result.overrides;
    this.current = planDetection(result.settings, this.base.judged);
    return undefined;
  }

  /** The server's settings again, and none of the session's own. */
  reset(): void {
    this.base = this.base.server ?? this.base;
    this.current = this.base.plan;
    this.overrides = NO_OVERRIDES;
  }

  restore(overrides: SessionOverrides, labels: Labels): void {
    this.overrides = overrides;
    this.base = this.tierOf(labels);
    this.current = this.ownPlan();
  }

  private tierOf(labels: Labels): Detection {
    const name = modelName(labels);
    return (name === null ? undefined : this.base.tiers?.get(name)) ?? this.base.server ?? this.base;
  }

  private ownPlan(): DetectionPlan {
    if (this.overrides === NO_OVERRIDES) return this.base.plan;
    const result = applyControl(this.base.settings, this.overrides, {});
    return 'refused' in result ? this.base.plan : planDetection(result.settings, this.base.judged);
  }
}
