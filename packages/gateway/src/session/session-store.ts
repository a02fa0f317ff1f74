import type { Json } from '../api/conversation.ts';
import { Latest } from '../latest.ts';
import type { GatewaySession } from './gateway-session.ts';

/** Answers of the gateway's own that a request may go on from; they hold whole requests. */
const MOST_OWN_ANSWERS = 200;

/** An answer of the gateway's own, with the request it was given to: the model's API does not know it. */
export interface OwnWords {
  readonly request: Json;
  readonly told: string;
}

/** Why a session was let go. */
export type LetGo = 'idle' | 'lru';

/** The sessions of a gateway in memory: the one unused for longest goes when there are too many, or it is idle. */
export class SessionStore {
  private readonly sessions = new Map<string, GatewaySession>();
  private readonly answers: Latest<string>;
  private readonly ownAnswers = new Latest<OwnWords>(MOST_OWN_ANSWERS);
  private readonly limit: number;
  private readonly create: (id: string) => GatewaySession;
  private readonly onLetGo: (why: LetGo) => void;

  constructor(limit: number, create: (id: string) => GatewaySession, onLetGo: (why: LetGo) => void) {
    this.limit = limit;
    this.answers = new Latest(2 * limit);
    this.create = create;
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

  /** Forgets a session that another gateway has. */
  drop(session: GatewaySession): void {
    if (this.sessions.get(session.id) === session) this.sessions.delete(session.id);
  }

  /**
   * The session, made where it is not there, and now the one used last.
   *
   * @param now epoch ms
   * @param create how it is made; afresh, where absent
   */
  get(id: string, now: number, create = this.create): GatewaySession {
    const session = this.peek(id, now) ?? create(id);
    this.sessions.delete(id);
    this.sessions.set(id, session);
    session.usedAt = now;
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

  private trim(now: number): void {
    for (const [id, session] of this.sessions) {
      const idle = now - session.usedAt > session.idleMs;
      if (!idle && this.sessions.size <= this.limit) return;
      this.sessions.delete(id);
      this.onLetGo(idle ? 'idle' : 'lru');
    }
  }
}
