import { useSyncExternalStore } from 'react';

/** The address bar as the one home of what a link can carry. */
export interface Place {
  readonly path: string;
  readonly search: string;
}

interface NavigateOptions {
  /** Takes the place of the current entry, so that Back does not stop here. */
  readonly replace?: boolean;
  /** Remembers that the entry before this one is the list, so that closing can go back to it. */
  readonly fromList?: boolean;
}

const listeners = new Set<() => void>();
let current: Place | undefined;

function read(): Place {
  const { pathname: path, search } = window.location;
  if (current?.path !== path || current.search !== search) current = { path, search };
  return current;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, read);
}

export function navigate(to: string, { replace = false, fromList }: NavigateOptions = {}): void {
  const state = { fromList: fromList ?? (replace && isFromList()) };
  if (replace) window.history.replaceState(state, '', to);
  else window.history.pushState(state, '', to);
  for (const listener of listeners) listener();
}

/** Back to the list where the reader came from it, else to `list` as a new entry. */
export function close(list: string): void {
  if (isFromList()) window.history.back();
  else navigate(list);
}

function isFromList(): boolean {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null && 'fromList' in state && state.fromList === true;
}
