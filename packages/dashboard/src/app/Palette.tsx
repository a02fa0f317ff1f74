import type { DetectorId } from '@loopwatch/contract';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useEffect, useRef, useState } from 'react';
import { prefer, usePreferences } from '../lib/preferences.ts';
import { parseSearch } from '../lib/search.ts';
import { chooseTheme, useTheme } from '../lib/theme.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useLive } from '../live/context.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Modal } from '../ui/controls/Dialog.tsx';
import { Icon, type IconName } from '../ui/lib/icons.tsx';
import { innerPages, pages } from './pages.ts';

interface PaletteCommand {
  readonly id: string;
  readonly group: 'Pages' | 'Actions' | 'Saved views' | 'Incidents' | 'Sessions' | 'Search';
  readonly text: string;
  readonly icon: IconName | { readonly detector: DetectorId };
  readonly run: () => void;
}

const MAX_RESULTS = 12;
const PROMPT = 'Page, action, incident or session';

/** Opens pages and saved views and runs actions by name, and finds incidents and sessions. */
export default function Palette({
  typed,
  onClose,
  onHelp,
}: {
  /** What was typed while this code was loading. */
  readonly typed: string;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(typed);
  const commands = useCommands(text, onHelp);
  // A dialog focuses its first focusable element when it opens, here the root of the library.
  useEffect(() => input.current?.focus(), []);
  // Not the library's own dialog: that injects a style element, which the content security policy forbids.
  return (
    <Modal
      ref={dialog}
      className="mx-auto mt-[12vh] mb-auto w-[min(620px,calc(100vw_-_24px))] max-h-[min(520px,76vh)] overflow-hidden [&>div]:flex [&>div]:flex-col [&>div]:min-h-0 open:flex open:flex-col open:min-h-0"
      aria-label="Command palette"
      onClose={onClose}
    >
      <Command label={PROMPT} shouldFilter={false} vimBindings={false}>
        <div className="px-4 flex items-center gap-3 border-b text-ink3 [&_input]:border-0 [&_input]:outline-none [&_input]:flex-1 [&_input]:h-12 [&_input]:bg-transparent [&_input]:text-ink [&_input]:text-lg">
          <Icon name="search" />
          <Command.Input ref={input} placeholder={PROMPT} value={text} onValueChange={setText} />
        </div>
        <Command.List
          label="Results"
          className="p-1.5 overflow-auto [&_span]:flex-1 [&_span]:text-ink [&_[role=option]]:px-2.5 [&_[role=option]]:py-1.25 [&_[role=option]]:flex [&_[role=option]]:items-center [&_[role=option]]:gap-3 [&_[role=option]]:min-h-9 [&_[role=option]]:rounded-md [&_[role=option]]:text-ink2 [&_[role=option]]:cursor-pointer [&_[role=option]_small]:text-xs [&_[role=option]_small]:text-ink3 [&_[role=option][aria-selected=true]]:bg-accent-soft [&_[role=option][aria-selected=true]_small]:text-ink2"
        >
          {commands.map(({ id, group, text: name, icon, run }) => (
            <Command.Item
              key={id}
              value={id}
              onSelect={() => {
                dialog.current?.close();
                run();
              }}
            >
              {typeof icon === 'string' ? <Icon name={icon} /> : <DetectorSquare detector={icon.detector} />}
              <span className="truncate">{name}</span>
              <small>{group}</small>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}

function useCommands(text: string, onHelp: () => void): PaletteCommand[] {
  const go = useNavigate();
  const theme = useTheme();
  const incidents = useLive((state) => state.incidents);
  const sessions = useLive((state) => state.sessions);
  const { zone, ...lists } = usePreferences();
  const other = theme === 'dark' ? 'light' : 'dark';
  const all: PaletteCommand[] = [
    ...[...pages, ...innerPages].map(
      ({ to, name, icon }): PaletteCommand => ({
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
        ({ name, search }): PaletteCommand => ({
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
      text: zone === 'utc' ? 'Show times in local time' : 'Show times in UTC',
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
    if (found.length >= MAX_RESULTS) break;
    if (!has(item.title) && !has(item.reason) && !has(item.id) && !has(item.agent)) continue;
    found.push({
      id: item.id,
      group: 'Incidents',
      text: visibleText(item.title),
      icon: { detector: item.detector },
      run: () => void go({ to: '/incidents/$id', params: { id: item.id } }),
    });
  }
  for (const item of [...sessions.values()].reverse()) {
    if (found.length >= MAX_RESULTS) break;
    if (!has(item.title ?? null) && !has(item.sessionId) && !has(item.agent)) continue;
    found.push({
      id: item.sessionId,
      group: 'Sessions',
      text: visibleText(item.title ?? item.sessionId),
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
  // The ones above are only the latest.
  found.push({
    id: 'search-sessions',
    group: 'Search',
    text: `Sessions with “${text.trim()}”`,
    icon: 'search',
    run: () => void go({ to: '/sessions', search: { q: text.trim() } }),
  });
  return found;
}
