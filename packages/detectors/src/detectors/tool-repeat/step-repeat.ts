import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import { type CallStep, type PastCall, pollingAdjustments, pollingPatience } from '../../calls/step.ts';
import type { Detector, EventStep, Pattern, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/incident.ts';
import {
  callsWithResults,
  closingReason,
  counted,
  quotedResult,
  quotedStep,
  sentence,
} from '../../incident/shown-calls.ts';
import type { ToolRepeatOptions, ToolRepeatPlan } from './options.ts';
import { batchGuidance, toolGuidance, windowPhrase } from './wording.ts';

/**
 * tool-repeat with results: the same call with a new result is progress, the same call with the same result is not.
 * Known results leave less doubt, so a repeated step with known results is reported one step below the threshold. Steps
 * whose results are unknown or a bare `ok` are reported at the threshold.
 */
export class StepRepeat implements Detector {
  private readonly plan: ToolRepeatPlan;
  private readonly knowledge: CallKnowledge;
  private readonly incident = new PatternIncident('tool-repeat');
  /** Consecutive equal steps, and how many of them are recent enough to count. */
  private run = 0;
  private count = 0;
  /** `run` before the latest step. */
  private runBefore = 0;

  constructor(plan: ToolRepeatPlan, knowledge: CallKnowledge) {
    this.plan = plan;
    this.knowledge = knowledge;
  }

  push(step: EventStep): void {
    const { calls } = step;
    if (calls?.settled) this.onStepSettled(step, calls, calls.settled);
    if (calls?.prompts.startsOver) this.close(step, 'ended');
  }

  private onStepSettled(step: EventStep, calls: CallHistory, callStep: CallStep): void {
    const { rounds } = calls;
    const name = callStep.calls[0]?.identity.name ?? '';
    const options = this.plan.perTool.get(name) ?? this.plan.tool;
    const before = rounds[rounds.length - 2];
    const repeats =
      before !== undefined &&
      before.key === callStep.key &&
      before.outcome === callStep.outcome &&
      callStep.kind !== 'transient' &&
      options.enabled;
    this.runBefore = calls.regrown ? this.runBefore : this.run;
    this.run = repeats ? Math.max(1, this.runBefore) + 1 : 1;
    this.count = countRecent(rounds, this.run, options);
    if (!repeats) this.incident.resolve(step, 'recovered');
    if (this.count < this.thresholdOf(callStep, options)) {
      this.incident.resolve(step, 'recovered', 'the earlier calls are too old to count');
      return;
    }
    if (calls.stagnant && !this.incident.isOpen) return;
    callStep.explained = true;
    this.incident.report(
      step,
      this.pattern(rounds.slice(-Math.min(this.count, rounds.length)), callStep, options),
      calls.regrown,
    );
  }

  private thresholdOf(callStep: CallStep, { threshold }: ToolRepeatOptions): number {
    const least = isDoubtful(callStep) ? threshold : Math.max(2, threshold - 1);
    return least * pollingPatience([callStep]);
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.incident.resolve(step, outcome, closingReason(outcome));
    this.run = 0;
    this.count = 0;
    this.runBefore = 0;
  }

  private pattern(
    rounds: readonly CallStep[],
    callStep: CallStep,
    options: ToolRepeatOptions,
  ): Pattern<'tool-repeat'> {
    const { count } = this;
    const [first] = callStep.calls;
    const { agents } = this.knowledge;
    const results =
      callStep.outcome === null
        ? ''
        : callStep.kind === 'error'
          ? ' and failed the same way each time'
          : ' with the same result';
    const result = quotedResult(callStep.outcome === null ? undefined : first, agents);
    const { name = '', arguments: args = '' } = first?.identity ?? {};
    const { length } = callStep.calls;
    const made =
      length > 1
        ? sentence`the same step of ${length} calls was made ${counted(count)} times ${windowPhrase(options.ttlMs)}${results}: ${quotedStep(callStep)}${ofFirst(result.quoted)}`
        : sentence`${quotedStep(callStep)} was called ${counted(count)} times ${windowPhrase(options.ttlMs)}${results}${result}`;
    return {
      key: 'rounds',
      count,
      threshold: this.thresholdOf(callStep, options),
      thresholdOf: {
        setting: 'tool_call_loop.max_repeats',
        value: options.threshold,
        adjustments: [
          ...(isDoubtful(callStep) ? [] : (['same-result'] as const)),
          ...pollingAdjustments([callStep], this.knowledge),
        ],
      },
      windowMs: options.ttlMs,
      mode: options.mode,
      rounds,
      ...made,
      guidance:
        length > 1
          ? batchGuidance(callsWithResults([callStep], agents), count, options)
          : toolGuidance(name, args, count, options, result.quoted),
      evidence: { matching: 'exact', results: callStep.outcome === null ? 'unknown' : 'same' },
      calls: count * callStep.calls.length,
    };
  }

  snapshot(): StepRepeatSnapshot {
    const { run, count, runBefore } = this;
    return { run, count, runBefore, incident: this.incident.snapshot() };
  }

  restore(snapshot: StepRepeatSnapshot): void {
    this.run = snapshot.run;
    this.count = snapshot.count;
    this.runBefore = snapshot.runBefore;
    this.incident.restore(snapshot.incident);
  }
}

/** How many of the latest `most` steps are within the time to live of the newest. */
function countRecent(rounds: readonly CallStep[], most: number, { ttlMs }: ToolRepeatOptions): number {
  if (ttlMs === null) return most;
  const newest = timeOf(rounds.at(-1));
  let count = 0;
  while (count < Math.min(most, rounds.length) && newest - timeOf(rounds.at(-1 - count)) <= ttlMs) count += 1;
  return count;
}

function timeOf(callStep: CallStep | undefined): number {
  return callStep?.calls[0]?.mark.time ?? 0;
}

/** Rewrites the result for a sentence that already has a colon. */
function ofFirst(result: string) {
  return { quoted: result.replace(/^:/, ', the first with') };
}

/** Whether the results leave doubt that the step is a repetition. */
function isDoubtful({ outcome, kind, calls }: CallStep): boolean {
  if (outcome === null) return true;
  // A second or third click may succeed where the first had no effect.
  return kind === 'ok' && calls.every((call) => saysNothing(call) || call.nature.gui);
}

function saysNothing({ result }: PastCall): boolean {
  return result?.bare ?? true;
}

interface StepRepeatSnapshot {
  readonly run: number;
  readonly count: number;
  readonly runBefore: number;
  readonly incident: PatternSnapshot<'tool-repeat'>;
}
