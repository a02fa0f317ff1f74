import type { KnownEvent } from '@loopwatch/contract';
import type { CallHistory } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { Finding, Step } from '../incident/finding.ts';
import type { DetectorBank } from './detector-bank.ts';
import { SessionTotals } from './session-totals.ts';

const NO_EVENT: KnownEvent = { type: 'turn_started' };
const NO_FINDINGS: readonly Finding[] = [];

/** A model request, by its number in its prompt. */
export interface TurnRequest {
  readonly number: number;
  readonly allowed: number;
}

/**
 * A session's event on its way through the detectors, and what they find in it. A part of the session's analyzer and no
 * object of its own, because there is one for every event of every session.
 */
export abstract class SessionStep implements Step {
  event = NO_EVENT;
  time = 0;
  /** The model request that the last event began, where their number is limited. */
  turnRequest: TurnRequest | null = null;
  findings = NO_FINDINGS;
  protected totals = new SessionTotals();
  protected abstract bank: DetectorBank;
  protected position = -1;
  private before: Mark | undefined;

  protected begin(event: KnownEvent, time: number, position: number): void {
    this.event = event;
    this.time = time;
    this.position = position;
    this.findings = NO_FINDINGS;
    this.before = undefined;
  }

  /** Lets go of the event, because its arguments or results can be large. */
  protected end(): void {
    this.event = NO_EVENT;
    this.before = undefined;
  }

  /** Counts the event. @returns the session before it and after it */
  protected count(): { readonly before: Mark; readonly after: Mark } {
    const before = this.mark();
    this.totals.count(this.event);
    return { before, after: this.markNow() };
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

  abstract goOn(slot: string, count: number): void;

  noteTurnRequest(number: number, allowed: number): void {
    this.turnRequest = { number, allowed };
  }

  /** The session as it is, the last event included. */
  protected markNow(): Mark {
    return this.totals.mark(this.event, this.time, this.position);
  }
}
