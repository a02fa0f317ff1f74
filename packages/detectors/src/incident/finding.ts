import type {
  DetectorId,
  EvidenceOf,
  KnownEvent,
  Mode,
  ThresholdAdjustment,
  Verdict,
  VerdictAction,
  VerdictOutcome,
  VerdictPhase,
} from '@loopwatch/contract';
import type { CallHistory, HistorySnapshot } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { CallStep } from '../calls/step.ts';
import type { RoundEvidence, Sentence } from './shown-calls.ts';
import type { OwnUse } from './waste.ts';

/** The basis of a threshold: a setting, and the reasons for any adjustment of its value. */
export interface ThresholdBase {
  /** Dotted path of the setting. */
  readonly setting: string;
  readonly value: number;
  readonly adjustments?: readonly ThresholdAdjustment[];
}

/** A detector's conclusion at one event, before it becomes a verdict. */
export interface Finding<D extends DetectorId = DetectorId> {
  readonly detector: D;
  /** Default: loop. */
  readonly kind?: Verdict['kind'];
  readonly phase: VerdictPhase;
  readonly action: VerdictAction;
  readonly outcome?: VerdictOutcome;
  /** Distinguishes incidents of one detector that can be open at the same time: the tool, or empty. */
  readonly key: string;
  readonly count: number;
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
  readonly windowMs: number | null;
  readonly period: number;
  readonly tool: { readonly name: string; readonly signature: string } | null;
  /** Identities of the calls that continue the loop; default: none. */
  readonly repeats?: readonly string[];
  /** Whether similar calls of the tool continue it, too. */
  readonly repeatsAlike?: true;
  /** Default: 1. */
  readonly confidence?: number;
  readonly reason: string;
  /** The reason without text from the agent and its tools; default: the reason contains none. */
  readonly plainReason?: string;
  /** Index of the count in these texts; undefined if they do not contain it. */
  readonly countAt?: number | undefined;
  readonly plainCountAt?: number | undefined;
  readonly guidance?: string;
  readonly evidence: EvidenceOf<D>;
  /** Where the loop started, as opposed to where it was detected. */
  readonly since: Mark;
  /** Calls in the loop, if it is a loop of calls. */
  readonly calls?: number;
  /** Offset of the deciding unit in the session's text, for findings in text. */
  readonly at?: number;
}

/** The current event and its session's state, as seen by detectors. */
export interface EventStep {
  readonly event: KnownEvent;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Offset of the event's first unit in the session's answer text, and in its reasoning text. */
  readonly contentOffset: number;
  readonly thoughtOffset: number;
  /** US dollars of the turn that the event ends, if its price is known. */
  readonly cost: number | undefined;
  /** The calls with their results up to this event, if a detector needs them. */
  readonly calls: CallHistory | null;
  /** The session before this event; one object per event, safe to store. */
  mark(): Mark;
  /** Reports a finding; the order of the calls is the order of the verdicts. */
  emit(finding: Finding): void;
  /** Notes that an open incident continues, without a report. */
  noteProgress(slot: string, count: number): void;
  /** Notes where an open incident ends if nothing continues it. */
  noteEnd(slot: string, until: Mark): void;
  /** Notes that a model request starts, with its number and the limit per prompt. */
  noteTurnRequest(number: number, allowed: number): void;
}

/** A detector's state for one session: pure, no I/O, no clock, bounded memory. */
export interface Detector {
  /** `false`: its conclusions stand even if the turn is retried. */
  readonly isRevocable?: false;
  push(step: EventStep): void;
  /**
   * Ends open incidents and forgets everything: detection was switched off (`disabled`), the session ended (`ended`),
   * or the turn is retried (`recovered`).
   */
  close(step: EventStep, outcome: VerdictOutcome): void;
  /** The open incidents as of now, as they would be reported; default: nothing has changed since the latest report. */
  current?(): readonly Finding[];
  /** State as JSON, `null` if it equals that of a new detector; later events do not change it. */
  snapshot(): unknown;
  /**
   * A checkpoint that can be completed to the current {@link Detector.snapshot} later. One is taken per turn and rarely
   * needed, so it must be cheap. For a detector without this method, each turn takes a snapshot.
   */
  checkpoint?(): () => unknown;
  /** Restores a {@link Detector.snapshot} of a detector with the same options. */
  restore(snapshot: unknown): void;
}

/** The state of a session's detectors and of their call history. */
export interface BankSnapshot {
  readonly detectors: readonly unknown[];
  readonly calls: HistorySnapshot | null;
}

/** The state of a call's repetition, whether or not it is reported. */
export interface Standing {
  /** Matching calls so far, including this one. */
  readonly count: number;
  /** The action of the open incident that the call repeats; `none` if it repeats none. */
  readonly action: VerdictAction;
}

/** A detector's current description of its loop: a finding without the fields that the incident supplies. */
export type Account<D extends DetectorId> = Omit<
  Finding<D>,
  'phase' | 'action' | 'outcome' | 'count' | 'since' | 'key' | 'windowMs' | 'period' | 'tool'
> &
  Partial<Pick<Finding<D>, 'key' | 'windowMs' | 'period' | 'tool'>>;

/** Detectors that work on steps. */
export type RoundDetector = 'tool-repeat' | 'tool-cycle' | 'stagnation' | 'outage';

/** The pattern that a rule over steps has found. */
export interface Pattern<D extends RoundDetector>
  extends Omit<Account<D>, 'detector' | 'tool' | 'evidence' | keyof Sentence>,
    Sentence {
  /** Without the fields derived from the steps. */
  readonly evidence: Omit<EvidenceOf<D>, keyof RoundEvidence>;
  readonly count: number;
  readonly mode: Mode;
  /** The remembered steps of the pattern, oldest first. */
  readonly rounds: readonly CallStep[];
  /** Number of steps in the pattern, if its count is something else. */
  readonly steps?: number;
  /** Where the pattern started; default: at its first remembered step. */
  readonly since?: Mark;
}

/** The slot of an open incident, unique in its session, and its id. */
export type IncidentSlot = readonly [slot: string, id: string];
/** An open incident as stored; earlier versions stored only slot and id. */
export type OpenIncident = readonly [slot: string, id: string, progress?: IncidentProgress];

/** The progress of an incident, reported or not. */
export interface IncidentProgress {
  readonly since: Mark;
  /** Where the first step since the latest repetition starts, if there is one; absent in earlier versions. */
  readonly until?: Mark | undefined;
  readonly count: number;
  /** Calls in the loop, if it is a loop of calls. */
  readonly calls: number | undefined;
  /** The latest repetition since the incident's latest verdict. */
  readonly latest?: Pick<Mark, 'eventIndex' | 'time'> | undefined;
  /** What it wasted as of the session's latest verdict; undefined for limits and outages. */
  readonly own: OwnUse | undefined;
}

export interface IncidentSnapshot {
  readonly since: Mark;
  readonly mode: Mode;
  readonly action: VerdictAction;
  readonly count: number;
  readonly nextLevel: number;
}

export interface PatternSnapshot<D extends RoundDetector> {
  readonly incident: IncidentSnapshot | undefined;
  readonly pattern: Pattern<D> | undefined;
}

/** A session's labels from its events; each applies until an event changes it. */
export interface Labels {
  readonly promptId: string | null;
  readonly model: string | null;
  readonly backend: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
  /** Absent if no event set it; the same applies to tags. */
  readonly agentVersion?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly parentSessionId?: string;
}

/** Context of a verdict: the session, and the event at which it was found. */
export interface Scene extends Labels {
  readonly sessionId: string;
  /** The session before the event, and after it. */
  readonly before: Mark;
  readonly after: Mark;
}
