import { Link, useParams } from '@tanstack/react-router';
import { useLive } from '../live/context.ts';
import styles from './IncidentView.module.css';
import { IncidentView } from './IncidentView.tsx';

/** The page of one incident, with a URL to share. */
export function IncidentPage() {
  const { id } = useParams({ from: '/incidents/$id' });
  const row = useLive((state) => state.incidents.get(id));
  return (
    <div className={styles['page']}>
      <nav aria-label="Breadcrumb" className={styles['crumbs']}>
        <Link to="/incidents" activeProps={{}}>
          Incidents
        </Link>
        <span aria-hidden="true">/</span>
        <code>{id}</code>
      </nav>
      <IncidentView key={id} id={id} row={row} />
    </div>
  );
}
