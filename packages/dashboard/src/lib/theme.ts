import { useSyncExternalStore } from 'react';

/** The chosen theme, else the system's; public/theme.js applies it before the first paint. */
export type Theme = 'light' | 'dark';

const KEY = 'loopwatch.theme';
const listeners = new Set<() => void>();

function systemQuery(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)');
}

function read(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return systemQuery().matches ? 'dark' : 'light';
}

/** Another tab has chosen. */
function follow({ key, newValue }: StorageEvent): void {
  if (key === KEY) show(newValue);
}

function show(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  else delete document.documentElement.dataset['theme'];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const system = systemQuery();
  if (listeners.size === 0) window.addEventListener('storage', follow);
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', follow);
    system.removeEventListener('change', listener);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read);
}

/** @param theme `system` follows the system again */
export function chooseTheme(theme: Theme | 'system'): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts until reload.
  }
  show(theme);
}
