import type { DetectionSettings } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import type { Labels } from '../incident/finding.ts';
import type { Detection } from '../plan/detection.ts';
import { planDetection } from '../plan/make-plan.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { modelName } from '../settings/effective-settings.ts';
import type { Refusal } from '../settings/refusal.ts';
import { applyControl, type SessionOverrides, soundOverrides } from '../settings/session-settings.ts';

const NO_OVERRIDES: SessionOverrides = {};

/** The settings of a session: the server's, overridden by its model's, overridden by its own. */
export class SessionPlan {
  /** The plan in effect. */
  current: DetectionPlan;
  overrides = NO_OVERRIDES;
  /** The server's settings in effect, without those of the model and the session. Like the next, every event reads it. */
  server: Detection;
  /** Whether the plan has to be re-evaluated at each event. */
  mayChange: boolean;
  /** The detection without the session's own settings: its model's, or the server's. */
  #base: Detection;
  #next: Detection | undefined;

  constructor(detection: Detection) {
    this.#base = detection;
    this.server = detection.server ?? detection;
    this.mayChange = detection.tiers !== undefined;
    this.current = detection.plan;
  }

  get semantic(): SemanticLayer | null {
    return this.#base.semantic;
  }

  /** Replaces the server's settings, effective with the session's next event. */
  replaceServer(detection: Detection): void {
    this.#next = detection;
    this.mayChange = true;
  }

  /** Adopts the newest settings of the model that the session currently uses. @returns whether the plan changed */
  adoptCurrent(labels: Labels): boolean {
    const base = this.#base;
    const next = this.#next;
    this.#next = undefined;
    this.#rebase(tierOf(next ?? base, labels));
    if (this.#base === base) return false;
    this.current = this.#ownPlan();
    return true;
  }

  /** Sets and unsets settings of the session. @returns why nothing has changed, if so */
  change(change: Parameters<typeof applyControl>[2]): Refusal | undefined {
    const result = this.#tryChange(change);
    if ('refused' in result) return result.refused;
    this.overrides = orNone(result.overrides);
    this.current = this.overrides === NO_OVERRIDES ? this.#base.plan : this.#planOf(result.settings);
    return undefined;
  }

  /** Resets to the server's settings, dropping the session's own. */
  reset(): void {
    this.#rebase(this.server);
    this.current = this.#base.plan;
    this.overrides = NO_OVERRIDES;
  }

  restore(overrides: SessionOverrides, labels: Labels): void {
    this.#rebase(tierOf(this.#base, labels));
    const own = orNone(overrides);
    this.overrides = own === NO_OVERRIDES ? own : orNone(soundOverrides(this.#base.settings, own));
    this.current = this.#ownPlan();
  }

  #rebase(base: Detection): void {
    this.#base = base;
    this.server = base.server ?? base;
    this.mayChange = this.#next !== undefined || base.tiers !== undefined;
  }

  #ownPlan(): DetectionPlan {
    if (this.overrides === NO_OVERRIDES) return this.#base.plan;
    const result = this.#tryChange({});
    return 'refused' in result ? this.#base.plan : this.#planOf(result.settings);
  }

  #tryChange(change: Parameters<typeof applyControl>[2]): ReturnType<typeof applyControl> {
    return applyControl(this.#base.settings, this.overrides, change);
  }

  #planOf(settings: DetectionSettings): DetectionPlan {
    return planDetection(settings, this.semantic !== null);
  }
}

/** Sessions without settings of their own share the plan, which takes longer to make than an event to analyze. */
function orNone(overrides: SessionOverrides): SessionOverrides {
  return Object.keys(overrides).length === 0 ? NO_OVERRIDES : overrides;
}

function tierOf(base: Detection, labels: Labels): Detection {
  const name = modelName(labels);
  return (name === null ? undefined : base.tiers?.get(name)) ?? base.server ?? base;
}
