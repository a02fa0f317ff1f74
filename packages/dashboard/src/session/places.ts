import type { IncidentItem } from '@loopwatch/contract/api';

/** The address of a loop in its session's page: the event at which it began, where the verdict says so. */
export function whereItBegan({ id, began }: Pick<IncidentItem, 'id' | 'began'>): Record<string, string> {
  return began === undefined ? { incident: id } : { at: String(began.eventIndex) };
}
