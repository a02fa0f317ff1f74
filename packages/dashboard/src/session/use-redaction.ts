import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scopeQuery } from '../api/settings.ts';

export interface Redaction {
  /** Whether `privacy.store_text` is on. */
  readonly storesText: boolean;
  /** Whether only the length of texts is shown. */
  readonly isRedacted: boolean;
  readonly toggle: () => void;
}

/** Hides texts that must not be stored until the user asks to see them. */
export function useRedaction(): Redaction {
  const [isRevealed, setRevealed] = useState(false);
  const { data: settings } = useQuery(scopeQuery('server'));
  const setting = settings?.effective.find(({ path }) => path === 'privacy.store_text')?.value;
  // Until the setting is known, texts are hidden.
  return {
    storesText: setting !== false,
    isRedacted: setting !== true && !isRevealed,
    toggle: () => setRevealed(!isRevealed),
  };
}
