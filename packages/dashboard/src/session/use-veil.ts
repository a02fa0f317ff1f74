import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scopeQuery } from '../api/settings.ts';

export interface Veil {
  /** Whether the server is told to keep texts. */
  readonly keepsTexts: boolean;
  /** Whether texts are only told of, by their length. */
  readonly veiled: boolean;
  readonly toggle: () => void;
}

/** Texts that are not to be kept are hidden until the user asks for them. */
export function useVeil(): Veil {
  const [lifted, setLifted] = useState(false);
  const { data: settings } = useQuery(scopeQuery('server'));
  const kept = settings?.effective.find(({ path }) => path === 'privacy.store_text')?.value;
  const keepsTexts = kept !== false;
  // What is not known to be kept is hidden.
  return { keepsTexts, veiled: kept !== true && !lifted, toggle: () => setLifted(!lifted) };
}
