import type { AgentEvent, KnownEvent } from '@loopwatch/contract';
import type { CallHistory } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { EventStep, Finding } from '../incident/finding.ts';
import type { OpenIncidents } from '../incident/incident.ts';
import type { DetectorBank } from './detector-bank.ts';
import type { SessionTotals } from './session-account.ts';

/**
 * Replaces arguments or results that a producer withholds with the hashes it sends instead. Equal ones are still
 * recognized; similar arguments, error texts and new content in results are not.
 */
export function withHashes(event: AgentEvent): AgentEvent {
  if (event.type === 'tool_call_request') {
    const { argsHash } = event;
    return typeof argsHash === 'string' && event['args'] == null ? { ...event, args: { argsHash } } : event;
  }
  if (event.type === 'tool_result') {
    const { resultHash } = event;
    const isHashed = typeof resultHash === 'string' && event['result'] == null;
    return isHashed ? { ...event, result: `(a result with the hash ${resultHash})` } : event;
  }
  return event;
}

const NO_FINDINGS: readonly Finding[] = [];

/** A model request, by its number in its prompt. */
export interface TurnRequest {
  readonly number: number;
  readonly allowed: number;
}

/** A session's event as it passes through the detectors, with their findings. */
export class SessionStep implements EventStep {
  readonly event: KnownEvent;
  readonly time: number;
  readonly position: number;
  findings = NO_FINDINGS;
  /** US dollars of the turn that the event ends, if its price is known. */
  cost: number | undefined;
  /** The model request that the event starts, if requests are limited. */
  turnRequest: TurnRequest | null = null;
  private readonly totals: SessionTotals;
  private readonly bank: DetectorBank;
  private readonly incidents: OpenIncidents;
  private before: Mark | undefined;

  /** The last three are the session's state before the event. */
  constructor(
    event: KnownEvent,
    time: number,
    position: number,
    totals: SessionTotals,
    bank: DetectorBank,
    incidents: OpenIncidents,
  ) {
    this.event = event;
    this.time = time;
    this.position = position;
    this.totals = totals;
    this.bank = bank;
    this.incidents = incidents;
  }

  get calls(): CallHistory | null {
    return this.bank.calls;
  }

  get contentOffset(): number {
    return this.totals.contentUnits;
  }

  get thoughtOffset(): number {
    return this.totals.thoughtUnits;
  }

  mark(): Mark {
    this.before ??= this.markNow();
    return this.before;
  }

  emit(finding: Finding): void {
    this.findings = [...this.findings, finding];
  }

  noteProgress(slot: string, count: number): void {
    this.incidents.noteProgress(slot, count);
  }

  noteTurnRequest(number: number, allowed: number): void {
    this.turnRequest = { number, allowed };
  }

  /** Counts the event. @returns the session's marks before and after it */
  count(): { readonly before: Mark; readonly after: Mark } {
    const before = this.mark();
    this.totals.count(this.event, this.cost);
    return { before, after: this.markNow() };
  }

  private markNow(): Mark {
    return this.totals.mark(this.event, this.time, this.position);
  }
}
