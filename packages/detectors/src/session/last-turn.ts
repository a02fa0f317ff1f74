import type { KnownEvent } from '@loopwatch/contract';
import type { HistorySnapshot } from '../calls/call-history.ts';
import type { CallStep } from '../calls/step.ts';
import type { Finding, IncidentSlot } from '../incident/finding.ts';
import { slotOf } from '../incident/incident.ts';
import type { OpenIncidents } from '../incident/open-incidents.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import type { DetectorBank, SessionStep } from './detector-bank.ts';
import type { SessionTotals } from './session-account.ts';

/** The state to restore when a session's last turn is streamed again. */
interface Checkpoint {
  readonly turns: number;
  readonly calls: number;
  /** Ids of the incidents that were open, by slot. */
  readonly incidents: readonly IncidentSlot[];
  /** One entry per detector kind; in memory, possibly a function that completes it. */
  readonly detectors: readonly unknown[];
  readonly history: HistorySnapshot | null;
}

/**
 * The start of the last turn. A turn starts with its `turn_started`; if a session reports none, after the last
 * prompt, tool result or finished turn. The state is captured at the first event of the turn, so that consecutive
 * boundaries cost nothing. There is at most one checkpoint per session.
 *
 * Reports are never retracted: if the repeated turn leads to the same finding, it is not reported again.
 */
export class LastTurn {
  #checkpoint: Checkpoint | null = null;
  /** Whether the session reports turns at all. */
  #reportsTurns = false;
  /** Whether the turn is about to be streamed again and none of its events has arrived yet. */
  #awaitsBeginning = false;
  /** Highest count reported since the checkpoint, by slot; undefined if nothing was reported. */
  #lastReported: Map<string, number> | undefined;
  /** Highest count reported in the retracted part, by slot. */
  #retracted: Map<string, number> | undefined;

  /** Whether the event is the first of the turn to add something that may have to be retracted. */
  startsTurn(type: KnownEvent['type']): boolean {
    return this.#checkpoint === null && belongsToTurn(type) && (this.#reportsTurns || !endsTurn(type));
  }

  /** Captures the state at the start of the turn. */
  takeCheckpoint({ turns, calls }: SessionTotals, incidents: OpenIncidents, bank: DetectorBank): void {
    this.#checkpoint = {
      turns,
      calls,
      incidents: incidents.slots(),
      detectors: bank.checkpoint(),
      history: bank.calls?.snapshot() ?? null,
    };
  }

  /** Whether this event only announces the turn that is being streamed again. */
  repeatsBeginning(type: KnownEvent['type']): boolean {
    if (!this.#awaitsBeginning) return false;
    if (belongsToTurn(type) || type === 'prompt_started' || type === 'turn_started')
      this.#awaitsBeginning = false;
    return type === 'turn_started' && this.#reportsTurns;
  }

  /** Advances past an event; call last, after all detectors. */
  advance(type: KnownEvent['type']): void {
    if (type === 'turn_started') this.#reportsTurns = true;
    if (type === 'turn_started' || type === 'prompt_started' || type === 'session_ended') this.#clear();
    else if (!this.#reportsTurns && endsTurn(type)) this.#clear();
  }

  /** Ends the incidents that the turn opened; those that were already open continue, with their reported counts. */
  closeRetracted(incidents: OpenIncidents, bank: DetectorBank, step: SessionStep): void {
    if (this.#checkpoint === null) return;
    const before = new Map(this.#checkpoint.incidents);
    bank.closeRevocable(step);
    step.findings = step.findings.filter((finding) => {
      const slot = slotOf(finding);
      return incidents.id(slot) !== before.get(slot);
    });
  }

  /**
   * Call when the turn is streamed again: reverts what it added to detectors and counters; offsets, indexes and costs
   * continue.
   */
  rewind(totals: SessionTotals, bank: DetectorBank, plan: DetectionPlan): void {
    this.#awaitsBeginning = true;
    for (const [slot, count] of this.#lastReported ?? []) {
      this.#retracted ??= new Map<string, number>();
      this.#retracted.set(slot, Math.max(count, this.#retracted.get(slot) ?? 0));
    }
    this.#lastReported = undefined;
    if (this.#checkpoint === null) return;
    const { turns, calls, detectors, history } = this.#checkpoint;
    totals.turns = turns;
    totals.calls = calls;
    bank.rewind(plan, statesOf(detectors), history);
  }

  /**
   * The finding to report, if any: an incident that was resolved in the retracted part reopens only when its loop
   * goes further than before.
   */
  reportable(finding: Finding, slot: string, isOpen: boolean): Finding | undefined {
    if (finding.phase === 'resolved' && !isOpen) return undefined;
    if (finding.phase === 'escalated') {
      if (finding.count <= (this.#retracted?.get(slot) ?? -1)) return undefined;
      if (!isOpen) return this.#noteReported({ ...finding, phase: 'opened' }, slot);
    }
    if (finding.phase === 'opened') this.#retracted?.delete(slot);
    return this.#noteReported(finding, slot);
  }

  #noteReported(finding: Finding, slot: string): Finding {
    if (this.#checkpoint === null) return finding;
    this.#lastReported ??= new Map<string, number>();
    this.#lastReported.set(slot, Math.max(finding.count, this.#lastReported.get(slot) ?? 0));
    return finding;
  }

  #clear(): void {
    this.#checkpoint = null;
    this.#lastReported = undefined;
    this.#retracted = undefined;
  }

  /** @param rounds the session's steps, most of which the checkpoint contains too */
  snapshot(rounds: readonly CallStep[]): LastTurnSnapshot {
    const checkpoint = this.#checkpoint;
    const reportsTurns = this.#reportsTurns;
    const awaitsBeginning = this.#awaitsBeginning;
    return {
      checkpoint: checkpoint && storedCheckpoint(checkpoint, rounds),
      reportsTurns,
      awaitsBeginning,
      reported: [...(this.#lastReported ?? [])],
      taken: [...(this.#retracted ?? [])],
    };
  }

  /** @param rounds the session's restored steps */
  static restore(snapshot: LastTurnSnapshot, rounds: readonly CallStep[]): LastTurn {
    const turn = new LastTurn();
    turn.#checkpoint = snapshot.checkpoint && restoredCheckpoint(snapshot.checkpoint, rounds);
    turn.#reportsTurns = snapshot.reportsTurns;
    turn.#awaitsBeginning = snapshot.awaitsBeginning;
    if (snapshot.reported.length > 0) turn.#lastReported = new Map(snapshot.reported);
    if (snapshot.taken.length > 0) turn.#retracted = new Map(snapshot.taken);
    return turn;
  }
}

/** The states of a checkpoint, up to the last detector that has one. */
function statesOf(checkpoint: readonly unknown[]): readonly unknown[] {
  const states = checkpoint.map((state) =>
    typeof state === 'function' ? (state as () => unknown)() : state,
  );
  return states.slice(0, states.findLastIndex((state) => state !== null) + 1);
}

/** A checkpoint as JSON; a step that the session still has is replaced by its index there. */
type StoredCheckpoint = Omit<Checkpoint, 'history'> & {
  readonly history:
    | (Omit<HistorySnapshot, 'rounds'> & { readonly rounds: readonly (CallStep | number)[] })
    | null;
};

function storedCheckpoint(checkpoint: Checkpoint, rounds: readonly CallStep[]): StoredCheckpoint {
  const { history } = checkpoint;
  const stored = (step: CallStep) => {
    const index = rounds.indexOf(step);
    return index === -1 ? step : index;
  };
  return {
    ...checkpoint,
    detectors: statesOf(checkpoint.detectors),
    history: history && { ...history, rounds: history.rounds.map(stored) },
  };
}

function restoredCheckpoint({ history, ...rest }: StoredCheckpoint, rounds: readonly CallStep[]): Checkpoint {
  const restored = (step: CallStep | number) => (typeof step === 'number' ? (rounds[step] ?? []) : step);
  return { ...rest, history: history && { ...history, rounds: history.rounds.flatMap(restored) } };
}

/** Whether events of this type are part of a turn. */
function belongsToTurn(type: KnownEvent['type']): boolean {
  return type === 'content' || type === 'thought' || type === 'tool_call_request' || endsTurn(type);
}

/** Whether events of this type end a turn, if turn starts are not reported. */
function endsTurn(type: KnownEvent['type']): boolean {
  return type === 'tool_result' || type === 'turn_finished';
}

export interface LastTurnSnapshot {
  readonly checkpoint: StoredCheckpoint | null;
  readonly reportsTurns: boolean;
  readonly awaitsBeginning: boolean;
  readonly reported: readonly (readonly [string, number])[];
  readonly taken: readonly (readonly [string, number])[];
}
