import type { IncidentRow, NotificationRules } from '@loopwatch/contract';

/** The fields of an incident that rules match. */
export type RuleSubject = Pick<
  IncidentRow,
  'kind' | 'detector' | 'action' | 'agent' | 'model' | 'tool' | 'cost'
>;

/** Whether an incident matches the rules of a notification. Unknown costs reach no minimum. */
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
