import type { EvidenceOf, Mode } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import type { CallStep } from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import type { Sentence } from '../../incident/shown-calls.ts';

/** Numbers of the rules; which runs they were chosen on is documented with the detector. */
export interface StagnationOptions {
  /** Steps in a row that fail with the same error, under varying arguments. */
  readonly sameError: number;
  /** The same failing call with the same error, or rejected changes for the same reason, with looks in between. */
  readonly sameFailure: number;
  /** The same call with the same result, with other steps in between that change nothing. */
  readonly sameResult: number;
  /** Steps in a row in which one reading tool answers the same, whatever its arguments. */
  readonly sameAnswer: number;
  /** The same prompt of a harness, although nothing comes of it. */
  readonly samePrompt: number;
  /** Steps in a row that bring nothing that was not known. */
  readonly nothingNew: number;
  readonly mode: Mode;
  /** Steps of the longest cycle that tool-cycle finds, whose incident it is then; 1 where that detector is off. */
  readonly longestCycle: number;
}

/** What a rule is told besides the calls. */
export interface RuleContext {
  readonly options: StagnationOptions;
  readonly knowledge: CallKnowledge;
  /** Whether the detector has an incident open. */
  readonly isOpen: boolean;
}

/** A pattern that a rule sees at the latest step. */
export interface RuleMatch extends Sentence {
  /** Names the rule in the evidence. */
  readonly rule: EvidenceOf<'stagnation'>['rule'];
  /** The steps of the pattern, oldest first, as far as they are remembered. */
  readonly steps: readonly CallStep[];
  readonly count: number;
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
}

/** Looks at the calls of a session's prompt, the latest step settled. */
export type StagnationRule = (
  calls: CallHistory & { readonly settled: CallStep },
  context: RuleContext,
) => RuleMatch | null;
