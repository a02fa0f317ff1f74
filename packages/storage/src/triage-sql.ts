import type { Queryable } from './database.ts';
import { jsonText } from './json-text.ts';

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

/** Which of these incidents are muted or false positives. @param now wall clock, epoch ms */
export async function dismissedAmong(
  database: Queryable,
  incidentIds: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from incidents where id in (select jsonb_array_elements_text($1::jsonb)) and ${isDismissedSql('$2')}`,
    [jsonText(incidentIds), now],
  );
  return rows.map(({ id }) => id);
}
