import type { IncidentItem } from '@loopwatch/contract/api';

/** Search parameters of the session page that lead to the start of a loop. */
export function loopSearch({ id, began }: Pick<IncidentItem, 'id' | 'began'>): Record<string, string> {
  return began === undefined ? { incident: id } : { at: String(began.eventIndex) };
}
