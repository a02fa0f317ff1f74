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

/** Texts that are not to be kept are hidden until somebody asks for them. */
export function useVeil(): Veil {
  const [lifted, setLifted] = useState(false);
  const { data: settings } = useQuery(scopeQuery('server'));
  const keepsTexts = settings?.effective.find(({ path }) => path === 'privacy.store_text')?.value !== false;
  return { keepsTexts, veiled: !keepsTexts && !lifted, toggle: () => setLifted(!lifted) };
}
