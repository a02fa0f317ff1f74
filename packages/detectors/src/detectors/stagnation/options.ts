import type { EvidenceOf, Mode } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import type { CallStep } from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import type { Sentence } from '../../incident/shown-calls.ts';

/** Thresholds of the rules; the detector's documentation names the runs they were calibrated on. */
export interface StagnationOptions {
  /** Consecutive steps that fail with the same error, with varying arguments. */
  readonly sameError: number;
  /** The same failing call with the same error, or changes rejected for the same reason, with reads in between. */
  readonly sameFailure: number;
  /** The same call with the same result, with other steps in between that change nothing. */
  readonly sameResult: number;
  /** Consecutive steps in which one reading tool returns the same answer, whatever its arguments. */
  readonly sameAnswer: number;
  /** The same prompt from a harness, without any effect. */
  readonly samePrompt: number;
  /** Consecutive steps that bring nothing new. */
  readonly nothingNew: number;
  readonly mode: Mode;
  /** Maximum cycle length, in steps, that tool-cycle finds and reports itself; 1 if that detector is off. */
  readonly longestCycle: number;
}

/** Input of a rule in addition to the calls. */
export interface RuleContext {
  readonly options: StagnationOptions;
  readonly knowledge: CallKnowledge;
  /** An upper bound, including the latest step, for the steps that contain a call of it. */
  readonly digests: { sameCalls(): number };
  /** Whether the detector has an open incident. */
  readonly isOpen: boolean;
}

/** A pattern that a rule found at the latest step. */
export interface RuleMatch extends Sentence {
  /** Names the rule in the evidence. */
  readonly rule: EvidenceOf<'stagnation'>['rule'];
  /** The remembered steps of the pattern, oldest first. */
  readonly steps: readonly CallStep[];
  readonly count: number;
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
}

/** Examines the calls of a session's current prompt, each time a step has settled. */
export type StagnationRule = (
  calls: CallHistory & { readonly settled: CallStep },
  context: RuleContext,
) => RuleMatch | null;
