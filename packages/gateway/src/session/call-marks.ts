import { LRUCache } from 'lru-cache';

/** A call as a client repeats it. */
export interface CallMark {
  readonly id: string | null;
  /** Hash of tool and arguments. */
  readonly key: string;
}

/** The session in which a call was made. */
export interface MarkedSession {
  readonly sessionId: string;
  /** Whether the call's id proves it; otherwise it is where an equal call was made last. */
  readonly isProven: boolean;
}

const SEVERAL = 'several';
/** Longer than any API's. */
const MAX_ID_UNITS = 256;
/** Some models number the calls of each answer or conversation: `call_0`, `functions.read:1`. */
const COUNTED = /(?:^|[^a-z0-9])\d{1,4}$/i;

/** Finds the session of a call that a request shows under another name, among those of one caller. */
export class CallMarks {
  readonly #sessions: LRUCache<string, string>;

  constructor(max: number) {
    this.#sessions = new LRUCache({ max });
  }

  note(caller: string, { id, key }: CallMark, sessionId: string): void {
    if (identifies(id)) {
      const mark = `${caller} ${key} ${id}`;
      this.#sessions.set(mark, (this.#sessions.get(mark) ?? sessionId) === sessionId ? sessionId : SEVERAL);
    }
    this.#sessions.set(`${caller} ${key}`, sessionId);
  }

  /** An id that several sessions had, or that is only a number, proves nothing. */
  of(caller: string, { id, key }: CallMark): MarkedSession | undefined {
    const byId = identifies(id) ? this.#sessions.get(`${caller} ${key} ${id}`) : SEVERAL;
    const isProven = byId !== SEVERAL;
    const sessionId = isProven ? byId : this.#sessions.get(`${caller} ${key}`);
    return sessionId === undefined ? undefined : { sessionId, isProven };
  }

  /** Forgets the calls of a session. */
  drop(sessionId: string): void {
    for (const [mark, id] of this.#sessions.entries()) if (id === sessionId) this.#sessions.delete(mark);
  }
}

function identifies(id: string | null): id is string {
  return id !== null && id.length <= MAX_ID_UNITS && !COUNTED.test(id);
}
