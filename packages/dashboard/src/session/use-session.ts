import { type SessionDetail, sessionAt } from '@loopwatch/contract/api';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../api/sessions.ts';
import { isNewer, itemAt } from '../incidents/merge.ts';
import { useCoarseNow } from '../lib/clock.ts';
import { useLive } from '../live/context.ts';

interface Session {
  /** Undefined until loaded. */
  readonly session: SessionDetail | undefined;
  readonly query: UseQueryResult<SessionDetail>;
}

/** A session as loaded, with live updates on top. */
export function useSession(id: string): Session {
  const query = useQuery(sessionQuery(id));
  const client = useQueryClient();
  const live = useLive(({ sessions }) => sessions.get(id));
  const loops = useLive((state) => state.incidents);
  const now = useCoarseNow();
  const { data } = query;

  // Live session updates do not include the list of incidents.
  const incidents = live?.incidents.total;
  const open = live?.incidents.open;
  useEffect(() => {
    if (incidents !== undefined) void client.invalidateQueries({ queryKey: sessionQuery(id).queryKey });
  }, [client, id, incidents, open]);
  if (data === undefined) return { session: undefined, query };

  const latest: SessionDetail =
    live !== undefined && live.updatedAt >= data.updatedAt ? { ...data, ...live } : data;
  const session = sessionAt(latest, now);
  const incidentItems = session.incidentItems.map((item) => {
    const news = loops.get(item.id);
    return itemAt(news !== undefined && isNewer(news, item) ? news : item, now);
  });
  return { session: { ...session, incidentItems }, query };
}
