import type { SessionItem } from '@loopwatch/contract/api';

/** Number of unresolved loops of a session. */
export function unresolvedText({ open, quiet }: SessionItem['incidents']): string {
  if (open > 0) return `${String(open)} open`;
  return quiet > 0 ? `${String(quiet)} quiet` : 'all resolved';
}
