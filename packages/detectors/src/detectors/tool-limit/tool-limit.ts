import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import type { Account, Detector, EventStep, Finding, IncidentSnapshot } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason, counted, sentence } from '../../incident/shown-calls.ts';

/** Options of tool-limit. */
export interface ToolLimitOptions {
  readonly maxTurns: number;
}

/** Counts the turns of a prompt that call tools. */
export class ToolLimit implements Detector {
  readonly #options: ToolLimitOptions;
  /** Turns with tool calls, including the current one. */
  #turns = 0;
  /** Whether the current turn has called a tool, and whether it has been evaluated. */
  #inTurn = false;
  #judged = false;
  /** Calls without a result. */
  #pending = 0;
  #reportsTurns = false;
  #reportsResults = false;
  #since: Mark | undefined;
  #incident: Incident<'tool-limit'> | undefined;

  constructor(options: ToolLimitOptions) {
    this.#options = options;
  }

  push(step: EventStep): void {
    switch (step.event.type) {
      case 'prompt_started':
        this.close(step, 'ended');
        break;
      case 'turn_started':
        this.#reportsTurns = true;
        this.#endTurn(step);
        break;
      case 'tool_call_request':
        // If no turns are reported, a call after the results of others belongs to the next turn.
        if (!this.#reportsTurns && this.#pending === 0) this.#endTurn(step);
        this.#call(step);
        break;
      case 'tool_result':
        this.#reportsResults = true;
        if (this.#pending > 0) this.#pending -= 1;
        if (this.#pending === 0 && this.#inTurn) this.#judge(step);
        break;
      case 'content':
      case 'thought':
        // Without results either, new text from the model starts the next turn.
        if (!this.#reportsTurns && !this.#reportsResults) this.#endTurn(step);
        break;
      default:
    }
  }

  #call(step: EventStep): void {
    this.#since ??= step.mark();
    this.#pending += 1;
    if (this.#inTurn) return;
    this.#inTurn = true;
    this.#turns += 1;
  }

  /** Ends the turn; a turn with missing results is evaluated now. */
  #endTurn(step: EventStep): void {
    if (this.#inTurn) this.#judge(step);
    this.#inTurn = false;
    this.#judged = false;
    this.#pending = 0;
  }

  #judge(step: EventStep): void {
    const { maxTurns } = this.#options;
    if (this.#judged) return;
    this.#judged = true;
    if (this.#turns < maxTurns) return;
    this.#incident ??= new Incident('block', maxTurns, this.#since ?? step.mark());
    this.#incident.report(step, this.#turns, () => this.#account(this.#turns));
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
    this.#turns = 0;
    this.#inTurn = false;
    this.#judged = false;
    this.#pending = 0;
    this.#since = undefined;
    this.#incident = undefined;
  }

  #account(turns: number): Account<'tool-limit'> {
    const { maxTurns } = this.#options;
    return {
      detector: 'tool-limit',
      kind: 'limit',
      threshold: maxTurns,
      thresholdOf: { setting: 'tool_call_limit.max_turns', value: maxTurns },
      ...sentence`${counted(turns)} ${turns === 1 ? 'turn' : 'turns'} with tool calls in this prompt (limit ${maxTurns})`,
      evidence: {
        limit_reached: true,
        limit_message: `Tool call limit reached (${String(maxTurns)}). Stopping tool loop.`,
      },
    };
  }

  snapshot(): ToolLimitSnapshot {
    return {
      turns: this.#turns,
      inTurn: this.#inTurn,
      judged: this.#judged,
      pending: this.#pending,
      reportsTurns: this.#reportsTurns,
      reportsResults: this.#reportsResults,
      since: this.#since,
      incident: this.#incident?.snapshot(),
    };
  }

  restore({ incident, ...rest }: ToolLimitSnapshot): void {
    this.#turns = rest.turns;
    this.#inTurn = rest.inTurn;
    this.#judged = rest.judged;
    this.#pending = rest.pending;
    this.#reportsTurns = rest.reportsTurns;
    this.#reportsResults = rest.reportsResults;
    this.#since = rest.since;
    this.#incident = incident && Incident.restore(incident);
  }
}

interface ToolLimitSnapshot {
  readonly turns: number;
  readonly inTurn: boolean;
  readonly judged: boolean;
  readonly pending: number;
  readonly reportsTurns: boolean;
  readonly reportsResults: boolean;
  readonly since: Mark | undefined;
  readonly incident: IncidentSnapshot | undefined;
}
