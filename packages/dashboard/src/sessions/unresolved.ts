import type { SessionItem } from '@loopwatch/contract/api';

/** How many of a session's loops are not resolved. */
export function unresolvedText({ open, quiet }: SessionItem['incidents']): string {
  if (open > 0) return `${String(open)} open`;
  return quiet > 0 ? `${String(quiet)} quiet` : 'all resolved';
}
