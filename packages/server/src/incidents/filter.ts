import type { IncidentFilter } from '@loopwatch/contract/api';
import { Conditions } from '../storage/conditions.ts';
import { incidentStateSql, isDismissedSql, triageSql } from '../storage/state-sql.ts';

/** @param now wall clock, epoch ms: a muted incident whose time is over counts as new, an open one that is silent as quiet */
export function incidentConditions(filter: IncidentFilter, now: number): Conditions {
  const conditions = new Conditions();
  const { q, detector, kind, state, action, tool, sessionId, model, backend, agent, tenant, group } = filter;
  conditions.contains('search', q);
  conditions.anyOf('detector', detector);
  conditions.anyOf('kind', kind);
  conditions.anyOf('action', action);
  conditions.anyOf('tool', tool);
  conditions.anyOf('session_id', sessionId);
  conditions.anyOf('model', model);
  conditions.anyOf('backend', backend);
  conditions.anyOf('agent', agent);
  conditions.anyOf('tenant', tenant);
  conditions.anyOf('agent_version', filter.agentVersion);
  conditions.anyTag('tags', filter.tag);
  conditions.anyOf("coalesce(assignee, '')", filter.assignee);
  conditions.anyOf('group_key', group);
  conditions.between('detected_at', filter.from, filter.to);
  if (state !== undefined && state.length > 0) {
    conditions.anyOf(incidentStateSql(conditions.parameter(now)), state);
    // Of those there are few, and an index knows them.
    if (!state.includes('resolved')) conditions.add("state = 'open'");
  }
  if (filter.triage !== undefined) conditions.anyOf(triageSql(conditions.parameter(now)), filter.triage);
  if (filter.open !== undefined) {
    const at = conditions.parameter(now);
    const open = `(${incidentStateSql(at)} = 'open' and not ${isDismissedSql(at)})`;
    conditions.add(filter.open ? open : `not ${open}`);
  }
  return conditions;
}
