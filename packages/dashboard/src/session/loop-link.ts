import type { IncidentItem } from '@loopwatch/contract/api';

/** Search parameters of the session page that lead to an event of the incident's part of the session. */
export function eventSearch(
  { source }: Pick<IncidentItem, 'source'>,
  eventIndex: number,
): Record<string, string> {
  return { at: String(eventIndex), ...(source !== null && { part: source.offset }) };
}

/** Search parameters of the session page that lead to the start of a loop. */
export function loopSearch(incident: Pick<IncidentItem, 'id' | 'began' | 'source'>): Record<string, string> {
  const { id, began } = incident;
  return began === undefined ? { incident: id } : eventSearch(incident, began.eventIndex);
}
