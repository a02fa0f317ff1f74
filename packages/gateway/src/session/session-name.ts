import { createHash } from 'node:crypto';
import { MAX_NAME_BYTES, shortName, storableText, utf8Length } from '@loopwatch/contract';
import type { Conversation } from '../api/conversation.ts';
import { type FlatHeaders, headerOf } from '../http/headers.ts';
import { withoutCount } from './history.ts';

/** The name of a request's session: given by the request, or derived from it. */
export interface SessionName {
  readonly name: string;
  /**
   * Whether the name belongs to one conversation, so that memory counts even for requests without history. Other names
   * may be shared by several conversations.
   */
  readonly isOne: boolean;
  /** The name under which settings can be made; null for a derived name. */
  readonly settingsName: string | null;
  /** Of a derived name: a hash of who asks which model. Only their conversations may go on under another name. */
  readonly caller: string | null;
}

const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];
/** Where Gemini takes a key, too. */
const keyParameter = /[?&]key=([^&#]*)/;
const ownHeader = 'x-session-id';
/** Session headers of clients, each with the header that distinguishes agents within a session. */
const clientHeaders = [
  { session: 'x-claude-code-session-id', agent: 'x-claude-code-agent-id' },
  { session: 'session-id', agent: 'thread-id' },
  { session: 'session_id', agent: 'thread_id' },
];
const routingHeaders = ['x-litellm-session-id', 'x-litellm-trace-id', 'x-session-affinity'];

/**
 * The name from headers or body; otherwise a hash of API key and first user message, because system prompts may change
 * between requests. Conversations that share a name are separated by their histories.
 */
export function sessionName(headers: FlatHeaders, path: string, conversation: Conversation): SessionName {
  const { names } = conversation;
  const header = valueOf(headers, ownHeader);
  if (header !== undefined) return given(header, true);
  if (names.conversation !== null) return given(names.conversation, true);
  const client = clientName(headers);
  if (client !== undefined) return client;
  const name =
    names.session ??
    names.cacheKey ??
    routingHeaders.map((routing) => valueOf(headers, routing)).find((value) => value !== undefined);
  return name === undefined ? derived(headers, path, conversation) : given(name, false);
}

/** A name for a further conversation. @param tag distinguishes it */
export function taggedName(name: string, tag: string): string {
  return `${shortName(name, MAX_NAME_BYTES - utf8Length(tag) - 1)}~${tag}`;
}

function clientName(headers: FlatHeaders): SessionName | undefined {
  for (const { session, agent } of clientHeaders) {
    const name = valueOf(headers, session);
    if (name === undefined) continue;
    const whole = given(name, false);
    const part = valueOf(headers, agent);
    return part === undefined || part === name
      ? whole
      : { ...whole, name: taggedName(whole.name, shortName(storableText(part), MAX_NAME_BYTES / 2)) };
  }
  return undefined;
}

function derived(headers: FlatHeaders, path: string, { items, previous, model }: Conversation): SessionName {
  const user = items.find(({ role }) => role === 'user');
  const sent = keyHeaders.map((name) => headerOf(headers, name)).find((value) => value !== undefined);
  const key = sent ?? keyParameter.exec(path)?.[1] ?? '';
  const name = hashOf([key, previous, user?.role === 'user' ? withoutCount(user.text) : '']);
  return { name: `derived-${name}`, isOne: false, settingsName: null, caller: hashOf([key, model]) };
}

function hashOf(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}

function given(name: string, isOne: boolean): SessionName {
  const id = shortName(storableText(name));
  return { name: id, isOne, settingsName: id, caller: null };
}

/** @returns undefined if missing or blank */
function valueOf(headers: FlatHeaders, name: string): string | undefined {
  const value = headerOf(headers, name)?.trim() ?? '';
  return value === '' ? undefined : value;
}
