import { QUIET_AFTER_MS } from '@loopwatch/contract';

/** The states of the contract's `incidentAt` and `sessionAt` as SQL. Quiet is not stored: it depends on the clock. */

/** @param now the parameter's name: wall clock, epoch ms */
export function incidentStateSql(now: string): string {
  return `case when state = 'open' and not ${isActiveSql(now)} then 'quiet' else state end`;
}

/** SQL condition: what is stored as live or open counts as such. @param now as in {@link incidentStateSql} */
function isActiveSql(now: string): string {
  return `active_at > ${now}::float8 - ${String(QUIET_AFTER_MS)}`;
}

/**
 * SQL condition: a session or an incident has one of the states. Its parts are such that indexes find the few rows that are
 * active.
 *
 * @param active what is stored of those that are live or open, or quiet
 * @param parameter names the parameter with the wall clock, epoch ms, if there is one
 */
export function isInStateSql(
  active: 'live' | 'open',
  states: readonly string[],
  parameter: () => string,
): string {
  const others = states.filter((state) => state !== active && state !== 'quiet');
  const isStored = `state = '${active}'`;
  const conditions = [
    ...others.map((state) => `state = '${state}'`),
    ...(states.includes(active) && states.includes('quiet')
      ? [isStored]
      : [
          ...(states.includes(active) ? [`${isStored} and ${isActiveSql(parameter())}`] : []),
          ...(states.includes('quiet') ? [`${isStored} and not ${isActiveSql(parameter())}`] : []),
        ]),
  ];
  return `(${conditions.join(' or ')})`;
}

/**
 * The effective triage status: of the incident itself, else of a mute by cause that matches it.
 *
 * @param now the parameter's name: wall clock, epoch ms
 */
export function triageSql(now: string): string {
  const holds = (until: string): string => `(${until} is null or ${until} > ${now}::float8)`;
  return `case when triage in ('acknowledged', 'false_positive') then triage
    when triage = 'muted' and ${holds('muted_until')} then 'muted'
    when mute_id is not null and ${holds('mute_until')} then 'muted' else 'new' end`;
}

/** SQL condition: a person has muted the incident, or marked it as a false positive. @param now as in {@link triageSql} */
export function isDismissedSql(now: string): string {
  return `${triageSql(now)} in ('muted', 'false_positive')`;
}

/** SQL condition: the incident counts as open, neither quiet nor dismissed. @param now as in {@link triageSql} */
export function isOpenSql(now: string): string {
  return `(state = 'open' and ${isActiveSql(now)} and not ${isDismissedSql(now)})`;
}

/** SQL: whether the session with this id is stopped. @param id an expression */
export function isStoppedSql(id: string): string {
  return `exists (select 1 from settings st where st.scope = 'session:' || ${id} and st."values" -> 'stopped' = 'true'::jsonb)`;
}
