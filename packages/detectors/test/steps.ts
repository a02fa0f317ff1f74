import { type AgentEvent, type DetectionInput, ruleOf } from '@loopwatch/contract';
import type { PureVerdict } from '../src/index.ts';
import { call, run } from './sessions.ts';

/** A step as a test writes it: the tool's name, and a result where one is reported. */
export type ShortStep = string | readonly [name: string, result: unknown, args?: Record<string, unknown>];

/** One turn a step. `'a'` is a call of tool a whose result is not reported. */
export function turns(...steps: readonly ShortStep[]): AgentEvent[] {
  return steps.flatMap((step): AgentEvent[] => [{ type: 'turn_started' }, ...callsOf(step)]);
}

function callsOf(step: ShortStep): AgentEvent[] {
  if (typeof step === 'string') return [call(step)];
  const [name, result, args] = step;
  return [call(name, args ?? {}), { type: 'tool_result', result }];
}

/** `ABAB` as steps, each letter a tool with a result of its own that says something. */
export function letters(sequence: string): ShortStep[] {
  return Array.from(sequence, (letter) => [letter, `what there is to know of ${letter}, always`]);
}

/** Steps times n. */
export function times(count: number, ...steps: readonly ShortStep[]): ShortStep[] {
  return Array.from({ length: count }, () => steps).flat();
}

/** What preset balanced says of the events, a line a verdict. */
export function said(events: readonly AgentEvent[], config: DetectionInput = {}): string[] {
  return run(events, { preset: 'balanced', ...config }).map(line);
}

function line(verdict: PureVerdict): string {
  const { detector, phase, action, outcome, count, period } = verdict;
  const rule = ruleOf(verdict.evidence);
  const name = rule === null ? detector : `${detector}/${rule}`;
  const cycle = detector === 'tool-cycle' ? ` period ${String(period)}` : '';
  return `${name} ${phase} ${outcome ?? action} ${String(count)}${cycle}`;
}
