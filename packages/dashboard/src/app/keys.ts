import { useEffect, useRef } from 'react';

/** Shortcuts as data: the same list acts and fills the help. */
export const keyMap = [
  { action: 'next', keys: ['j', 'ArrowDown'], shown: ['j', '↓'], text: 'Next incident' },
  { action: 'previous', keys: ['k', 'ArrowUp'], shown: ['k', '↑'], text: 'Previous incident' },
  { action: 'open', keys: [], shown: ['Enter'], text: 'Open the incident in focus' },
  { action: 'close', keys: ['Escape'], shown: ['Esc'], text: 'Close it, back to the list' },
  { action: 'pause', keys: ['p'], shown: ['p'], text: 'Pause or resume the list' },
  { action: 'theme', keys: ['t'], shown: ['t'], text: 'Light or dark' },
  { action: 'help', keys: ['?'], shown: ['?'], text: 'These keys' },
] as const;

export type KeyAction = (typeof keyMap)[number]['action'];
export type KeyHandlers = { readonly [Action in KeyAction]?: () => void };

/** The action of a key press; none while typing, in a dialog, or with a modifier. */
export function actionOf(event: KeyboardEvent): KeyAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  if (
    event.target instanceof Element &&
    event.target.closest('input, textarea, select, dialog, [contenteditable]')
  ) {
    return undefined;
  }
  return keyMap.find(({ keys }) => (keys as readonly string[]).includes(event.key))?.action;
}

/** Listens as long as the component is there; always calls the latest handlers. */
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
