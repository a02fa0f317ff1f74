import type { VerdictOutcome } from '@loopwatch/contract';
import type { Standing, Step } from './finding.ts';
import { type Account, Incident, type IncidentSnapshot } from './incident.ts';
import type { Mark } from './mark.ts';
import type { ToolRepeatOptions } from './plan.ts';
import { RecentTimes } from './recent-times.ts';
import { toolGuidance, windowPhrase } from './texts.ts';
import { sameIdentity, signature, type ToolIdentity } from './tool-identity.ts';

/** Calls of a run that the evidence shows: the first and the latest. */
const SHOWN_CALLS = 8;
const NO_CALLS: readonly Mark[] = [];

/** The trailing run of identical calls: tool-repeat's exact matching. */
export class ConsecutiveRun {
  private identity: ToolIdentity | undefined;
  private options: ToolRepeatOptions | undefined;
  private count = 0;
  private calls: readonly Mark[] = NO_CALLS;
  /** Of the calls of the run; only where age matters. */
  private times: RecentTimes | undefined;
  private incident: Incident | undefined;

  /** A call that exact matching is responsible for. */
  call(step: Step, identity: ToolIdentity, options: ToolRepeatOptions): Standing {
    if (this.identity === undefined || !sameIdentity(this.identity, identity)) {
      this.end(step, 'recovered', 'a different call followed');
      this.identity = identity;
    }
    this.options = options;
    this.count = options.ttlMs === null ? this.count + 1 : this.countRecent(step.time, options.ttlMs);
    if (this.count === 1) this.calls = NO_CALLS;
    this.remember(step.mark());
    if (this.count < options.threshold) {
      this.resolve(step, 'recovered', 'the earlier calls are too old to count');
      return { count: this.count, action: 'none' };
    }
    const first = this.calls[0] ?? step.mark();
    this.incident ??= new Incident(options.mode, options.threshold, first);
    const phase = this.incident.repeat(this.count);
    if (phase !== undefined)
      step.emit(this.incident.finding(phase, this.account(identity, options, this.count)));
    return { count: this.count, action: this.incident.action };
  }

  /** Ends the run: a different call, a new prompt, a switched-off detector. */
  end(step: Step, outcome: VerdictOutcome, why: string): void {
    this.resolve(step, outcome, why);
    this.identity = undefined;
    this.count = 0;
    this.calls = NO_CALLS;
    this.times?.clear();
  }

  private countRecent(time: number, limitMs: number): number {
    this.times ??= new RecentTimes();
    return this.times.add(time, limitMs);
  }

  private resolve(step: Step, outcome: VerdictOutcome, why: string): void {
    const { incident, identity, options } = this;
    if (incident === undefined || identity === undefined || options === undefined) return;
    const { count } = incident;
    const reason = `${identity.name} had been called ${String(count)} times with the same arguments; ${why}`;
    step.emit(incident.resolution(this.account(identity, options, count), outcome, reason));
    this.incident = undefined;
  }

  private remember(mark: Mark): void {
    const { calls } = this;
    const [first] = calls;
    // A snapshot may hold the list, so that it is not changed.
    if (first === undefined) this.calls = [mark];
    else this.calls = calls.length < SHOWN_CALLS ? [...calls, mark] : [first, ...calls.slice(2), mark];
  }

  private account(identity: ToolIdentity, options: ToolRepeatOptions, count: number): Account {
    const { name } = identity;
    const within = options.ttlMs === null ? 'in a row' : `in a row ${windowPhrase(options.ttlMs)}`;
    return {
      detector: 'tool-repeat',
      threshold: options.threshold,
      windowMs: options.ttlMs,
      tool: { name, signature: signature(identity) },
      reason: `${name} was called ${String(count)} times ${within} with the same arguments`,
      guidance: toolGuidance(name, identity.arguments, count, options),
      evidence: {
        matching: 'exact',
        calls: this.calls.map(({ eventIndex, eventId, time }) => ({
          eventIndex,
          eventId,
          time,
          name,
          arguments: identity.arguments,
        })),
        argumentsLength: identity.length,
      },
      calls: count,
    };
  }

  snapshot(): RunSnapshot {
    const { identity, options, count, calls, times, incident } = this;
    const run = { identity, count, calls };
    // What most runs have none of takes no room.
    if (times === undefined && incident === undefined) return run;
    return { ...run, options, times: times?.snapshot(), incident: incident?.snapshot() };
  }

  restore(snapshot: RunSnapshot): void {
    this.identity = snapshot.identity;
    this.options = snapshot.options;
    this.count = snapshot.count;
    this.calls = snapshot.calls;
    this.times = snapshot.times && RecentTimes.restore(snapshot.times);
    this.incident = snapshot.incident && Incident.restore(snapshot.incident);
  }
}

export interface RunSnapshot {
  readonly identity: ToolIdentity | undefined;
  readonly options?: ToolRepeatOptions | undefined;
  readonly count: number;
  readonly calls: readonly Mark[];
  readonly times?: ReturnType<RecentTimes['snapshot']> | undefined;
  readonly incident?: IncidentSnapshot | undefined;
}
