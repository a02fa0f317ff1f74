import { QUIET_AFTER_MS } from '@loopwatch/contract';
import { isDismissedSql } from '@loopwatch/storage';

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

/** SQL condition: the incident counts as open, neither quiet nor dismissed. @param now as in {@link isDismissedSql} */
export function isOpenSql(now: string): string {
  return `(state = 'open' and ${isActiveSql(now)} and not ${isDismissedSql(now)})`;
}

/** SQL: whether the session with this id is stopped, alone or with the one that started it. @param id an expression */
export function isStoppedSql(id: string): string {
  return `${id} in (
    with recursive family as (
      select substr(st.scope, 9) as id from settings st
      where st.scope like 'session:%' and st."values" -> 'stopped' = 'true'::jsonb
      union select sub.id from sessions sub join family on sub.parent = family.id
      where not exists (select 1 from settings st
        where st.scope = 'session:' || sub.id and st."values" -> 'stopped' = 'false'::jsonb)
    ) select id from family)`;
}
