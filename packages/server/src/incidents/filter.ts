import type { IncidentFilter } from '@loopwatch/contract/api';
import { triageSql } from '@loopwatch/storage';
import { Conditions } from '../storage/conditions.ts';
import { isInStateSql, isOpenSql } from '../storage/state-sql.ts';

/**
 * @param now wall clock, epoch ms: an expired mute counts as new, an open incident without recent events as quiet
 * @param parameters those of another clause in the same statement
 */
export function incidentConditions(
  filter: IncidentFilter,
  now: number,
  parameters: unknown[] = [],
): Conditions {
  const conditions = new Conditions(parameters);
  const { q, detector, kind, state, action, tool, sessionId, group } = filter;
  conditions.searches('incidents.session_id', q, 'search');
  conditions.anyOf('detector', detector);
  conditions.anyOf('kind', kind);
  conditions.anyOf('action', action);
  conditions.anyOf('tool', tool);
  conditions.anyOf('session_id', sessionId);
  conditions.labels(filter);
  conditions.anyOf("coalesce(assignee, '')", filter.assignee);
  conditions.anyOf('group_key', group);
  conditions.between('detected_at', filter.from, filter.to);
  if (state !== undefined && state.length > 0)
    conditions.add(isInStateSql('open', state, () => conditions.parameter(now)));
  if (filter.triage !== undefined) conditions.anyOf(triageSql(conditions.parameter(now)), filter.triage);
  if (filter.open !== undefined) {
    const open = isOpenSql(conditions.parameter(now));
    conditions.add(filter.open ? open : `not ${open}`);
  }
  return conditions;
}
