import { useQuery } from '@tanstack/react-query';
import { breakdownQuery } from './breakdown.ts';

/** The agents, models or tools of the last 30 days, those with the most loops first. */
export function useKnownNames(groupBy: 'agent' | 'model' | 'tool'): string[] {
  const view = { groupBy, range: { kind: 'last', span: '30d' }, sort: '-incidents' } as const;
  const { data } = useQuery({ ...breakdownQuery(view), refetchInterval: false });
  return data?.groups.flatMap(({ value }) => value ?? []) ?? [];
}
