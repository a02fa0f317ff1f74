import type { VerdictOutcome } from '@loopwatch/contract';
import type { Finding, Standing, Step } from './finding.ts';
import { Incident, type IncidentSnapshot } from './incident.ts';
import type { Mark } from './mark.ts';
import type { ToolRepeatOptions } from './plan.ts';
import { RecentTimes } from './recent-times.ts';
import { toolGuidance, windowPhrase } from './texts.ts';
import { sameIdentity, signature, type ToolIdentity } from './tool-identity.ts';

/** Calls of a run that the evidence shows: the first and the latest. */
const SHOWN_CALLS = 8;

/** The trailing run of identical calls: tool-repeat's exact matching. */
export class ConsecutiveRun {
  private identity: ToolIdentity | undefined;
  private options: ToolRepeatOptions | undefined;
  private count = 0;
  private calls: Mark[] = [];
  /** Of the calls of the run; used only where age matters. */
  private readonly times = new RecentTimes();
  private incident: Incident | undefined;

  /** A call that exact matching is responsible for. */
  call(step: Step, identity: ToolIdentity, options: ToolRepeatOptions): Standing {
    if (this.identity === undefined || !sameIdentity(this.identity, identity)) {
      this.end(step, 'recovered', 'a different call followed');
      this.identity = identity;
    }
    this.options = options;
    this.count = options.ttlMs === null ? this.count + 1 : this.times.add(step.time, options.ttlMs);
    if (this.count === 1) this.calls = [];
    this.remember(step.mark());
    if (this.count < options.threshold) {
      this.resolve(step, 'recovered', 'the earlier calls are too old to count');
      return { count: this.count, action: 'none' };
    }
    const first = this.calls[0] ?? step.mark();
    this.incident ??= new Incident(options.mode, options.threshold, first);
    const phase = this.incident.repeat(this.count);
    if (phase !== undefined) step.emit(this.finding(phase, identity, options, this.incident));
    return { count: this.count, action: this.incident.action };
  }

  /** Ends the run: a different call, a new prompt, a switched-off detector. */
  end(step: Step, outcome: VerdictOutcome, why: string): void {
    this.resolve(step, outcome, why);
    this.identity = undefined;
    this.count = 0;
    if (this.calls.length > 0) this.calls = [];
    this.times.clear();
  }

  private resolve(step: Step, outcome: VerdictOutcome, why: string): void {
    const { incident, identity, options } = this;
    if (incident === undefined || identity === undefined || options === undefined) return;
    const finding = this.finding('resolved', identity, options, incident);
    const reason = `${identity.name} had been called ${String(incident.count)} times with the same arguments; ${why}`;
    step.emit({ ...finding, action: 'none', outcome, reason });
    this.incident = undefined;
  }

  private remember(mark: Mark): void {
    // A list of one has room for one; pushing would make room for seventeen.
    if (this.calls.length === 0) this.calls = [mark];
    else this.calls.push(mark);
    if (this.calls.length > SHOWN_CALLS) this.calls.splice(1, 1);
  }

  private finding(
    phase: Finding['phase'],
    identity: ToolIdentity,
    options: ToolRepeatOptions,
    incident: Incident,
  ): Finding {
    const { count, action } = incident;
    const { name } = identity;
    const within = options.ttlMs === null ? 'in a row' : `in a row ${windowPhrase(options.ttlMs)}`;
    return {
      detector: 'tool-repeat',
      phase,
      action,
      key: '',
      count,
      threshold: options.threshold,
      windowMs: options.ttlMs,
      period: 1,
      tool: { name, signature: signature(identity) },
      reason: `${name} was called ${String(count)} times ${within} with the same arguments`,
      ...(action === 'chance' && { guidance: toolGuidance(name, identity.arguments, count, options) }),
      evidence: {
        matching: 'exact',
        lastAction: action,
        calls: this.calls.map(({ eventIndex, eventId, time }) => ({
          eventIndex,
          eventId,
          time,
          name,
          arguments: identity.arguments,
        })),
        argumentsLength: identity.length,
      },
      since: incident.since,
      calls: count,
    };
  }

  snapshot(): RunSnapshot {
    const { identity, options, count, calls } = this;
    return {
      identity,
      options,
      count,
      calls,
      times: this.times.snapshot(),
      incident: this.incident?.snapshot(),
    };
  }

  restore(snapshot: RunSnapshot): void {
    this.identity = snapshot.identity;
    this.options = snapshot.options;
    this.count = snapshot.count;
    this.calls = [...snapshot.calls];
    this.times.restore(snapshot.times);
    this.incident = snapshot.incident && Incident.restore(snapshot.incident);
  }
}

export interface RunSnapshot {
  readonly identity: ToolIdentity | undefined;
  readonly options: ToolRepeatOptions | undefined;
  readonly count: number;
  readonly calls: readonly Mark[];
  readonly times: ReturnType<RecentTimes['snapshot']>;
  readonly incident: IncidentSnapshot | undefined;
}
