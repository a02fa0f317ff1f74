import type { VerdictOutcome } from '@loopwatch/contract';
import type { Round } from './call-history.ts';
import type { Detector, DetectorMeta, Step } from './finding.ts';
import { PatternIncident, type PatternSnapshot } from './pattern-incident.ts';
import { namesOf } from './round-evidence.ts';
import type { RoundOptions } from './round-options.ts';
import { closingReason } from './texts.ts';
import { patienceWith } from './waiting.ts';

export const toolCycleMeta: DetectorMeta = {
  id: 'tool-cycle',
  title: 'Cycle of tool calls',
  description:
    'The agent goes through the same sequence of calls again and again, and the results do not change.',
  maturity: 'stable',
};

/** Options with the rule on. */
type CycleOptions = RoundOptions & { readonly cycle: NonNullable<RoundOptions['cycle']> };

export function hasCycles(rounds: RoundOptions): rounds is CycleOptions {
  return rounds.cycle !== null;
}

/** Finds a trailing block of 2 to 8 steps that is repeated, with the results it had before. */
export class ToolCycle implements Detector {
  private readonly options: CycleOptions;
  private readonly incident = new PatternIncident('tool-cycle');
  /** By period: how many of the latest steps in a row equal the one a period before them. */
  private matched: number[];
  private period = 0;

  constructor(options: CycleOptions) {
    this.options = options;
    this.matched = new Array<number>(options.cycle.maxPeriod + 1).fill(0);
  }

  push(step: Step): void {
    if (step.event.type === 'prompt_started') this.close(step, 'ended');
    const { calls } = step;
    if (!calls?.settled) return;
    const { rounds } = calls;
    for (let period = 1; period <= this.options.cycle.maxPeriod; period += 1) {
      const before = rounds.at(-1 - period);
      this.matched[period] =
        before !== undefined && isSame(before, calls.settled) ? (this.matched[period] ?? 0) + 1 : 0;
    }
    const period = this.shortestPeriod(rounds);
    if (this.incident.isOpen && period !== this.period) this.incident.ends(step, 'recovered');
    if (period === 0 || (calls.stagnant && !this.incident.isOpen)) return;
    this.period = period;
    calls.explained = true;
    this.incident.holds(step, this.pattern(rounds, period));
  }

  /** The shortest period that has been gone through often enough; steps that are all the same are no cycle. */
  private shortestPeriod(rounds: readonly Round[]): number {
    const { maxPeriod, threshold } = this.options.cycle;
    for (let period = 1; period <= maxPeriod; period += 1) {
      const enough = (this.matched[period] ?? 0) >= period * (threshold - 1);
      if (enough) return period === 1 || !this.isLongEnough(rounds, period) ? 0 : period;
    }
    return 0;
  }

  /** Whether a cycle of this period holds although there may be something in it that one waits for. */
  private isLongEnough(rounds: readonly Round[], period: number): boolean {
    return (this.matched[period] ?? 0) >= period * (this.thresholdOf(rounds.slice(-period)) - 1);
  }

  private thresholdOf(cycle: readonly Round[]): number {
    return this.options.cycle.threshold * patienceWith(cycle, this.options);
  }

  private pattern(rounds: readonly Round[], period: number) {
    const matched = this.matched[period] ?? 0;
    const count = Math.floor((matched + period) / period);
    const cycle = rounds.slice(-period);
    const names = cycle.map(namesOf).join(' → ');
    const known = cycle.every(({ outcome }) => outcome !== null);
    return {
      count,
      threshold: this.thresholdOf(cycle),
      period,
      mode: this.options.cycle.mode,
      rounds: rounds.slice(-Math.min(rounds.length, matched + period)),
      reason: `${names}: the same ${String(period)} steps were made ${String(count)} times${known ? ', with no new result' : ''}`,
      guidance: [
        `You have gone through the same ${String(period)} steps ${String(count)} times: ${names}.`,
        'Nothing new came of it. Say what you are trying to find out, then take another way or stop.',
      ].join('\n'),
      evidence: {
        results: known ? 'same' : 'unknown',
        cycle: cycle.map((round) => ({
          name: namesOf(round),
          arguments: round.calls[0]?.identity.arguments ?? '',
          text: round.calls[0]?.result?.shown ?? '',
        })),
      },
    };
  }

  close(step: Step, outcome: VerdictOutcome): void {
    this.incident.ends(step, outcome, closingReason(outcome));
    this.matched.fill(0);
  }

  snapshot(): CycleSnapshot {
    return { matched: [...this.matched], period: this.period, incident: this.incident.snapshot() };
  }

  restore(snapshot: CycleSnapshot): void {
    this.matched = this.matched.map((_, period) => snapshot.matched[period] ?? 0);
    this.period = snapshot.period;
    this.incident.restore(snapshot.incident);
  }
}

interface CycleSnapshot {
  readonly matched: readonly number[];
  readonly period: number;
  readonly incident: PatternSnapshot;
}

function isSame(a: Round, b: Round): boolean {
  return a.key === b.key && a.outcome === b.outcome && b.kind !== 'transient';
}
