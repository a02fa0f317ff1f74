import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { logOut, meQuery } from '../api/me.ts';
import { statusQuery } from '../api/status.ts';
import { useNow } from '../lib/clock.ts';
import { formatNumber, plural } from '../lib/format.ts';
import { prefer, usePreferences } from '../lib/preferences.ts';
import { chooseTheme, useTheme } from '../lib/theme.ts';
import { useLive } from '../live/context.ts';
import { linkText } from '../live/link-text.ts';
import { useOpenCount } from '../page/open-count.ts';
import { Mark } from '../ui/charts/Mark.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { pages } from './pages.ts';
import { SampleBanner } from './SampleBanner.tsx';

interface Props {
  readonly onHelp: () => void;
  readonly onPalette: () => void;
  readonly children: ReactNode;
}

/** Navigation, header with the state of the live link, and the page itself. */
export function Shell({ onHelp, onPalette, children }: Props) {
  const open = useOpenCount();
  return (
    <div className="print:block print:h-auto grid [grid-template:52px_auto_minmax(0,1fr)_/_208px_minmax(0,1fr)] h-dvh max-sm:[grid-template:52px_auto_minmax(0,1fr)_auto_/_minmax(0,1fr)]">
      <a className="px-3 py-2 absolute z-3 left-2 -top-15 rounded-md bg-ink text-bg focus:top-2" href="#page">
        Skip to content
      </a>
      <nav
        className="print:hidden p-3 row-[1/4] flex flex-col gap-0.5 border-r bg-panel max-sm:p-1.5 max-sm:pb-[calc(6px+env(safe-area-inset-bottom))] max-sm:row-4 max-sm:flex-row max-sm:justify-center max-sm:border-r-0 max-sm:border-t"
        aria-label="Pages"
      >
        <Link
          to="/"
          className="px-2 pt-1 pb-4 flex items-center gap-2 text-lg font-640 tracking-[-0.01em] max-sm:hidden"
          activeProps={{}}
        >
          <Mark />
          Loopwatch
        </Link>
        <div className="max-sm:flex max-sm:flex-1 max-sm:justify-between max-sm:[&_a_svg]:size-5">
          {pages.map(({ to, name, icon, ...page }) => (
            <Link
              className="px-2.5 py-1.5 flex items-center gap-2.5 rounded-md font-500 text-ink2 max-sm:px-0.5 max-sm:pt-1.25 max-sm:pb-0.75 max-sm:relative max-sm:flex-auto max-sm:flex-col max-sm:gap-px max-sm:min-w-0 max-sm:text-xs max-sm:data-[phone=no]:hidden aria-[current]:bg-accent-soft aria-[current]:text-ink"
              key={to}
              to={to}
              data-phone={'isInReports' in page ? 'no' : undefined}
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              <Icon name={icon} />
              {name}
              {to === '/incidents' && open > 0 && (
                <b className="ml-auto text-sm font-600 text-hot max-sm:px-1 max-sm:py-0 max-sm:absolute max-sm:top-0.5 max-sm:left-[calc(50%_+_9px)] max-sm:min-w-4 max-sm:rounded-full max-sm:bg-hot max-sm:text-panel max-sm:text-[10px] max-sm:leading-4 max-sm:text-center">
                  {formatNumber(open)}
                  <span className="sr-only"> open</span>
                </b>
              )}
            </Link>
          ))}
        </div>
        <Versions />
      </nav>
      <header className="print:hidden pr-4 pl-6 flex items-center gap-2 border-b bg-panel min-w-0 max-sm:[&>button:not(:first-of-type)]:order-2 max-sm:pr-2 max-sm:pl-4">
        <Link to="/" className="hidden max-sm:block" aria-label="Loopwatch, overview" activeProps={{}}>
          <Mark />
        </Link>
        <button
          type="button"
          className="pr-1.5 pl-2.5 border flex items-center gap-2 w-[min(340px,34vw)] h-8 rounded-md bg-bg text-ink3 text-left max-sm:p-0 max-sm:border-transparent max-sm:w-8.5 max-sm:justify-center max-sm:bg-transparent max-sm:order-1 hover:border-line2 hover:text-ink2"
          onClick={onPalette}
          aria-label="Search or run a command: command palette"
        >
          <Icon name="search" size={14} />
          <span className="truncate flex-1 max-sm:hidden">Search or run a command…</span>
          <kbd className="max-sm:hidden">{paletteKey}</kbd>
        </button>
        <span className="flex-1" />
        <LinkState />
        <ZoneToggle />
        <span className="max-sm:hidden">
          <Button quiet icon onClick={onHelp} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)">
            <Icon name="keyboard" />
          </Button>
        </span>
        <ThemeToggle />
        <User />
      </header>
      <div className="min-w-0 print:hidden">
        <SampleBanner />
      </div>
      <main
        className="outline-none min-w-0 min-h-0 overflow-auto print:overflow-visible"
        id="page"
        tabIndex={-1}
      >
        <ExposedWarning />
        {children}
      </main>
    </div>
  );
}

const paletteKey = /Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** Commit of this build; '' if it was not built from a checkout. */
const commit = import.meta.env.VITE_COMMIT ?? '';

/** Versions that are needed to reproduce a result. */
function Versions() {
  const info = useLive((state) => state.info);
  const { data: status } = useQuery({ ...statusQuery, refetchInterval: false, staleTime: 60_000 });
  if (info === undefined) return null;
  const on = status?.detectors.filter((detector) => detector.on);
  return (
    <footer className="px-2.5 mt-auto text-xs/[1.7] grid text-ink3 max-sm:hidden">
      <span title={on?.map(({ id }) => id).join(', ')}>
        {info.preset}
        {on !== undefined && `, ${plural(on.length, 'detector')}`}
      </span>
      <span>
        config{' '}
        <code className="font-mono" title={info.configHash}>
          {info.configHash.slice(0, 10)}
        </code>
      </span>
      <span>
        v{info.version}
        {commit !== '' && (
          <>
            {' '}
            · <code className="font-mono">{commit}</code>
          </>
        )}
      </span>
    </footer>
  );
}

/** Warns on every page that anyone who reaches the server can change settings. */
function ExposedWarning() {
  const { data: me } = useQuery(meQuery);
  if (me?.exposed !== true) return null;
  return (
    <p className="px-3 py-2 mb-3 border border-hot rounded-md text-ink" role="note">
      No login is set up: anyone who can reach this address can read everything here and change settings. Set{' '}
      <code>LOOPWATCH_API_TOKEN</code> and restart the server.
    </p>
  );
}

function LinkState() {
  const live = useLive((state) => state);
  const now = useNow();
  const { tone, text, last } = linkText(live, now);
  return (
    <div
      className="pr-3 pl-2.5 py-px mr-1 border inline-flex items-center gap-1.75 min-h-6.5 rounded-full text-sm font-500 text-ink2 min-w-0 max-sm:border-0 max-sm:p-0 data-[tone=hot]:border-hot data-[tone=hot]:text-hot"
      data-tone={tone}
    >
      <i className="size-1.75 rounded-full flex-none bg-ok in-data-[tone=warm]:bg-warm in-data-[tone=hot]:bg-hot" />
      <span className="truncate" role="status">
        {text}
      </span>
      {last !== undefined && (
        <small className="truncate text-[length:inherit] text-ink3 before:content-['·_'] max-[900px]:hidden">
          {last}
        </small>
      )}
    </div>
  );
}

function ZoneToggle() {
  const zone = usePreferences((preferences) => preferences.zone);
  const other = zone === 'utc' ? 'local' : 'utc';
  const name = { utc: 'UTC', local: 'Local' };
  return (
    <span className="text-sm max-sm:hidden">
      <Button
        quiet
        onClick={() => prefer({ zone: other })}
        aria-label={`Times are ${zone === 'utc' ? 'UTC' : 'local'}; show ${other === 'utc' ? 'UTC' : 'local ones'}`}
        title={`Show times in ${name[other] === 'UTC' ? 'UTC' : 'the local zone'}`}
      >
        {name[zone]}
      </Button>
    </span>
  );
}

function ThemeToggle() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <Button
      quiet
      icon
      onClick={() => chooseTheme(other)}
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme (t)`}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </Button>
  );
}

function User() {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  if (me?.required !== true || me.user === null) return null;
  const logout = () => {
    void logOut().then((redirectUrl) => {
      client.clear();
      if (redirectUrl === undefined) window.location.reload();
      else window.location.assign(redirectUrl);
    });
  };
  return (
    <Button quiet onClick={logout} title={`Logged in as ${me.user.name} (${me.user.role}); log out`}>
      <span className="max-w-30 overflow-hidden text-ellipsis text-ink3 max-sm:hidden">{me.user.name}</span>{' '}
      Log out
    </Button>
  );
}
