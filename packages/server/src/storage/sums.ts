/* What triggers keep sums of: see the migration `sums`. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The dimensions of `dimension_sums`: the column of each, which is also its stored name. */
export const dimensionColumns = {
  agent: 'agent',
  model: 'model',
  tool: 'tool',
  tenant: 'tenant',
  agentVersion: 'agent_version',
  detector: 'detector',
} as const;

/** SQL: the number of stored sessions. */
export const countOfSessions = `coalesce((select sum(started) from session_edges where width = ${String(HOUR)}), 0)`;

/** SQL: the number of stored incidents. */
export const countOfIncidents = `coalesce((select sum(found) from incident_sums where width = ${String(HOUR)}), 0)`;

/** As `wasteSums`, of the rows of `incident_sums`. */
export const storedWaste = `coalesce(sum(calls), 0)::float8 as calls,
  (case when sum(tokens_known) > 0 then sum(tokens) end)::float8 as tokens,
  (case when sum(usd_known) > 0 then sum(usd) end)::float8 as usd, coalesce(sum(unpriced), 0)::float8 as unpriced`;
