import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { identityKey, sameIdentity, signature, type ToolIdentity } from '../../calls/tool-identity.ts';
import type { Account, EventStep, Finding, IncidentSnapshot, Standing } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { counted, quotedArguments, SHOWN_CALLS, sentence, shownCall } from '../../incident/shown-calls.ts';
import { RecentTimes } from '../../lib/recent-times.ts';
import type { ToolRepeatOptions } from './options.ts';
import { toolGuidance, windowPhrase } from './wording.ts';

const NO_CALLS: readonly Mark[] = [];

/** An open incident, with the options that applied to its last call. */
interface OpenRun {
  readonly incident: Incident<'tool-repeat'>;
  readonly options: ToolRepeatOptions;
}

/** The trailing run of identical calls: tool-repeat's exact matching. */
export class ConsecutiveRun {
  #identity: ToolIdentity | undefined;
  #count = 0;
  #first: Mark | undefined;
  /** The latest calls after the first; most runs have none. */
  #latest: readonly Mark[] = NO_CALLS;
  /** Times of the run's calls; undefined if age does not matter. */
  #times: RecentTimes | undefined;
  #open: OpenRun | undefined;

  /** Processes a call subject to exact matching. */
  call(step: EventStep, identity: ToolIdentity, options: ToolRepeatOptions): Standing {
    if (this.#identity === undefined || !sameIdentity(this.#identity, identity)) {
      this.end(step, 'recovered', 'a different call followed');
      this.#identity = identity;
    }
    this.#count = options.ttlMs === null ? this.#count + 1 : this.#countRecent(step.time, options.ttlMs);
    // Resolve before remembering the current call, which is not part of the loop.
    if (this.#count < options.threshold)
      this.#resolve(step, 'recovered', 'earlier calls left the time window');
    if (this.#count === 1) this.#forget();
    this.#remember(step.mark());
    if (this.#count < options.threshold) return { count: this.#count, action: 'none' };
    const { incident } = this.#open ?? {
      incident: new Incident(options.mode, options.threshold, this.#first ?? step.mark()),
    };
    this.#open = { incident, options };
    incident.report(step, this.#count, () => this.#account(identity, options, this.#count));
    return { count: this.#count, action: incident.action };
  }

  /** Ends the run: a different call, a new prompt, a switched-off detector. */
  end(step: EventStep, outcome: VerdictOutcome, why: string): void {
    this.#resolve(step, outcome, why);
    this.#identity = undefined;
    this.#count = 0;
    this.#forget();
    this.#times?.clear();
  }

  current(): readonly Finding[] {
    const identity = this.#identity;
    if (this.#open === undefined || identity === undefined) return [];
    const { incident, options } = this.#open;
    return [incident.finding('escalated', this.#account(identity, options, incident.count))];
  }

  #countRecent(time: number, limitMs: number): number {
    this.#times ??= new RecentTimes();
    return this.#times.add(time, limitMs);
  }

  #resolve(step: EventStep, outcome: VerdictOutcome, why: string): void {
    const open = this.#open;
    const identity = this.#identity;
    if (open === undefined || identity === undefined) return;
    const { incident, options } = open;
    const { count } = incident;
    const wording = sentence`${identity.name} was called ${counted(count)} times with the same arguments`;
    step.emit(incident.resolution({ ...this.#account(identity, options, count), ...wording }, outcome, why));
    this.#open = undefined;
  }

  #remember(mark: Mark): void {
    const latest = this.#latest;
    // Never mutate the list: a snapshot may hold it.
    if (this.#first === undefined) this.#first = mark;
    else this.#latest = [...latest.slice(latest.length < SHOWN_CALLS - 1 ? 0 : 1), mark];
  }

  /** The first call and the latest ones, without those too old to count. */
  #counted(count: number): readonly Mark[] {
    const first = this.#first;
    const latest = this.#latest;
    return first === undefined || count <= latest.length ? latest.slice(-count) : [first, ...latest];
  }

  #forget(): void {
    this.#first = undefined;
    this.#latest = NO_CALLS;
  }

  #account(identity: ToolIdentity, options: ToolRepeatOptions, count: number): Account<'tool-repeat'> {
    const { name } = identity;
    const within = options.ttlMs === null ? 'in a row' : `in a row ${windowPhrase(options.ttlMs)}`;
    const said = sentence`${name}${quotedArguments(identity.arguments)} was called ${counted(count)} times ${within} with the same arguments`;
    return {
      detector: 'tool-repeat',
      threshold: options.threshold,
      thresholdOf: { setting: 'tool_call_loop.max_repeats', value: options.threshold },
      windowMs: options.ttlMs,
      tool: { name, signature: signature(identity) },
      repeats: [identityKey(identity)],
      ...said,
      guidance: toolGuidance({ tool: name, count, reason: said.reason }, identity.arguments, options),
      evidence: {
        matching: 'exact',
        calls: this.#counted(count).map((mark, i, { length }) =>
          shownCall(mark, name, identity.arguments, i === 0 ? 1 : count - length + i + 1),
        ),
        argumentsLength: identity.length,
      },
      calls: count,
    };
  }

  snapshot(): RunSnapshot {
    const identity = this.#identity;
    const count = this.#count;
    const first = this.#first;
    const latest = this.#latest;
    const times = this.#times;
    const open = this.#open;
    const run = { identity, count, first, latest };
    // Omit fields that most runs do not have.
    if (times === undefined && open === undefined) return run;
    const incident = open && { options: open.options, ...open.incident.snapshot() };
    return { ...run, times: times?.snapshot(), incident };
  }

  restore(snapshot: RunSnapshot): void {
    this.#identity = snapshot.identity;
    this.#count = snapshot.count;
    this.#first = snapshot.first;
    this.#latest = snapshot.latest;
    this.#times = snapshot.times && RecentTimes.restore(snapshot.times);
    this.#open = snapshot.incident && {
      incident: Incident.restore(snapshot.incident),
      options: snapshot.incident.options,
    };
  }
}

export interface RunSnapshot {
  readonly identity: ToolIdentity | undefined;
  readonly count: number;
  readonly first?: Mark | undefined;
  readonly latest: readonly Mark[];
  readonly times?: ReturnType<RecentTimes['snapshot']> | undefined;
  readonly incident?: (IncidentSnapshot & { readonly options: ToolRepeatOptions }) | undefined;
}
