import type { ChangesMessage } from '@loopwatch/contract/api';

/** Collects changes and applies them merged, once per animation frame; in a background tab once a second. */
export class FrameBuffer {
  #pending: ChangesMessage | undefined;
  readonly #apply: (message: ChangesMessage) => void;
  readonly #schedule: (flush: () => void) => void;

  constructor(apply: (message: ChangesMessage) => void, schedule = onNextFrame) {
    this.#apply = apply;
    this.#schedule = schedule;
  }

  add(message: ChangesMessage): void {
    if (this.#pending === undefined) {
      this.#pending = message;
      this.#schedule(() => this.#flush());
    } else this.#pending = merge(this.#pending, message);
  }

  /** Drops pending changes, since a snapshot replaces everything. */
  clear(): void {
    this.#pending = undefined;
  }

  #flush(): void {
    const message = this.#pending;
    this.#pending = undefined;
    if (message !== undefined) this.#apply(message);
  }
}

/** Maximum changes of one kind held; the rest are only counted. */
const MAX_PENDING = 2_000;
const BACKGROUND_MS = 1_000;

function onNextFrame(flush: () => void): void {
  if (document.hidden) setTimeout(flush, BACKGROUND_MS);
  else requestAnimationFrame(flush);
}

function merge(a: ChangesMessage, b: ChangesMessage): ChangesMessage {
  const incidents = latest([...a.incidents, ...b.incidents], ({ id }) => id);
  const sessions = latest([...a.sessions, ...b.sessions], ({ sessionId }) => sessionId);
  return {
    sequence: Math.max(a.sequence, b.sequence),
    incidents: incidents.kept,
    sessions: sessions.kept,
    settings: [...new Set([...a.settings, ...b.settings])],
    mutes: [...new Set([...a.mutes, ...b.mutes])],
    dropped: {
      incidents: a.dropped.incidents + b.dropped.incidents + incidents.dropped,
      sessions: a.dropped.sessions + b.dropped.sessions + sessions.dropped,
    },
    stats: b.stats ?? a.stats,
  };
}

/** The latest version of each item, ordered by its latest change. */
function latest<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
): { kept: Item[]; dropped: number } {
  const byId = new Map<string, Item>();
  for (const item of items) {
    byId.delete(idOf(item));
    byId.set(idOf(item), item);
  }
  const all = [...byId.values()];
  return { kept: all.slice(-MAX_PENDING), dropped: Math.max(0, all.length - MAX_PENDING) };
}
