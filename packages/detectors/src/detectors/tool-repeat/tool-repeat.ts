import type { VerdictOutcome } from '@loopwatch/contract';
import { toolIdentity } from '../../calls/tool-identity.ts';
import type { Detector, EventStep, Finding, Standing } from '../../incident/finding.ts';
import { closingReason } from '../../incident/shown-calls.ts';
import { canonicalArguments } from '../../lib/canonical-json.ts';
import { ConsecutiveRun, type RunSnapshot } from './consecutive-run.ts';
import type { ToolRepeatPlan } from './options.ts';
import { SimilarCalls, type SimilarSnapshot } from './similar-calls.ts';

/** Finds repeated tool calls; each tool's settings select its matching. */
export class ToolRepeat implements Detector {
  readonly #plan: ToolRepeatPlan;
  readonly #run = new ConsecutiveRun();
  #similar: SimilarCalls | undefined;

  constructor(plan: ToolRepeatPlan) {
    this.#plan = plan;
  }

  push(step: EventStep): void {
    const { event } = step;
    if (event.type === 'tool_call_request') this.judge(step, event.name, event.args);
    else if (event.type === 'prompt_started' && (step.calls?.prompts.startsOver ?? true))
      this.close(step, 'ended');
  }

  /** Processes a call. @returns the state of its repetition, reported or not */
  judge(step: EventStep, name: string, args: unknown): Standing {
    const options = this.#plan.perTool.get(name) ?? this.#plan.tool;
    if (!options.enabled) {
      this.#run.end(step, 'recovered', 'a different call followed');
      this.#similar?.noteOtherCall(step, name);
      return { count: 0, action: 'none' };
    }
    const canonical = canonicalArguments(args);
    const identity = toolIdentity(name, canonical);
    if (options.similarity === null) {
      this.#similar?.noteOtherCall(step, name);
      return this.#run.call(step, identity, options);
    }
    this.#run.end(step, 'recovered', 'a different call followed');
    this.#similar ??= new SimilarCalls();
    return this.#similar.call(step, identity, canonical, options, options.similarity);
  }

  current(): readonly Finding[] {
    return [...this.#run.current(), ...(this.#similar?.current() ?? [])];
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    const why = closingReason(outcome);
    this.#run.end(step, outcome, why);
    this.#similar?.end(step, outcome, why);
  }

  snapshot(): ToolRepeatSnapshot {
    const run = this.#run.snapshot();
    return this.#similar === undefined ? run : { ...run, similar: this.#similar.snapshot() };
  }

  restore(snapshot: ToolRepeatSnapshot): void {
    this.#run.restore(snapshot);
    this.#similar = undefined;
    if (snapshot.similar !== undefined) {
      this.#similar = new SimilarCalls();
      this.#similar.restore(snapshot.similar);
    }
  }
}

export interface ToolRepeatSnapshot extends RunSnapshot {
  readonly similar?: SimilarSnapshot;
}
