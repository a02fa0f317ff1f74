import type { ReactNode } from 'react';
import { useLive } from '../live/context.ts';
import { linkText } from '../live/link-text.ts';
import { Button } from '../ui/Button.tsx';
import { formatNumber } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Mark } from '../ui/Ring.tsx';
import { useNow } from './clock.ts';
import { Link } from './Link.tsx';
import styles from './Shell.module.css';
import { chooseTheme, useTheme } from './theme.ts';

interface Props {
  readonly title: ReactNode;
  readonly onHelp: () => void;
  readonly children: ReactNode;
}

/** What is around every page: the rail, the header with the state of the link, and the page itself. */
export function Shell({ title, onHelp, children }: Props) {
  const { stats, info } = useLive();
  const open = stats?.open ?? 0;
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#page">
        To the page
      </a>
      <nav className={styles['rail']} aria-label="Pages">
        <Link href="/" className={styles['brand']}>
          <Mark />
          Loopwatch
        </Link>
        <div className={styles['pages']}>
          <Link href="/incidents" aria-current="page">
            <Icon name="incidents" />
            Incidents
            {open > 0 && (
              <b>
                {formatNumber(open)}
                <span className="unseen"> open</span>
              </b>
            )}
          </Link>
        </div>
        {info !== undefined && (
          <p className={styles['info']}>
            preset {info.preset}
            <br />
            config <code>{info.configHash.slice(0, 10)}</code> · v{info.version}
          </p>
        )}
      </nav>
      <header className={styles['header']}>
        <span className={styles['headerMark']}>
          <Mark />
        </span>
        {title}
        <span className={styles['grow']} />
        <LinkState />
        <span className={styles['keys']}>
          <Button quiet icon onClick={onHelp} aria-label="Keys" title="Keys (?)">
            <Icon name="keyboard" />
          </Button>
        </span>
        <ThemeToggle />
      </header>
      <main className={styles['main']} id="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function LinkState() {
  const live = useLive();
  const now = useNow();
  const { tone, text, last } = linkText(live, now);
  return (
    <div className={styles['link']} data-tone={tone}>
      <i />
      <span role="status">{text}</span>
      {last !== undefined && <small>{last}</small>}
    </div>
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
      title={`${other} theme (t)`}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </Button>
  );
}
