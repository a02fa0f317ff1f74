import { createHash } from 'node:crypto';
import { storableText } from '@loopwatch/storage';
import type { Conversation } from '../api/conversation.ts';
import { type FlatHeaders, headerOf } from '../http/headers.ts';

/** How a session was told from others. */
export type SessionSource = 'header' | 'body' | 'previous' | 'derived';

export interface SessionName {
  readonly id: string;
  readonly source: SessionSource;
}

const MOST_UNITS = 1024;

/**
 * The session of a request: a header, what the body names, the answer it goes on from; else a hash of the system prompt
 * and the first user message, under the same key. Two conversations that begin alike are one session then.
 *
 * @param sessionOf the session of an earlier answer, by the answer's id
 */
export function sessionName(
  headers: FlatHeaders,
  conversation: Conversation,
  sessionOf: (answerId: string) => string | undefined,
): SessionName {
  const header = headerOf(headers, 'x-session-id')?.trim() ?? '';
  if (header !== '') return { id: header.slice(0, MOST_UNITS), source: 'header' };
  if (conversation.session !== null) return { id: storableText(conversation.session), source: 'body' };
  const earlier = conversation.previous === null ? undefined : sessionOf(conversation.previous);
  if (earlier !== undefined) return { id: earlier, source: 'previous' };
  const { items } = conversation;
  const system = items.flatMap((item) => (item.role === 'system' ? [item.text] : []));
  const user = items.find(({ role }) => role === 'user');
  const key = headerOf(headers, 'authorization') ?? headerOf(headers, 'x-api-key') ?? '';
  const beginning = JSON.stringify([
    key,
    conversation.previous,
    system,
    user?.role === 'user' ? user.text : '',
  ]);
  return {
    id: `derived-${createHash('sha256').update(beginning).digest('hex').slice(0, 24)}`,
    source: 'derived',
  };
}
