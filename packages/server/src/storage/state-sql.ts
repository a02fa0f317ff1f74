import { QUIET_AFTER_MS } from '@loopwatch/contract';

/** The states of the contract's `incidentAt` and `sessionAt` as SQL. Quiet is not stored: it depends on the clock. */

/** @param now the parameter's name: wall clock, epoch ms */
export function incidentStateSql(now: string): string {
  return `case when state = 'open' and ${isQuietSql(now)} then 'quiet' else state end`;
}

/** @param now the parameter's name: wall clock, epoch ms */
export function sessionStateSql(now: string): string {
  return `case when state = 'live' and ${isQuietSql(now)} then 'quiet' else state end`;
}

function isQuietSql(now: string): string {
  return `active_at <= ${now}::float8 - ${String(QUIET_AFTER_MS)}`;
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
  return `(${incidentStateSql(now)} = 'open' and not ${isDismissedSql(now)})`;
}

/** SQL: whether the session with this id is stopped. @param id an expression */
export function isStoppedSql(id: string): string {
  return `exists (select 1 from settings st where st.scope = 'session:' || ${id} and st."values" -> 'stopped' = 'true'::jsonb)`;
}
