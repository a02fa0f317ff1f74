import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory, PastCall, Round } from './call-history.ts';
import type { Detector, Finding, Step } from './finding.ts';
import { Incident, type IncidentSnapshot } from './incident.ts';
import type { DetectionPlan, ToolRepeatOptions } from './plan.ts';
import { namesOf, roundEvidence, toolOf } from './round-evidence.ts';
import { isPoller, type RoundOptions } from './round-options.ts';
import { closingReason, toolGuidance, windowPhrase } from './texts.ts';

/** Asking again is a poller's work: it gets this many times the patience. */
const POLLER_PATIENCE = 3;

/**
 * tool-repeat where results are taken into account: the same call with a new result is progress, the same call with
 * the same result is not. A step that repeats the one before it is news at the threshold less one where its results
 * are known, since they leave less doubt, and at the threshold where they are not or are a bare `ok`.
 */
export class RoundRepeat implements Detector {
  private readonly plan: DetectionPlan;
  private readonly rounds: RoundOptions;
  private incident: Incident | undefined;
  /** Alike steps in a row, and how many of them are recent enough to count. */
  private run = 0;
  private count = 0;
  private latest: Repetition | undefined;

  constructor(plan: DetectionPlan, rounds: RoundOptions) {
    this.plan = plan;
    this.rounds = rounds;
  }

  push(step: Step): void {
    if (step.event.type === 'prompt_started') this.close(step, 'ended');
    const { calls } = step;
    if (calls?.settled) this.settled(step, calls, calls.settled);
  }

  private settled(step: Step, { rounds }: CallHistory, round: Round): void {
    const name = round.calls[0]?.identity.name ?? '';
    const options = this.plan.perTool.get(name) ?? this.plan.tool;
    const before = rounds.at(-2);
    const repeats =
      before !== undefined &&
      before.key === round.key &&
      before.outcome === round.outcome &&
      round.kind !== 'transient' &&
      options.enabled;
    this.run = repeats ? Math.max(1, this.run) + 1 : 1;
    this.count = Math.min(this.run, recent(rounds, options));
    if (!repeats) this.resolve(step, 'recovered', 'something else followed');
    if (this.count < this.thresholdOf(round, options)) {
      this.resolve(step, 'recovered', 'the earlier calls are too old to count');
      return;
    }
    const loop = rounds.slice(-Math.min(this.count, rounds.length));
    const since = loop[0]?.calls[0]?.mark ?? step.mark();
    this.incident ??= new Incident(options.mode, this.thresholdOf(round, options), since);
    this.latest = { loop, round, options };
    if (step.calls) step.calls.explained = true;
    const phase = this.incident.repeat(this.count);
    if (phase !== undefined) step.emit(this.finding(phase, this.incident, this.latest));
  }

  private thresholdOf(round: Round, { threshold }: ToolRepeatOptions): number {
    const patient = round.calls.every(({ identity }) => isPoller(identity.name, this.rounds));
    const doubtful = round.outcome === null || (round.kind === 'ok' && round.calls.every(saysNothing));
    const least = doubtful ? threshold : Math.max(2, threshold - 1);
    return patient ? least * POLLER_PATIENCE : least;
  }

  close(step: Step, outcome: VerdictOutcome): void {
    this.resolve(step, outcome, closingReason(outcome));
    this.run = 0;
    this.count = 0;
  }

  private resolve(step: Step, outcome: VerdictOutcome, why: string): void {
    const { incident, latest } = this;
    if (incident === undefined || latest === undefined) return;
    const finding = this.finding('resolved', incident, latest);
    const reason = `${namesOf(latest.round)} had been called ${String(incident.count)} times alike; ${why}`;
    step.emit({ ...finding, action: 'none', outcome, reason });
    this.incident = undefined;
    this.latest = undefined;
  }

  private finding(
    phase: Finding['phase'],
    incident: Incident,
    { loop, round, options }: Repetition,
  ): Finding {
    const { count, action } = incident;
    const names = namesOf(round);
    const result =
      round.outcome === null
        ? ''
        : round.kind === 'error'
          ? ', and failed the same way each time'
          : ' and the same result';
    const call = round.calls[0];
    return {
      detector: 'tool-repeat',
      phase,
      action,
      key: 'rounds',
      count,
      threshold: this.thresholdOf(round, options),
      windowMs: options.ttlMs,
      period: 1,
      tool: toolOf(round),
      reason: `${names} was called ${String(count)} times ${windowPhrase(options.ttlMs)} with the same arguments${result}`,
      ...(action === 'chance' &&
        call !== undefined && { guidance: toolGuidance(names, call.identity.arguments, count, options) }),
      evidence: {
        matching: 'exact',
        results: round.outcome === null ? 'unknown' : 'same',
        lastAction: action,
        calls: roundEvidence(loop),
      },
      since: incident.since,
      calls: count * round.calls.length,
    };
  }

  snapshot(): RoundRepeatSnapshot {
    return { run: this.run, count: this.count, incident: this.incident?.snapshot(), latest: this.latest };
  }

  restore(snapshot: RoundRepeatSnapshot): void {
    this.run = snapshot.run;
    this.count = snapshot.count;
    this.incident = snapshot.incident && Incident.restore(snapshot.incident);
    this.latest = snapshot.latest;
  }
}

/** How many of the latest steps lie within the time to live of the newest. */
function recent(rounds: readonly Round[], { ttlMs }: ToolRepeatOptions): number {
  if (ttlMs === null) return Number.POSITIVE_INFINITY;
  const newest = timeOf(rounds.at(-1));
  let count = 0;
  while (count < rounds.length && newest - timeOf(rounds.at(-1 - count)) <= ttlMs) count += 1;
  return count;
}

function timeOf(round: Round | undefined): number {
  return round?.calls[0]?.mark.time ?? 0;
}

function saysNothing({ result }: PastCall): boolean {
  return result?.bare ?? true;
}

/** What repeats: the steps as far as they are remembered, the latest of them, and the options of its tool. */
interface Repetition {
  readonly loop: readonly Round[];
  readonly round: Round;
  readonly options: ToolRepeatOptions;
}

interface RoundRepeatSnapshot {
  readonly run: number;
  readonly count: number;
  readonly incident: IncidentSnapshot | undefined;
  readonly latest: Repetition | undefined;
}
