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
import type { CallHistory } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { CallStep } from '../calls/step.ts';
import type { RoundEvidence, Sentence } from './shown-calls.ts';

/** What a threshold is made of: a setting, and why its number is not taken as it is. */
export interface ThresholdBase {
  /** Dotted path of the setting. */
  readonly setting: string;
  readonly value: number;
  readonly adjustments?: readonly ThresholdAdjustment[];
}

/** What a detector concludes at one event, before it becomes a verdict. */
export interface Finding<D extends DetectorId = DetectorId> {
  readonly detector: D;
  /** Default: loop. */
  readonly kind?: Verdict['kind'];
  readonly phase: VerdictPhase;
  readonly action: VerdictAction;
  readonly outcome?: VerdictOutcome;
  /** Tells the incidents of one detector apart that can be open at the same time: the tool, or nothing. */
  readonly key: string;
  readonly count: number;
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
  readonly windowMs: number | null;
  readonly period: number;
  readonly tool: { readonly name: string; readonly signature: string } | null;
  /** Default: 1. */
  readonly confidence?: number;
  readonly reason: string;
  /** The reason without what the agent and its tools wrote; default: there is nothing of it in the reason. */
  readonly plainReason?: string;
  /** Where these say the count; undefined where they say none. */
  readonly countAt?: number | undefined;
  readonly plainCountAt?: number | undefined;
  readonly guidance?: string;
  readonly evidence: EvidenceOf<D>;
  /** Where the loop began, as opposed to where it was noticed. */
  readonly since: Mark;
  /** Calls in the loop, where it is one of calls. */
  readonly calls?: number;
  /** Offset of the deciding unit in the session's text, for findings in text. */
  readonly at?: number;
}

/** The current event and the state of its session, as detectors see them. */
export interface EventStep {
  readonly event: KnownEvent;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Offset of the event's first unit in the session's answer text, and in its reasoning text. */
  readonly contentOffset: number;
  readonly thoughtOffset: number;
  /** US dollars of the turn that the event ends, where its price is known. */
  readonly cost: number | undefined;
  /** The calls with their results, where a detector needs them; brought up to this event. */
  readonly calls: CallHistory | null;
  /** The session as it stands before this event; one object per event, safe to keep. */
  mark(): Mark;
  /** Reports a finding; the order of the calls is the order of the verdicts. */
  emit(finding: Finding): void;
  /** An open incident continues, which is not reported. */
  noteProgress(slot: string, count: number): void;
  /** Tells that a model request begins, and which of those allowed in a prompt it is. */
  noteTurnRequest(number: number, allowed: number): void;
}

/** A detector's state for one session: pure, no I/O, no clock, bounded memory. */
export interface Detector {
  /** `false`: what it concludes stands, even where the turn is streamed again. */
  readonly isRevocable?: false;
  push(step: EventStep): void;
  /**
   * Ends what is open and forgets everything: detection was switched off (`disabled`), the session is over (`ended`),
   * or the turn is streamed again (`recovered`).
   */
  close(step: EventStep, outcome: VerdictOutcome): void;
  /**
   * State as JSON, `null` where it is that of a new detector; what comes later does not change it. Taken once a turn,
   * so it has to be cheap.
   */
  snapshot(): unknown;
  /** The counterpart of {@link Detector.snapshot} of a detector with the same options. */
  restore(snapshot: unknown): void;
}

/** The state of a call's repetition, whether or not it is reported. */
export interface Standing {
  /** Alike calls so far, this one included. */
  readonly count: number;
  /** What the open incident that the call repeats asks for; `none` where it repeats none. */
  readonly action: VerdictAction;
}

/** What a detector has to say of its loop as it is now: a finding, but for what the incident itself knows. */
export type Account<D extends DetectorId> = Omit<
  Finding<D>,
  'phase' | 'action' | 'outcome' | 'count' | 'since' | 'key' | 'windowMs' | 'period' | 'tool'
> &
  Partial<Pick<Finding<D>, 'key' | 'windowMs' | 'period' | 'tool'>>;

/** Detectors that work on steps. */
export type RoundDetector = 'tool-repeat' | 'tool-cycle' | 'stagnation' | 'outage';

/** What a rule over rounds says of the pattern it sees. */
export interface Pattern<D extends RoundDetector>
  extends Omit<Account<D>, 'detector' | 'tool' | 'evidence' | keyof Sentence>,
    Sentence {
  /** Without what it says of the rounds. */
  readonly evidence: Omit<EvidenceOf<D>, keyof RoundEvidence>;
  readonly count: number;
  readonly mode: Mode;
  /** The steps that make the pattern, oldest first, as far as they are remembered. */
  readonly rounds: readonly CallStep[];
  /** Steps of the pattern, where its count is of something else. */
  readonly steps?: number;
  /** Where it began; default: with the first of the rounds. */
  readonly since?: Mark;
}

/** What tells an open incident apart from the others, and its id. */
export type IncidentSlot = readonly [slot: string, id: string];
/** An open incident as it is saved; of one that an earlier version saved only slot and id are known. */
export type OpenIncident = readonly [slot: string, id: string, progress?: IncidentProgress];

/** How far an incident has got, whether or not that was reported. */
export interface IncidentProgress {
  readonly since: Mark;
  readonly count: number;
  /** Calls in the loop, where it is one of calls. */
  readonly calls: number | undefined;
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
