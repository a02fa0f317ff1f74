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
import { Mark } from '../ui/charts/Ring.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { pages } from './pages.ts';
import { SampleBanner } from './SampleBanner.tsx';
import styles from './Shell.module.css';

interface Props {
  readonly onHelp: () => void;
  readonly onPalette: () => void;
  readonly children: ReactNode;
}

/** Navigation, header with the state of the live link, and the page itself. */
export function Shell({ onHelp, onPalette, children }: Props) {
  const open = useOpenCount();
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#page">
        Skip to content
      </a>
      <nav className={styles['rail']} aria-label="Pages">
        <Link to="/" className={styles['brand']} activeProps={{}}>
          <Mark />
          Loopwatch
        </Link>
        <div className={styles['pages']}>
          {pages.map(({ to, name, icon }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
              <Icon name={icon} />
              {name}
              {to === '/incidents' && open > 0 && (
                <b>
                  {formatNumber(open)}
                  <span className="unseen"> open</span>
                </b>
              )}
            </Link>
          ))}
        </div>
        <Versions />
      </nav>
      <header className={styles['header']}>
        <Link to="/" className={styles['headerMark']} aria-label="Loopwatch, overview" activeProps={{}}>
          <Mark />
        </Link>
        <button type="button" className={styles['jump']} onClick={onPalette} aria-label="Command palette">
          <Icon name="search" size={14} />
          <span className="truncate">Search or run a command…</span>
          <kbd>⌘K</kbd>
        </button>
        <span className="grow" />
        <LinkState />
        <ZoneToggle />
        <span className={styles['keys']}>
          <Button quiet icon onClick={onHelp} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)">
            <Icon name="keyboard" />
          </Button>
        </span>
        <ThemeToggle />
        <User />
      </header>
      <div className={styles['banners']}>
        <SampleBanner />
      </div>
      <main className={styles['main']} id="page" tabIndex={-1}>
        <ExposedWarning />
        {children}
      </main>
    </div>
  );
}

/** Commit of this build; '' if it was not built from a checkout. */
const commit = import.meta.env.VITE_COMMIT ?? '';

/** Versions that are needed to reproduce a result. */
function Versions() {
  const info = useLive((state) => state.info);
  const { data: status } = useQuery({ ...statusQuery, refetchInterval: false, staleTime: 60_000 });
  if (info === undefined) return null;
  const on = status?.detectors.filter((detector) => detector.on);
  return (
    <footer className={styles['info']}>
      <span title={on?.map(({ id }) => id).join(', ')}>
        {info.preset}
        {on !== undefined && `, ${plural(on.length, 'detector')}`}
      </span>
      <span>
        config <code title={info.configHash}>{info.configHash.slice(0, 10)}</code>
      </span>
      <span>
        v{info.version}
        {commit !== '' && (
          <>
            {' '}
            · <code>{commit}</code>
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
    <p className={styles['exposed']} role="note">
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
    <div className={styles['link']} data-tone={tone}>
      <i />
      <span className="truncate" role="status">
        {text}
      </span>
      {last !== undefined && <small className="truncate">{last}</small>}
    </div>
  );
}

function ZoneToggle() {
  const zone = usePreferences((preferences) => preferences.zone);
  const other = zone === 'utc' ? 'local' : 'utc';
  const name = { utc: 'UTC', local: 'Local' };
  return (
    <span className={styles['zone']}>
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
    void logOut().then((goOn) => {
      client.clear();
      if (goOn === undefined) window.location.reload();
      else window.location.assign(goOn);
    });
  };
  return (
    <Button quiet onClick={logout} title={`Logged in as ${me.user.name} (${me.user.role}); log out`}>
      <span className={styles['user']}>{me.user.name}</span> Log out
    </Button>
  );
}
