import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import type { Account, Detector, EventStep, Finding, IncidentSnapshot } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason, counted, sentence } from '../../incident/shown-calls.ts';

/** Options of tool-limit. */
export interface ToolLimitOptions {
  readonly maxTurns: number;
}

const NO_TURNS = {
  /** Turns with tool calls, including the current one. */
  turns: 0,
  /** Whether the current turn has called a tool, and whether it has been evaluated. */
  inTurn: false,
  judged: false,
  /** Calls without a result. */
  pending: 0,
  since: undefined as Mark | undefined,
};
type State = typeof NO_TURNS & { reportsTurns: boolean; reportsResults: boolean };

/** Counts the turns of a prompt that call tools. */
export class ToolLimit implements Detector {
  readonly #options: ToolLimitOptions;
  #state: State = { ...NO_TURNS, reportsTurns: false, reportsResults: false };
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
        this.#state.reportsTurns = true;
        this.#endTurn(step);
        break;
      case 'tool_call_request':
        // If no turns are reported, a call after the results of others belongs to the next turn.
        if (!this.#state.reportsTurns && this.#state.pending === 0) this.#endTurn(step);
        this.#call(step);
        break;
      case 'tool_result':
        this.#state.reportsResults = true;
        if (this.#state.pending > 0) this.#state.pending -= 1;
        if (this.#state.pending === 0 && this.#state.inTurn) this.#judge(step);
        break;
      case 'content':
      case 'thought':
        // Without results either, new text from the model starts the next turn.
        if (!this.#state.reportsTurns && !this.#state.reportsResults) this.#endTurn(step);
        break;
      default:
    }
  }

  #call(step: EventStep): void {
    this.#state.since ??= step.mark();
    this.#state.pending += 1;
    if (this.#state.inTurn) return;
    this.#state.inTurn = true;
    this.#state.turns += 1;
  }

  /** Ends the turn; a turn with missing results is evaluated now. */
  #endTurn(step: EventStep): void {
    if (this.#state.inTurn) this.#judge(step);
    this.#state.inTurn = false;
    this.#state.judged = false;
    this.#state.pending = 0;
  }

  #judge(step: EventStep): void {
    const { maxTurns } = this.#options;
    if (this.#state.judged) return;
    this.#state.judged = true;
    if (this.#state.turns < maxTurns) return;
    this.#incident ??= new Incident('block', maxTurns, this.#state.since ?? step.mark());
    this.#incident.report(step, this.#state.turns, () => this.#account(this.#state.turns));
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
    Object.assign(this.#state, NO_TURNS);
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
    return { ...this.#state, incident: this.#incident?.snapshot() };
  }

  restore({ incident, ...state }: ToolLimitSnapshot): void {
    this.#state = state;
    this.#incident = incident && Incident.restore(incident);
  }
}

type ToolLimitSnapshot = Readonly<State> & { readonly incident: IncidentSnapshot | undefined };
