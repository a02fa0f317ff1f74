import type { KnownEvent } from '@loopwatch/contract';
import type { HistorySnapshot } from '../calls/call-history.ts';
import type { Finding, IncidentSlot } from '../incident/finding.ts';
import { type OpenIncidents, slotOf } from '../incident/incident.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import type { DetectorBank } from './detector-bank.ts';
import type { SessionTotals } from './session-account.ts';
import type { SessionStep } from './session-step.ts';

/** What a session has to be brought back to when its last turn is streamed again. */
interface Checkpoint {
  readonly turns: number;
  readonly calls: number;
  /** Ids of the incidents that were open, by their slot. */
  readonly incidents: readonly IncidentSlot[];
  /** One entry per detector kind. */
  readonly detectors: readonly unknown[];
  readonly history: HistorySnapshot | null;
}

/**
 * Where the last turn began. A turn begins with its `turn_started`; where a session reports none, behind the last
 * prompt, tool result or finished turn. The session's state is looked at when the first event of the turn comes, so
 * that a boundary that follows another costs nothing, and there is one checkpoint per session at most.
 *
 * Reports are never retracted: a finding that the repeated turn leads to again is not reported a second time.
 */
export class LastTurn {
  private checkpoint: Checkpoint | null = null;
  /** Whether the session reports turns at all. */
  private reportsTurns = false;
  /** Whether the turn is being streamed again, and nothing of it has come yet. */
  private awaitsBeginning = false;
  /** Highest count told since the checkpoint, by slot; none where nothing was told. */
  private lastReported: Map<string, number> | undefined;
  /** Highest count told in what was taken back. */
  private retracted: Map<string, number> | undefined;

  /** Whether the event adds something that may have to be taken back, and is the first to do so. */
  startsTurn(type: KnownEvent['type']): boolean {
    return this.checkpoint === null && belongsToTurn(type) && (this.reportsTurns || !endsTurn(type));
  }

  /** Takes down the state that the turn finds. */
  takeCheckpoint({ turns, calls }: SessionTotals, incidents: OpenIncidents, bank: DetectorBank): void {
    this.checkpoint = {
      turns,
      calls,
      incidents: incidents.slots(),
      detectors: bank.revocableStates(),
      history: bank.calls?.snapshot() ?? null,
    };
  }

  /** Whether this event only says that the turn that is streamed again begins. */
  repeatsBeginning(type: KnownEvent['type']): boolean {
    if (!this.awaitsBeginning) return false;
    if (belongsToTurn(type) || type === 'prompt_started' || type === 'turn_started')
      this.awaitsBeginning = false;
    return type === 'turn_started' && this.reportsTurns;
  }

  /** Takes note of an event after all others have. */
  advance(type: KnownEvent['type']): void {
    if (type === 'turn_started') this.reportsTurns = true;
    if (type === 'turn_started' || type === 'prompt_started' || type === 'session_ended') this.clear();
    else if (!this.reportsTurns && endsTurn(type)) this.clear();
  }

  /** Ends the incidents that the turn opened; those that it found open go on, with what was told of them. */
  closeRetracted(incidents: OpenIncidents, bank: DetectorBank, step: SessionStep): void {
    if (this.checkpoint === null) return;
    const before = new Map(this.checkpoint.incidents);
    bank.closeRevocable(step);
    step.findings = step.findings.filter((finding) => {
      const slot = slotOf(finding);
      return incidents.id(slot) !== before.get(slot);
    });
  }

  /** The turn is streamed again: what it added to detectors and counters goes; offsets, indices and costs go on. */
  rewind(totals: SessionTotals, bank: DetectorBank, plan: DetectionPlan): void {
    this.awaitsBeginning = true;
    for (const [slot, count] of this.lastReported ?? []) {
      this.retracted ??= new Map<string, number>();
      this.retracted.set(slot, Math.max(count, this.retracted.get(slot) ?? 0));
    }
    this.lastReported = undefined;
    if (this.checkpoint === null) return;
    const { turns, calls, detectors, history } = this.checkpoint;
    totals.turns = turns;
    totals.calls = calls;
    bank.rewind(plan, detectors, history);
  }

  /**
   * The finding to report, if any: an incident that was resolved in the retracted part reopens only
   * when its loop goes further than it did.
   */
  reportable(finding: Finding, slot: string, isOpen: boolean): Finding | undefined {
    if (finding.phase === 'resolved' && !isOpen) return undefined;
    if (finding.phase === 'escalated') {
      if (finding.count <= (this.retracted?.get(slot) ?? -1)) return undefined;
      if (!isOpen) return this.noteReported({ ...finding, phase: 'opened' }, slot);
    }
    if (finding.phase === 'opened') this.retracted?.delete(slot);
    return this.noteReported(finding, slot);
  }

  private noteReported(finding: Finding, slot: string): Finding {
    if (this.checkpoint === null) return finding;
    this.lastReported ??= new Map<string, number>();
    this.lastReported.set(slot, Math.max(finding.count, this.lastReported.get(slot) ?? 0));
    return finding;
  }

  private clear(): void {
    this.checkpoint = null;
    this.lastReported = undefined;
    this.retracted = undefined;
  }

  snapshot(): LastTurnSnapshot {
    const { checkpoint, reportsTurns, awaitsBeginning } = this;
    return {
      checkpoint,
      reportsTurns,
      awaitsBeginning,
      told: [...(this.lastReported ?? [])],
      taken: [...(this.retracted ?? [])],
    };
  }

  static restore(snapshot: LastTurnSnapshot): LastTurn {
    const turn = new LastTurn();
    turn.checkpoint = snapshot.checkpoint;
    turn.reportsTurns = snapshot.reportsTurns;
    turn.awaitsBeginning = snapshot.awaitsBeginning;
    if (snapshot.told.length > 0) turn.lastReported = new Map(snapshot.told);
    if (snapshot.taken.length > 0) turn.retracted = new Map(snapshot.taken);
    return turn;
  }
}

/** Types of events that are a part of a turn. */
function belongsToTurn(type: KnownEvent['type']): boolean {
  return type === 'content' || type === 'thought' || type === 'tool_call_request' || endsTurn(type);
}

/** Types that end a turn where its beginning is not reported. */
function endsTurn(type: KnownEvent['type']): boolean {
  return type === 'tool_result' || type === 'turn_finished';
}

export interface LastTurnSnapshot {
  readonly checkpoint: Checkpoint | null;
  readonly reportsTurns: boolean;
  readonly awaitsBeginning: boolean;
  readonly told: readonly (readonly [string, number])[];
  readonly taken: readonly (readonly [string, number])[];
}
