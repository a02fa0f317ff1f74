import { QUIET_AFTER_MS } from '@loopwatch/contract';

/** The states of the contract's `incidentAt` and `sessionAt` in SQL. What is stored knows of no quiet: that is for the clock. */

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
 * The triage status as it counts: what was decided on the incident itself, else the mute by cause that it fits.
 *
 * @param now the parameter's name: wall clock, epoch ms
 */
export function triageSql(now: string): string {
  const holds = (until: string): string => `(${until} is null or ${until} > ${now}::float8)`;
  return `case when triage in ('acknowledged', 'false_positive') then triage
    when triage = 'muted' and ${holds('muted_until')} then 'muted'
    when mute_id is not null and ${holds('mute_until')} then 'muted' else 'new' end`;
}

/** Condition in SQL: a person has said that the incident needs no look. @param now as that of {@link triageSql} */
export function isDismissedSql(now: string): string {
  return `${triageSql(now)} in ('muted', 'false_positive')`;
}
