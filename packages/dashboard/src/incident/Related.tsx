import type { IncidentDetail } from '@loopwatch/contract/api';
import { incidentPageSchema } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { request } from '../api/client.ts';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { StateLabel } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';

const SHOWN = 4;

/** Identical loops in other incidents; renders nothing if there are none. */
export function Related({ incident: { id, groupKey } }: { readonly incident: IncidentDetail }) {
  const { data } = useQuery({
    queryKey: ['incidents', 'related', groupKey],
    queryFn: ({ signal }) =>
      request(incidentPageSchema, '/incidents', { query: { group: [groupKey], limit: SHOWN + 1 }, signal }),
    retry: false,
  });
  const others = data?.items.filter((item) => item.id !== id).slice(0, SHOWN) ?? [];
  if (data === undefined || others.length === 0) return null;
  return (
    <Card title="Other occurrences" note={plural(data.total - 1, 'identical loop')}>
      <ul className="grid gap-1.5 text-sm [&_time]:text-right">
        {others.map((item) => (
          <li className="grid grid-cols-[minmax(0,1fr)_auto_76px] gap-3 items-center text-ink3" key={item.id}>
            <Link className="truncate" to="/incidents/$id" params={{ id: item.id }}>
              <code className="text-sm/[1.5] font-mono font-450 text-accent">
                {visibleText(item.sessionId)}
              </code>
            </Link>
            <StateLabel state={item.state} outcome={item.outcome} />
            <Ago time={item.detectedAt} />
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm">
        <Link className="text-accent" to="/incidents" search={{ group: groupKey }} activeProps={{}}>
          Show all
        </Link>
      </p>
    </Card>
  );
}
