import { useEffect, useRef } from 'react';

/** Shortcuts as data, for the handler and the help dialog. */
export const keyMap = [
  { action: 'palette', keys: [], shown: ['⌘K', 'Ctrl K'], text: 'Command palette' },
  { action: 'search', keys: ['/'], shown: ['/'], text: 'Search' },
  { action: 'next', keys: ['j', 'ArrowDown'], shown: ['j', '↓'], text: 'Next row' },
  { action: 'previous', keys: ['k', 'ArrowUp'], shown: ['k', '↑'], text: 'Previous row' },
  { action: 'open', keys: [], shown: ['Enter'], text: 'Open the focused row' },
  { action: 'close', keys: ['Escape'], shown: ['Esc'], text: 'Close details' },
  { action: 'select', keys: ['x'], shown: ['x'], text: 'Select the row' },
  { action: 'acknowledge', keys: ['a'], shown: ['a'], text: 'Acknowledge: it is a loop' },
  { action: 'falsePositive', keys: ['f'], shown: ['f'], text: 'False positive' },
  { action: 'mute', keys: ['m'], shown: ['m'], text: 'Mute for an hour' },
  { action: 'muteCause', keys: ['M'], shown: ['M'], text: 'Mute the cause until it escalates' },
  { action: 'undo', keys: ['u', 'z'], shown: ['u'], text: 'Undo the last triage' },
  { action: 'pause', keys: ['p'], shown: ['p'], text: 'Pause or resume live updates' },
  { action: 'theme', keys: ['t'], shown: ['t'], text: 'Switch between light and dark theme' },
  { action: 'help', keys: ['?'], shown: ['?'], text: 'Keyboard shortcuts' },
] as const;

export type KeyAction = (typeof keyMap)[number]['action'];
export type KeyHandlers = { readonly [Action in KeyAction]?: (() => void) | undefined };

/** The action of a key press; undefined while typing, in a dialog or menu, or with a modifier. */
function actionOf(event: KeyboardEvent): KeyAction | undefined {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') return 'palette';
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  if (
    event.target instanceof Element &&
    event.target.closest('input, textarea, select, dialog, [contenteditable], [role="menu"], [role="dialog"]')
  ) {
    return undefined;
  }
  return keyMap.find(({ keys }) => (keys as readonly string[]).includes(event.key))?.action;
}

/** Handles keys while the component is mounted, with its latest handlers. */
export function useKeys(handlers: KeyHandlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const action = actionOf(event);
      const handler = action && latest.current[action];
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
