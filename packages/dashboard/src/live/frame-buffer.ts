import type { ChangesMessage } from '@loopwatch/contract/api';

/**
 * Holds changes back until the page draws its next picture, and merges them: however fast they come, they are applied
 * once a frame. A page in the background draws none, so there a second passes between two.
 */
export class FrameBuffer {
  private waiting: ChangesMessage | undefined;
  private readonly apply: (message: ChangesMessage) => void;
  private readonly schedule: (flush: () => void) => void;

  constructor(apply: (message: ChangesMessage) => void, schedule = onNextFrame) {
    this.apply = apply;
    this.schedule = schedule;
  }

  add(message: ChangesMessage): void {
    if (this.waiting === undefined) {
      this.waiting = message;
      this.schedule(() => this.flush());
    } else this.waiting = merge(this.waiting, message);
  }

  /** Forgets what waits, because something newer takes the place of everything. */
  clear(): void {
    this.waiting = undefined;
  }

  private flush(): void {
    const message = this.waiting;
    this.waiting = undefined;
    if (message !== undefined) this.apply(message);
  }
}

/** More than this many of a kind are counted instead. */
const MAX_WAITING = 2_000;
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
      incidents: a.dropped.incidents + b.dropped.incidents + incidents.gone,
      sessions: a.dropped.sessions + b.dropped.sessions + sessions.gone,
    },
    stats: b.stats ?? a.stats,
  };
}

/** Each once, in its latest form, in the order of the latest changes. */
function latest<Item>(items: readonly Item[], idOf: (item: Item) => string): { kept: Item[]; gone: number } {
  const byId = new Map<string, Item>();
  for (const item of items) {
    byId.delete(idOf(item));
    byId.set(idOf(item), item);
  }
  const all = [...byId.values()];
  return { kept: all.slice(-MAX_WAITING), gone: Math.max(0, all.length - MAX_WAITING) };
}
