import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { formatReason } from '../lib/format.ts';
import { prefer, usePreferences } from '../lib/preferences.ts';
import { parseSearch } from '../lib/search.ts';
import { chooseTheme, useTheme } from '../lib/theme.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useLive } from '../live/context.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Icon, type IconName } from '../ui/lib/icons.tsx';
import styles from './Palette.module.css';
import { innerPages, pages } from './pages.ts';

interface Command {
  readonly id: string;
  readonly group: 'Pages' | 'Actions' | 'Saved views' | 'Incidents' | 'Sessions' | 'Search';
  readonly text: string;
  readonly icon: IconName | { readonly detector: string };
  readonly run: () => void;
}

const SHOWN = 12;

/** Goes anywhere and does anything by typing a part of its name. */
export default function Palette({
  onClose,
  onHelp,
}: {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands(text, onHelp);
  const chosen = commands[Math.min(at, commands.length - 1)];

  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  return (
    <dialog
      ref={dialog}
      className={styles['palette']}
      aria-label="Command palette"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <div className={styles['input']}>
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen === undefined ? undefined : `${list}-${chosen.id}`}
          aria-label="Page, action, incident or session"
          placeholder="Page, action, incident or session"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
            if (step !== 0) {
              event.preventDefault();
              setAt((now) => Math.max(0, Math.min(commands.length - 1, now + step)));
            } else if (event.key === 'Enter') run(chosen);
          }}
        />
      </div>
      <ul id={list} role="listbox" aria-label="Found" className={styles['list']}>
        {commands.map((command, index) => (
          <li
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            {typeof command.icon === 'string' ? (
              <Icon name={command.icon} />
            ) : (
              <DetectorSquare detector={command.icon.detector as never} />
            )}
            <span>{command.text}</span>
            <small>{command.group}</small>
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p className={styles['none']}>No results</p>}
    </dialog>
  );
}

function useCommands(text: string, onHelp: () => void): Command[] {
  const go = useNavigate();
  const theme = useTheme();
  const incidents = useLive((state) => state.incidents);
  const sessions = useLive((state) => state.sessions);
  const { zone, ...lists } = usePreferences();
  const other = theme === 'dark' ? 'light' : 'dark';
  const all: Command[] = [
    ...[...pages, ...innerPages].map(
      ({ to, name, icon }): Command => ({
        id: `page${to}`,
        group: 'Pages',
        text: name,
        icon,
        run: () => void go({ to }),
      }),
    ),
    {
      id: 'open',
      group: 'Pages',
      text: 'Open incidents',
      icon: 'incidents',
      run: () => void go({ to: '/incidents', search: { open: 'true' } }),
    },
    ...(['incidents', 'sessions'] as const).flatMap((list) =>
      lists[list].views.map(
        ({ name, search }): Command => ({
          id: `view-${list}-${name}`,
          group: 'Saved views',
          text: name,
          icon: 'star',
          run: () => void go({ to: `/${list}`, search: parseSearch(search) }),
        }),
      ),
    ),
    {
      id: 'theme',
      group: 'Actions',
      text: `Use the ${other} theme`,
      icon: other === 'dark' ? 'moon' : 'sun',
      run: () => chooseTheme(other),
    },
    {
      id: 'system',
      group: 'Actions',
      text: 'Use system theme',
      icon: 'settings',
      run: () => chooseTheme('system'),
    },
    {
      id: 'zone',
      group: 'Actions',
      text: zone === 'utc' ? 'Show times in the local zone' : 'Show times in UTC',
      icon: 'clock',
      run: () => prefer({ zone: zone === 'utc' ? 'local' : 'utc' }),
    },
    { id: 'keys', group: 'Actions', text: 'Keyboard shortcuts', icon: 'keyboard', run: onHelp },
  ];
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return all;
  const has = (name: string | null) => name?.toLowerCase().includes(wanted) ?? false;
  const found = all.filter((command) => has(command.text));
  for (const item of [...incidents.values()].reverse()) {
    if (found.length >= SHOWN) break;
    if (!has(item.reason) && !has(item.id) && !has(item.agent)) continue;
    found.push({
      id: item.id,
      group: 'Incidents',
      text: formatReason(item.reason),
      icon: { detector: item.detector },
      run: () => void go({ to: '/incidents/$id', params: { id: item.id } }),
    });
  }
  for (const item of [...sessions.values()].reverse()) {
    if (found.length >= SHOWN) break;
    if (!has(item.sessionId) && !has(item.agent)) continue;
    found.push({
      id: item.sessionId,
      group: 'Sessions',
      text: visibleText(item.sessionId),
      icon: 'sessions',
      run: () => void go({ to: '/sessions/$id', params: { id: item.sessionId } }),
    });
  }
  found.push({
    id: 'search',
    group: 'Search',
    text: `Incidents with “${text.trim()}”`,
    icon: 'search',
    run: () => void go({ to: '/incidents', search: { q: text.trim() } }),
  });
  return found;
}
