import type { IncidentRow, NotificationRules } from '@loopwatch/contract';

/** What the rules look at. */
export type RuleSubject = Pick<
  IncidentRow,
  'kind' | 'detector' | 'action' | 'agent' | 'model' | 'tool' | 'cost'
>;

/** Whether an incident is one that a notification asks for. Numbers that are not known reach no minimum. */
export function matches(when: NotificationRules, incident: RuleSubject): boolean {
  const { kind, detector, action, agent, model, tool, cost } = incident;
  return (
    isOneOf(when.kind, kind) &&
    isOneOf(when.detector, detector) &&
    isOneOf(when.action, action) &&
    isOneOf(when.agent, agent) &&
    isOneOf(when.model, model) &&
    isOneOf(when.tool, tool?.name) &&
    reaches(when.min_usd, cost.usd) &&
    reaches(when.min_tokens, cost.tokens)
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, value: string | null | undefined): boolean {
  if (wanted === undefined) return true;
  return value != null && (typeof wanted === 'string' ? wanted === value : wanted.includes(value));
}

function reaches(minimum: number | undefined, value: number | null | undefined): boolean {
  return minimum === undefined || (value ?? -1) >= minimum;
}
