import type { ThresholdAdjustment, VerdictOutcome } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import { isNavigation, navigationPatience, stepsWithoutNews } from '../../calls/navigation.ts';
import { isPollingStep, pollingAdjustments, pollingPatience } from '../../calls/polling.ts';
import { isAlikeStep, movesTowards } from '../../calls/same-step.ts';
import type { CallStep, PastCall } from '../../calls/step.ts';
import { apartFrom, chanceFirst, MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import type { Detector, EventStep, Finding, Pattern, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
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

/** Consecutive steps of the same calls, by what their results have in common: the latest runs of each. */
interface Runs {
  /** The same results, or results that differ only in known volatile tokens. */
  readonly same: number;
  /** Results that differ at most in tokens that look random and are not what was asked for. */
  readonly alike: number;
  /** Whatever the results. */
  readonly any: number;
}
type Degree = keyof Runs;

const NO_RUNS: Runs = { same: 0, alike: 0, any: 0 };
/** Identical calls are pointed out at this multiple of the threshold whatever their results, and at each multiple. */
const LAST_BOUND = 10;
/** The same if all of them fail, so many above the threshold: no time mends that, even if each error has other words. */
const FAILING_MORE = 2;
/** From this many such bounds they may be blocked. */
const LAST_BLOCK = 3;

/**
 * tool-repeat with results: the same call with a new result is progress, the same call with the same result is not.
 * Known results leave less doubt, so a repeated step with known results is reported one step below the threshold. Steps
 * whose results are unknown or a bare `ok` are reported at the threshold; results that are the same only in bulk, one
 * step above it.
 */
export class StepRepeat implements Detector {
  readonly #plan: ToolRepeatPlan;
  readonly #knowledge: CallKnowledge;
  readonly #incident = new PatternIncident('tool-repeat');
  #runs = NO_RUNS;
  /** Those before the latest step. */
  #runsBefore = NO_RUNS;

  constructor(plan: ToolRepeatPlan, knowledge: CallKnowledge) {
    this.#plan = plan;
    this.#knowledge = knowledge;
  }

  push(step: EventStep): void {
    const { calls } = step;
    if (calls?.settled) this.#onStepSettled(step, calls, calls.settled);
    this.#incident.noteStart(step);
    if (calls?.prompts.startsOver) this.close(step, 'ended');
  }

  #onStepSettled(step: EventStep, calls: CallHistory, callStep: CallStep): void {
    const { rounds } = calls;
    const name = callStep.calls[0]?.identity.name ?? '';
    const options = this.#plan.perTool.get(name) ?? this.#plan.tool;
    const before = rounds[rounds.length - 2];
    this.#runsBefore = calls.regrown ? this.#runsBefore : this.#runs;
    this.#runs = options.enabled ? runsAfter(this.#runsBefore, before, callStep) : NO_RUNS;
    const found = this.#found(rounds, callStep, options);
    if (found === null) {
      const why = this.#runs.same > 1 ? 'earlier calls left the time window' : undefined;
      this.#incident.resolve(step, 'recovered', why);
      return;
    }
    if (calls.stagnant && !this.#incident.isOpen) return;
    callStep.explained = true;
    this.#incident.report(step, this.#pattern(rounds, callStep, options, found), calls.regrown);
  }

  /** The strictest degree of sameness by which the latest steps repeat often enough. */
  #found(rounds: readonly CallStep[], callStep: CallStep, options: ToolRepeatOptions): Found | null {
    // Most steps repeat nothing, or too little for any degree.
    if (this.#runs.any < leastThreshold(callStep, options)) return null;
    for (const degree of ['same', 'alike', 'any'] as const) {
      const run = this.#runs[degree];
      const count = countRecent(rounds, degree === 'any' ? run : stepsWithoutNews(rounds, run), options);
      const steps = rounds.slice(-count);
      const threshold =
        thresholdOf(degree, steps, options) * (degree === 'any' ? 1 : navigationPatience(steps));
      if (count < threshold) continue;
      if (degree === 'alike' && movesTowards(steps)) continue;
      if (degree === 'any' && !isLastBound(count, threshold, steps)) continue;
      return { degree, count, threshold, steps };
    }
    return null;
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#incident.resolve(step, outcome, closingReason(outcome));
    this.#runs = NO_RUNS;
    this.#runsBefore = NO_RUNS;
  }

  #pattern(
    rounds: readonly CallStep[],
    callStep: CallStep,
    options: ToolRepeatOptions,
    { degree, count, threshold, steps }: Found,
  ): Pattern<'tool-repeat'> {
    const [first] = callStep.calls;
    const { agents } = this.#knowledge;
    const isKnown = callStep.outcome !== null;
    const results = isKnown ? resultsPhrase(degree, callStep) : '';
    const result = quotedResult(isKnown ? first : undefined, agents);
    const { name = '', arguments: args = '' } = first?.identity ?? {};
    const { length } = callStep.calls;
    const made =
      length > 1
        ? sentence`The same ${length} calls were made ${counted(count)} times ${windowPhrase(options.ttlMs)}${results}: ${quotedStep(callStep)}${ofFirst(result.quoted)}`
        : sentence`${quotedStep(callStep)} was called ${counted(count)} times ${windowPhrase(options.ttlMs)}${results}${result}`;
    const facts = { tool: name, count, reason: made.reason };
    return {
      key: 'rounds',
      count,
      threshold,
      thresholdOf: {
        setting: 'tool_call_loop.max_repeats',
        value: options.threshold,
        adjustments: [
          ...adjustmentOf(degree, callStep),
          ...pollingAdjustments([callStep], this.#knowledge, steps),
          ...(degree !== 'any' && navigationPatience(steps) > 1 ? (['navigation'] as const) : []),
        ],
      },
      windowMs: options.ttlMs,
      mode: degree === 'same' ? options.mode : chanceFirst(options.mode),
      rounds: steps,
      ...made,
      guidance:
        length > 1
          ? batchGuidance(facts, callsWithResults([callStep], agents), options)
          : toolGuidance(facts, args, options, {
              result: result.quoted,
              navigates: isNavigation(callStep),
            }),
      evidence: { matching: 'exact', results: isKnown ? shownResults[degree] : 'unknown' },
      calls: count * callStep.calls.length,
    };
  }

  snapshot(): StepRepeatSnapshot {
    const runs = this.#runs;
    const runsBefore = this.#runsBefore;
    return { runs, runsBefore, incident: this.#incident.snapshot() };
  }

  restore(snapshot: StepRepeatSnapshot): void {
    this.#runs = snapshot.runs;
    this.#runsBefore = snapshot.runsBefore;
    this.#incident.restore(snapshot.incident);
  }
}

interface Found {
  readonly degree: Degree;
  readonly count: number;
  readonly threshold: number;
  /** The remembered ones, oldest first. */
  readonly steps: readonly CallStep[];
}

const shownResults = { same: 'same', alike: 'alike', any: 'different' } as const;

function runsAfter(runs: Runs, before: CallStep | undefined, now: CallStep): Runs {
  if (before === undefined || before.key !== now.key || now.kind === 'transient')
    return { same: 1, alike: 1, any: 1 };
  const isSame = before.outcome === now.outcome;
  const isAlike = isSame || isAlikeStep(before, now);
  return {
    same: isSame ? Math.max(1, runs.same) + 1 : 1,
    alike: isAlike ? Math.max(1, runs.alike) + 1 : 1,
    any: Math.max(1, runs.any) + 1,
  };
}

function thresholdOf(degree: Degree, steps: readonly CallStep[], { threshold }: ToolRepeatOptions): number {
  const callStep = steps.at(-1);
  if (degree === 'any' || callStep === undefined)
    return allFail(steps) ? threshold + FAILING_MORE : LAST_BOUND * threshold;
  const least = degree === 'alike' ? threshold + MORE_IF_ALIKE : leastThreshold(callStep, { threshold });
  return least * pollingPatience([callStep], steps);
}

/** The threshold of equal results without patience, which no other is below. */
function leastThreshold(callStep: CallStep, { threshold }: Pick<ToolRepeatOptions, 'threshold'>): number {
  return isDoubtful(callStep) ? threshold : Math.max(2, threshold - 1);
}

/** Whether identical calls whose results differ are due: calls that wait are meant to see a change. */
function isLastBound(count: number, bound: number, steps: readonly CallStep[]): boolean {
  if (steps.slice(-1).some(isPollingStep)) return false;
  return allFail(steps) ? !movesTowards(steps) : count % bound === 0 || count >= LAST_BLOCK * bound;
}

function allFail(steps: readonly CallStep[]): boolean {
  return steps.every(({ kind }) => kind === 'error');
}

function adjustmentOf(degree: Degree, callStep: CallStep): ThresholdAdjustment[] {
  if (degree !== 'same') return [degree === 'alike' ? 'alike-results' : 'any-results'];
  return isDoubtful(callStep) ? [] : ['same-result'];
}

function resultsPhrase(degree: Degree, { kind }: CallStep): string {
  if (degree === 'any') return ', with different results';
  const but = apartFrom(degree === 'alike');
  return kind === 'error' ? ` and failed the same way each time${but}` : ` with the same result${but}`;
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
  return { quoted: result.replace(/^:/, ', the first returned') };
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
  readonly runs: Runs;
  readonly runsBefore: Runs;
  readonly incident: PatternSnapshot<'tool-repeat'>;
}
