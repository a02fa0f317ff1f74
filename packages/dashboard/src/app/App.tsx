import { useEffect, useState } from 'react';
import { IncidentsPage } from '../incidents/IncidentsPage.tsx';
import { listPath, readFilters, readPath } from '../incidents/url.ts';
import { useLive } from '../live/context.ts';
import { Message } from '../ui/Message.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { showInTab } from './favicon.ts';
import { KeysDialog } from './KeysDialog.tsx';
import { useKeys } from './keys.ts';
import { Link } from './Link.tsx';
import { usePlace } from './location.ts';
import { Shell } from './Shell.tsx';
import { chooseTheme, useTheme } from './theme.ts';

export function App() {
  const { path, search } = usePlace();
  const theme = useTheme();
  const { stats, rows } = useLive();
  const [help, setHelp] = useState(false);
  const route = readPath(path);
  const { filters, ignored } = readFilters(search);
  const selected = route?.page === 'incident' ? route.id : undefined;
  const reason = rows.find(({ id }) => id === selected)?.reason;

  useKeys({
    help: () => setHelp(true),
    theme: () => chooseTheme(theme === 'dark' ? 'light' : 'dark'),
  });
  useEffect(() => showInTab(reason ?? 'Incidents', stats?.open ?? 0), [reason, stats?.open]);

  const title =
    selected === undefined ? (
      <h1>Incidents</h1>
    ) : (
      <h2>
        <Link href={listPath(filters)}>Incidents</Link>
      </h2>
    );
  return (
    <Shell title={route === undefined ? <h1>Not found</h1> : title} onHelp={() => setHelp(true)}>
      <ErrorBoundary>
        {route === undefined ? (
          <Message title="This page does not exist" action={<Link href="/">To the incidents</Link>} />
        ) : (
          <IncidentsPage filters={filters} ignored={ignored} selected={selected} />
        )}
      </ErrorBoundary>
      {help && <KeysDialog onClose={() => setHelp(false)} />}
    </Shell>
  );
}
