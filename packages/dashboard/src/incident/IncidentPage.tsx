import { Link, useParams } from '@tanstack/react-router';
import { useLive } from '../live/context.ts';
import { IncidentView } from './IncidentView.tsx';

/** The page of one incident, with a URL to share. */
export function IncidentPage() {
  const { id } = useParams({ from: '/incidents/$id' });
  const row = useLive((state) => state.incidents.get(id));
  return (
    <div className="mx-auto max-w-420">
      <nav
        aria-label="Breadcrumb"
        className="px-6 pt-4 flex items-center gap-2 text-sm text-ink3 max-sm:px-3 max-sm:pt-3 max-sm:pb-0"
      >
        <Link className="text-accent" to="/incidents" activeProps={{}}>
          Incidents
        </Link>
        <span aria-hidden="true">/</span>
        <code className="text-sm/[1.5] font-mono font-450 overflow-hidden text-ellipsis">{id}</code>
      </nav>
      <IncidentView key={id} id={id} row={row} />
    </div>
  );
}
