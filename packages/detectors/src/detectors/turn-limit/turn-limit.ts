import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import type { Account, Detector, EventStep, Finding, IncidentSnapshot } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason, counted, sentence } from '../../incident/shown-calls.ts';

/** Options of turn-limit. */
export interface TurnLimitOptions {
  readonly maxRequests: number;
}

/** Maximum number of tool calls, the latest ones, named in the evidence. */
const SHOWN_CALLS = 8;
const SHOWN_NAME_UNITS = 256;
const NO_CALLS: readonly string[] = [];

/** Counts the model requests of a prompt. */
export class TurnLimit implements Detector {
  readonly #options: TurnLimitOptions;
  #requests = 0;
  #lastCalls = NO_CALLS;
  #since: Mark | undefined;
  #incident: Incident<'turn-limit'> | undefined;

  constructor(options: TurnLimitOptions) {
    this.#options = options;
  }

  push(step: EventStep): void {
    const { event } = step;
    if (event.type === 'turn_started') this.#request(step);
    else if (event.type === 'tool_call_request')
      this.#lastCalls = [...this.#lastCalls.slice(1 - SHOWN_CALLS), event.name.slice(0, SHOWN_NAME_UNITS)];
    else if (event.type === 'prompt_started') this.close(step, 'ended');
  }

  #request(step: EventStep): void {
    const { maxRequests } = this.#options;
    this.#since ??= step.mark();
    this.#requests += 1;
    step.noteTurnRequest(this.#requests, maxRequests);
    if (this.#requests <= maxRequests) return;
    this.#incident ??= new Incident('block', maxRequests, this.#since);
    this.#incident.report(step, this.#requests, () => this.#account(this.#requests));
  }

  current(): readonly Finding[] {
    const incident = this.#incident;
    return incident === undefined ? [] : [incident.finding('escalated', this.#account(incident.count))];
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    const incident = this.#incident;
    if (incident !== undefined) {
      step.emit(incident.resolution(this.#account(incident.count), outcome, closingReason(outcome)));
    }
    this.#requests = 0;
    this.#lastCalls = NO_CALLS;
    this.#since = undefined;
    this.#incident = undefined;
  }

  #account(requests: number): Account<'turn-limit'> {
    const { maxRequests } = this.#options;
    return {
      detector: 'turn-limit',
      kind: 'limit',
      threshold: maxRequests,
      thresholdOf: { setting: 'turn_requests.max_turn_requests', value: maxRequests },
      ...sentence`${counted(requests)} model requests in this prompt (limit ${maxRequests})`,
      evidence: {
        // The current request is the one that must not be made.
        turn_requests: requests - 1,
        max_allowed: maxRequests,
        last_tool_calls: [...this.#lastCalls],
      },
    };
  }

  snapshot(): TurnLimitSnapshot {
    const requests = this.#requests;
    const lastCalls = this.#lastCalls;
    const since = this.#since;
    return { requests, lastCalls, since, incident: this.#incident?.snapshot() };
  }

  restore({ requests, lastCalls, since, incident }: TurnLimitSnapshot): void {
    this.#requests = requests;
    this.#lastCalls = lastCalls;
    this.#since = since;
    this.#incident = incident && Incident.restore(incident);
  }
}

interface TurnLimitSnapshot {
  readonly requests: number;
  readonly lastCalls: readonly string[];
  readonly since: Mark | undefined;
  readonly incident: IncidentSnapshot | undefined;
}
