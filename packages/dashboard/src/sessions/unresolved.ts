import type { SessionItem } from '@loopwatch/contract/api';

/** Number of unresolved incidents of a session. */
export function unresolvedText({ open, quiet }: SessionItem['incidents']): string {
  const parts = [
    ...(open > 0 ? [`${String(open)} open`] : []),
    ...(quiet > 0 ? [`${String(quiet)} quiet`] : []),
  ];
  return parts.length === 0 ? 'all resolved' : parts.join(', ');
}
