import type { DetectionPlan } from '@loopwatch/detectors/internal';
import type { Enforcement } from './enforcement.ts';
import type { SessionRules } from './session-rules.ts';

/** A request that is sent again after a longer pause than this may find something else. */
const END_MS = 120_000;

interface End {
  readonly enforcement: Enforcement;
  readonly plan: DetectionPlan;
  /** Epoch ms. */
  readonly at: number;
}

/** The loop that a client was last told of instead of a reply. */
export class LoopEnd {
  readonly #rules: SessionRules;
  #end: End | undefined;

  constructor(rules: SessionRules) {
    this.#rules = rules;
  }

  /** The client is about to be told of it; a limit is no loop. @param now epoch ms */
  note(enforcement: Enforcement, plan: DetectionPlan, now: number): void {
    this.#end = enforcement.verdict.kind === 'loop' ? { enforcement, plan, at: now } : undefined;
  }

  /** Whether this is the id of its verdict. */
  isBy(verdictId: unknown): boolean {
    return this.#end !== undefined && verdictId === this.#end.enforcement.verdict.id;
  }

  /** Why the model need not be asked what it was stopped at again and again, unless settings or people say otherwise now. */
  lasting(plan: DetectionPlan, now: number): Enforcement | undefined {
    const end = this.#end;
    if (end === undefined || end.plan !== plan || now - end.at > END_MS) return undefined;
    return this.#rules.demanding([end.enforcement.verdict]).length > 0 ? end.enforcement : undefined;
  }
}
