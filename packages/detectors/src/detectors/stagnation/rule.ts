import type { EvidenceOf } from '@loopwatch/contract';
import type { CallHistory, Round } from '../../calls/call-history.ts';
import type { CallKnowledge } from '../../calls/call-knowledge.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import type { Sentence } from '../../incident/shown-calls.ts';
import type { StagnationOptions } from './options.ts';

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
  readonly steps: readonly Round[];
  readonly count: number;
  readonly threshold: number;
  readonly thresholdOf: ThresholdBase;
}

/** Looks at the calls of a session's prompt, the latest step settled. */
export type StagnationRule = (
  calls: CallHistory & { readonly settled: Round },
  context: RuleContext,
) => RuleMatch | null;

/** Whether the step may have changed something, so that what was tried before may be tried again. */
export function changesSomething({ kind, calls }: Round): boolean {
  return kind !== 'error' && calls.some(({ nature, result }) => nature.changes && result?.kind !== 'not_run');
}

/** The one tool that a step calls; undefined where it calls several. */
export function soleToolOf({ calls }: Round): string | undefined {
  const [first, ...others] = calls;
  return others.every(({ identity }) => identity.name === first?.identity.name)
    ? first?.identity.name
    : undefined;
}

/** Whether the steps hold different calls. */
export function isVaried(steps: readonly Round[]): boolean {
  return new Set(steps.map(({ key }) => key)).size > 1;
}
