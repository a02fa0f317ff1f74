import type { SessionItem } from '@loopwatch/contract/api';
import { visibleText } from '../lib/visible-text.ts';

/** What a session is called: its first prompt, else its id. */
export function sessionName({ title, sessionId }: Pick<SessionItem, 'title' | 'sessionId'>): string {
  return visibleText(title ?? sessionId);
}

/** Where a session ran: project, branch and agent, as far as they are known. */
export function sessionPlace({ tags, agent }: Pick<SessionItem, 'tags' | 'agent'>): string {
  const parts = [tags?.['project'], tags?.['branch'], agent];
  const known = parts.filter((part) => part !== undefined && part !== null);
  return known.length === 0 ? 'unknown agent' : known.map(visibleText).join(' · ');
}
