import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { errorText } from '../api/client.ts';
import { meQuery } from '../api/me.ts';
import { Button } from '../ui/Button.tsx';
import { Message } from '../ui/Message.tsx';
import { PageSkeleton } from '../ui/Skeleton.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { KeysDialog } from './KeysDialog.tsx';
import { useKeys } from './keys.ts';
import { usePreferences } from './preferences.ts';
import { Shell } from './Shell.tsx';
import { chooseTheme, useTheme } from './theme.ts';

const Palette = lazy(() => import('./Palette.tsx'));

/** What is around every page, and who may see it. */
export function Root() {
  const me = useQuery(meQuery);
  const theme = useTheme();
  const zone = usePreferences((preferences) => preferences.zone);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [shown, setShown] = useState<'help' | 'palette'>();
  const close = () => setShown(undefined);

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
      {/* Times are drawn anew when their zone changes. */}
      <ErrorBoundary key={`${path} ${zone}`}>
        {me.isError ? (
          <Message
            level={1}
            title="The server does not answer"
            tone="hot"
            action={<Button onClick={() => void me.refetch()}>Try again</Button>}
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
        <Suspense>
          <Palette onClose={close} onHelp={() => setShown('help')} />
        </Suspense>
      )}
    </Shell>
  );
}

/** The server asks for the login itself, before it hands out anything of the dashboard; this address is where it leads to. */
function LoggedOut() {
  return (
    <main>
      <Message
        level={1}
        title="The login has run out"
        action={<Button onClick={() => window.location.reload()}>Log in again</Button>}
      >
        <p>Then this page goes on where it is.</p>
      </Message>
    </main>
  );
}
