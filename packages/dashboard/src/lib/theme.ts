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

function subscribe(listener: () => void): () => void {
  const system = systemQuery();
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read);
}

/** @param theme `system` follows the system again */
export function chooseTheme(theme: Theme | 'system'): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts until reload.
  }
  for (const listener of listeners) listener();
}
