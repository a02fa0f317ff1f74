import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import type { CycleOptions } from '../../calls/cycle-options.ts';
import { followsWork, tellsNews } from '../../calls/navigation.ts';
import { pollingAdjustments, pollingPatience } from '../../calls/polling.ts';
import { isAlikeStep, movesTowards } from '../../calls/same-step.ts';
import type { CallStep } from '../../calls/step.ts';
import { apartFrom, chanceFirst, MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import type { Detector, EventStep, Finding, Pattern, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
import {
  callsWithResults,
  closingReason,
  counted,
  namesOf,
  quotedSteps,
  sentence,
} from '../../incident/shown-calls.ts';

/**
 * Threshold factor for a form that is filled in repeatedly and leads to a new page each time, and the minimum number of
 * its fields.
 */
const FORM_PATIENCE = 2;
const FORM_FIELDS = 2;
/** Results that show whether a number in them moves. */
const MIN_VALUES = 3;

/** Finds a trailing block of 2 to 8 steps that repeats with the same results. */
export class ToolCycle implements Detector {
  readonly #options: CycleOptions;
  readonly #knowledge: CallKnowledge;
  readonly #incident = new PatternIncident('tool-cycle');
  #counts: Counts;
  /** Those before the latest step. */
  #before: Counts;
  #period = 0;

  constructor(options: CycleOptions, knowledge: CallKnowledge) {
    this.#options = options;
    this.#knowledge = knowledge;
    this.#counts = noCounts(options.maxPeriod);
    this.#before = this.#counts;
  }

  push(step: EventStep): void {
    const { calls } = step;
    if (calls?.settled) this.#onStepSettled(step, calls, calls.settled);
    this.#incident.noteStart(step);
    if (calls?.prompts.startsOver) this.close(step, 'ended');
  }

  #onStepSettled(step: EventStep, calls: CallHistory, settled: CallStep): void {
    const { rounds } = calls;
    if (!calls.regrown) this.#before = this.#counts;
    this.#counts = this.#countsAfter(rounds, settled);
    const period = this.#shortestPeriod(rounds);
    if (this.#incident.isOpen && period !== this.#period) this.#incident.resolve(step, 'recovered');
    // What tool-repeat reports is one step that repeats.
    if (period === 0 || ((calls.stagnant || settled.explained) && !this.#incident.isOpen)) return;
    this.#period = period;
    settled.explained = true;
    this.#incident.report(step, this.#pattern(rounds, period), calls.regrown);
  }

  #countsAfter(rounds: readonly CallStep[], settled: CallStep): Counts {
    const { key, outcome, kind } = settled;
    const { maxPeriod } = this.#options;
    const none = noCounts(maxPeriod);
    if (kind === 'transient') return none;
    let counts: { matched: number[]; inBulk: number[]; alike: number[] } | undefined;
    for (let period = 1; period <= maxPeriod; period += 1) {
      const before = rounds[rounds.length - 1 - period];
      if (before?.key !== key || followsWork(settled, before)) continue;
      counts ??= { matched: [...none.matched], inBulk: [...none.inBulk], alike: [...none.alike] };
      counts.alike[period] = (this.#before.alike[period] ?? 0) + 1;
      if (before.outcome === outcome) counts.matched[period] = (this.#before.matched[period] ?? 0) + 1;
      if (isAlikeStep(before, settled)) counts.inBulk[period] = (this.#before.inBulk[period] ?? 0) + 1;
    }
    return counts ?? none;
  }

  /** The shortest period that has repeated often enough; identical steps are not a cycle. */
  #shortestPeriod(rounds: readonly CallStep[]): number {
    const { maxPeriod, threshold } = this.#options;
    if (this.#counts === noCounts(maxPeriod)) return 0;
    for (let period = 1; period <= maxPeriod; period += 1) {
      const enough = (this.#counts.matched[period] ?? 0) >= period * (threshold - 1);
      if (enough) return period === 1 || !this.#isLongEnough(rounds, period) ? 0 : period;
      if (this.#isSameInBulk(rounds, period) || this.#isFormAgain(rounds, period)) return period;
    }
    return 0;
  }

  /** Whether the cycle occurred one more time than needed, with results that differ only in random-looking tokens. */
  #isSameInBulk(rounds: readonly CallStep[], period: number): boolean {
    const cycle = rounds.slice(-period);
    if (period === 1 || (this.#counts.inBulk[period] ?? 0) < period * this.#thresholdOf(rounds, period))
      return false;
    return !cycle.some(({ key }) =>
      movesTowards(rounds.filter((step) => step.key === key).slice(-MIN_VALUES)),
    );
  }

  /** Whether one form was repeatedly filled in the same way, although the resulting pages differed. */
  #isFormAgain(rounds: readonly CallStep[], period: number): boolean {
    const { threshold } = this.#options;
    if ((this.#counts.alike[period] ?? 0) < period * (FORM_PATIENCE * threshold - 1)) return false;
    const fields = rounds.slice(-period).filter(({ calls }) => calls.some(({ nature }) => nature.enters));
    return new Set(fields.map(({ key }) => key)).size >= FORM_FIELDS;
  }

  /** Whether a cycle of this period has repeated often enough, even if some of its steps poll. */
  #isLongEnough(rounds: readonly CallStep[], period: number): boolean {
    const steps = period * this.#thresholdOf(rounds, period);
    return (this.#counts.matched[period] ?? 0) >= steps - period && !tellsNews(rounds.slice(-steps));
  }

  #thresholdOf(rounds: readonly CallStep[], period: number): number {
    const run = rounds.slice(-(2 * period + 1));
    return this.#options.threshold * pollingPatience(rounds.slice(-period), run);
  }

  #pattern(rounds: readonly CallStep[], period: number): Pattern<'tool-cycle'> {
    const same = this.#counts.matched[period] ?? 0;
    const cycle = rounds.slice(-period);
    const isSame = same >= period * (this.#options.threshold - 1);
    const isAlike = !isSame && this.#isSameInBulk(rounds, period);
    const { inBulk, alike } = this.#counts;
    const matched = isSame ? same : ((isAlike ? inBulk : alike)[period] ?? 0);
    const count = Math.floor((matched + period) / period);
    const known = cycle.every(({ outcome }) => outcome !== null);
    const { agents } = this.#knowledge;
    return {
      count,
      threshold: isSame
        ? this.#thresholdOf(rounds, period)
        : isAlike
          ? this.#thresholdOf(rounds, period) + MORE_IF_ALIKE
          : FORM_PATIENCE * this.#options.threshold,
      thresholdOf: {
        setting: 'tool_cycle.min_repeats',
        value: this.#options.threshold,
        adjustments:
          isSame || isAlike
            ? [
                ...pollingAdjustments(cycle, this.#knowledge),
                ...(isAlike ? (['alike-results'] as const) : []),
              ]
            : ['same-form'],
      },
      steps: matched + period,
      period,
      mode: isSame ? this.#options.mode : chanceFirst(this.#options.mode),
      rounds: rounds.slice(-(matched + period)),
      ...sentence`The same ${period} steps ran ${counted(count)} times${(known && isSame) || isAlike ? ` with no new result${apartFrom(isAlike)}` : ''}: ${quotedSteps(cycle)}`,
      guidance: [
        `You have gone through the same ${String(period)} steps ${String(count)} times:`,
        ...callsWithResults(cycle, agents),
        isSame || isAlike
          ? 'This produced nothing new. Try something else, or stop.'
          : 'If this brings you no closer to the goal, try something else, or stop.',
      ].join('\n'),
      evidence: {
        results: !known ? 'unknown' : isSame ? 'same' : isAlike ? 'alike' : 'different',
        cycle: cycle.map((step) => ({
          name: namesOf(step),
          arguments: step.calls[0]?.identity.arguments ?? '',
          text: step.calls[0]?.result?.shown ?? '',
          ...(step.calls.length > 1 && {
            calls: step.calls.map(({ identity, result }) => ({
              name: identity.name,
              arguments: identity.arguments,
              text: result?.shown ?? '',
            })),
          }),
        })),
      },
    };
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#incident.resolve(step, outcome, closingReason(outcome));
    this.#counts = noCounts(this.#options.maxPeriod);
    this.#before = this.#counts;
    this.#period = 0;
  }

  snapshot(): CycleSnapshot {
    const before = this.#before;
    const period = this.#period;
    const { matched, inBulk, alike } = this.#counts;
    return { matched, inBulk, alike, before, period, incident: this.#incident.snapshot() };
  }

  restore(snapshot: CycleSnapshot): void {
    const { matched, inBulk, alike } = noCounts(this.#options.maxPeriod);
    this.#counts = {
      matched: matched.map((_, period) => snapshot.matched[period] ?? 0),
      inBulk: inBulk.map((_, period) => snapshot.inBulk[period] ?? 0),
      alike: alike.map((_, period) => snapshot.alike[period] ?? 0),
    };
    this.#before = snapshot.before;
    this.#period = snapshot.period;
    this.#incident.restore(snapshot.incident);
  }
}

/** By period. */
interface Counts {
  /** Consecutive latest steps that equal the step a period earlier. */
  readonly matched: readonly number[];
  /** The same, if results may differ in random-looking tokens. */
  readonly inBulk: readonly number[];
  /** The same, comparing calls only. */
  readonly alike: readonly number[];
}

const countless: Counts[] = [];

/** Shared by all sessions in which no step repeats. */
function noCounts(maxPeriod: number): Counts {
  const zeros = () => new Array<number>(maxPeriod + 1).fill(0);
  return (countless[maxPeriod] ??= { matched: zeros(), inBulk: zeros(), alike: zeros() });
}

interface CycleSnapshot extends Counts {
  readonly before: Counts;
  readonly period: number;
  readonly incident: PatternSnapshot<'tool-cycle'>;
}
