import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { meQuery } from '../api/me.ts';
import { errorText } from '../lib/error-text.ts';
import { useKeys } from '../lib/keys.ts';
import { loadCode } from '../lib/load-code.ts';
import { usePreferences } from '../lib/preferences.ts';
import { chooseTheme, useTheme } from '../lib/theme.ts';
import { useLive } from '../live/context.ts';
import { Button } from '../ui/controls/Button.tsx';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { PageSkeleton } from '../ui/feedback/PageSkeleton.tsx';
import { Toasts } from '../ui/feedback/Toasts.tsx';
import { KeysDialog } from './KeysDialog.tsx';
import { Shell } from './Shell.tsx';

const Palette = lazy(() => loadCode(() => import('./Palette.tsx')));

const LOGIN_CHECK_MS = 5_000;

/** The shell around every page, or the notice that the session has expired. */
export function Root() {
  const link = useLive(({ link: { state } }) => state);
  // A server that requires another login refuses the live link, and a page that only listens would stay stale.
  const me = useQuery({ ...meQuery, refetchInterval: link === 'reconnecting' ? LOGIN_CHECK_MS : false });
  const theme = useTheme();
  const zone = usePreferences((preferences) => preferences.zone);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [shown, setShown] = useState<'help' | 'palette'>();
  const [typed, setTyped] = useState('');
  const close = () => {
    setShown(undefined);
    setTyped('');
  };
  const client = useQueryClient();
  const isLinked = link === 'live';

  // Retries what failed while the server was unavailable.
  useEffect(() => {
    if (isLinked) void client.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  }, [isLinked, client]);

  useKeys({
    help: () => setShown('help'),
    palette: () => setShown((now) => (now === 'palette' ? undefined : 'palette')),
    theme: () => chooseTheme(theme === 'dark' ? 'light' : 'dark'),
  });

  if (me.data?.required === true && me.data.user === null) {
    return <LoggedOut />;
  }
  return (
    <Shell onHelp={() => setShown('help')} onPalette={() => setShown('palette')}>
      {/* Times are rendered again when their zone changes. */}
      <ErrorBoundary key={`${path} ${zone}`}>
        {me.isLoadingError ? (
          <Message
            level={1}
            title="The server is unavailable"
            tone="hot"
            action={<Button onClick={() => void me.refetch()}>Retry</Button>}
          >
            <p>{errorText(me.error)}</p>
          </Message>
        ) : (
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        )}
      </ErrorBoundary>
      <Toasts />
      {shown === 'help' && <KeysDialog onClose={close} />}
      {shown === 'palette' && (
        <ErrorBoundary>
          {/* Until the palette is loaded, letters belong to it, not to shortcuts such as A for acknowledge. */}
          <Suspense
            fallback={
              <input
                className="sr-only"
                aria-label="Command palette"
                autoFocus
                onChange={(event) => setTyped(event.target.value)}
              />
            }
          >
            <Palette typed={typed} onClose={close} onHelp={() => setShown('help')} />
          </Suspense>
        </ErrorBoundary>
      )}
    </Shell>
  );
}

/** Reloading is enough: the server redirects to its login page and then back to this URL. */
function LoggedOut() {
  return (
    <main>
      <Message
        level={1}
        title="Your session has expired"
        action={<Button onClick={() => window.location.reload()}>Log in again</Button>}
      >
        <p>You will return to this page after logging in.</p>
      </Message>
    </main>
  );
}
