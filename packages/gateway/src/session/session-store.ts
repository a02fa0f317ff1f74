import { LRUCache } from 'lru-cache';
import type { Json } from '../api/conversation.ts';
import { CallMarks } from './call-marks.ts';
import type { GatewaySession } from './gateway-session.ts';

/** Synthetic replies that a request may continue from; each holds a whole request. */
const MAX_SYNTHETIC_REPLIES = 200;

/** A synthetic reply, which the upstream does not know, with the request it answered. */
export interface SyntheticExchange {
  readonly request: Json;
  readonly text: string;
}

/** Sessions with the same name among which the one that a request continues is searched. */
const MAX_SHARING = 256;

/** Why a session left memory. */
export type EvictionReason = 'idle' | 'lru';

/** The sessions in memory; the least recently used one is evicted when there are too many, idle ones in any case. */
export class SessionStore {
  readonly #sessions = new Map<string, GatewaySession>();
  /** By name, the ids of further sessions that share it. */
  readonly #sharing = new Map<string, Set<string>>();
  readonly #replies: LRUCache<string, string>;
  readonly #syntheticReplies = new LRUCache<string, SyntheticExchange>({ max: MAX_SYNTHETIC_REPLIES });
  /** In which sessions calls were made. */
  readonly calls: CallMarks;
  readonly #limit: number;
  readonly #onEvicted: (reason: EvictionReason) => void;

  constructor(limit: number, onEvicted: (reason: EvictionReason) => void) {
    this.#limit = limit;
    this.#replies = new LRUCache({ max: 2 * limit });
    this.calls = new CallMarks(4 * limit);
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Whether any session has settings of its own. */
  get hasOwnSettings(): boolean {
    for (const session of this.#sessions.values()) if (session.rules.hasOwnSettings) return true;
    return false;
  }

  /** The session if it is in memory and not idle; does not count as use. */
  peek(id: string, now: number): GatewaySession | undefined {
    const session = this.#sessions.get(id);
    return session !== undefined && now - session.usedAt <= session.idleMs ? session : undefined;
  }

  /** The sessions in memory with this name, the oldest first. */
  named(name: string, now: number): GatewaySession[] {
    return [name, ...(this.#sharing.get(name) ?? [])].flatMap((id) => this.peek(id, now) ?? []);
  }

  /** Forgets a session that another gateway has continued. */
  drop(id: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) this.#forget(session);
  }

  /** Forgets the replies and calls of a session that was erased. */
  dropReplies(sessionId: string): void {
    for (const [replyId, id] of this.#replies.entries()) {
      if (id !== sessionId) continue;
      this.#replies.delete(replyId);
      this.#syntheticReplies.delete(replyId);
    }
    this.calls.drop(sessionId);
  }

  /**
   * The session, created if needed; counts as use.
   *
   * @param now epoch ms
   */
  get(id: string, now: number, create: () => GatewaySession): GatewaySession {
    const session = this.peek(id, now) ?? create();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.usedAt = now;
    if (session.name !== id) this.#share(session);
    this.#trim(now);
    return session;
  }

  /** Id of the session that gave a reply. */
  ofReply(replyId: string): string | undefined {
    return this.#replies.get(replyId);
  }

  noteReply(replyId: string, sessionId: string, synthetic?: SyntheticExchange): void {
    this.#replies.set(replyId, sessionId);
    if (synthetic !== undefined) this.#syntheticReplies.set(replyId, synthetic);
  }

  syntheticReply(replyId: string): SyntheticExchange | undefined {
    return this.#syntheticReplies.get(replyId);
  }

  #share({ id, name }: GatewaySession): void {
    const ids = this.#sharing.get(name) ?? new Set<string>();
    ids.add(id);
    this.#sharing.set(name, ids);
    const [oldest] = ids;
    if (ids.size > MAX_SHARING && oldest !== undefined) ids.delete(oldest);
  }

  #forget({ id, name }: GatewaySession): void {
    this.#sessions.delete(id);
    const ids = this.#sharing.get(name);
    if (ids?.delete(id) === true && ids.size === 0) this.#sharing.delete(name);
  }

  #trim(now: number): void {
    for (const session of this.#sessions.values()) {
      const idle = now - session.usedAt > session.idleMs;
      if (!idle && this.#sessions.size <= this.#limit) return;
      this.#forget(session);
      this.#onEvicted(idle ? 'idle' : 'lru');
    }
  }
}
