import type { Json } from '../api/conversation.ts';
import { Latest } from '../latest.ts';
import type { GatewaySession } from './gateway-session.ts';

/** Answers of the gateway's own that a request may go on from; they hold whole requests. */
const MAX_OWN_ANSWERS = 200;

/** An answer of the gateway's own, with the request it was given to: the model's API does not know it. */
export interface OwnWords {
  readonly request: Json;
  readonly told: string;
}

/** Conversations that share a name and are looked through for the one that a request goes on from. */
const MAX_SHARING = 256;

/** Why a session was let go. */
export type LetGo = 'idle' | 'lru';

/** The sessions of a gateway in memory: the one unused for longest goes when there are too many, or it is idle. */
export class SessionStore {
  private readonly sessions = new Map<string, GatewaySession>();
  /** By name, the ids of the other conversations that share it. */
  private readonly sharing = new Map<string, Set<string>>();
  private readonly answers: Latest<string>;
  private readonly ownAnswers = new Latest<OwnWords>(MAX_OWN_ANSWERS);
  private readonly limit: number;
  private readonly onLetGo: (why: LetGo) => void;

  constructor(limit: number, onLetGo: (why: LetGo) => void) {
    this.limit = limit;
    this.answers = new Latest(2 * limit);
    this.onLetGo = onLetGo;
  }

  get size(): number {
    return this.sessions.size;
  }

  /** Whether a session has settings of its own. */
  get anyOwnSettings(): boolean {
    for (const session of this.sessions.values()) if (session.hasOwnSettings) return true;
    return false;
  }

  /** The session where it is in memory, and not forgotten for idleness; that is no use of it. */
  peek(id: string, now: number): GatewaySession | undefined {
    const session = this.sessions.get(id);
    return session !== undefined && now - session.usedAt <= session.idleMs ? session : undefined;
  }

  /** The conversations in memory that have this name, the first of them first. */
  named(name: string, now: number): GatewaySession[] {
    return [name, ...(this.sharing.get(name) ?? [])].flatMap((id) => this.peek(id, now) ?? []);
  }

  /** Forgets a session that another gateway has. */
  drop(session: GatewaySession): void {
    if (this.sessions.get(session.id) === session) this.forget(session);
  }

  /**
   * The session, made where it is not there, and now the one used last.
   *
   * @param now epoch ms
   * @param create how it is made
   */
  get(id: string, now: number, create: () => GatewaySession): GatewaySession {
    const session = this.peek(id, now) ?? create();
    this.sessions.delete(id);
    this.sessions.set(id, session);
    session.usedAt = now;
    if (session.name !== id) this.share(session);
    this.trim(now);
    return session;
  }

  /** The session that an answer was given in. */
  ofAnswer(answerId: string): string | undefined {
    return this.answers.get(answerId);
  }

  noteAnswer(answerId: string, sessionId: string, own?: OwnWords): void {
    this.answers.note(answerId, sessionId);
    if (own !== undefined) this.ownAnswers.note(answerId, own);
  }

  ownAnswer(answerId: string): OwnWords | undefined {
    return this.ownAnswers.get(answerId);
  }

  private share({ id, name }: GatewaySession): void {
    const ids = this.sharing.get(name) ?? new Set<string>();
    ids.add(id);
    this.sharing.set(name, ids);
    const [oldest] = ids;
    if (ids.size > MAX_SHARING && oldest !== undefined) ids.delete(oldest);
  }

  private forget({ id, name }: GatewaySession): void {
    this.sessions.delete(id);
    const ids = this.sharing.get(name);
    if (ids?.delete(id) === true && ids.size === 0) this.sharing.delete(name);
  }

  private trim(now: number): void {
    for (const session of this.sessions.values()) {
      const idle = now - session.usedAt > session.idleMs;
      if (!idle && this.sessions.size <= this.limit) return;
      this.forget(session);
      this.onLetGo(idle ? 'idle' : 'lru');
    }
  }
}
