import type { IncidentStats, ServerInfo } from '@loopwatch/contract';
import type {
  ChangesMessage,
  HeartbeatMessage,
  IncidentItem,
  SessionItem,
  SnapshotMessage,
} from '@loopwatch/contract/api';

/** What the live link has told. A new object for each change; React compares by identity. */
export interface LiveState {
  readonly link: Link;
  /** Incidents that are new or changed, by id, the latest change last; lists lay them over what they have read. */
  readonly incidents: ReadonlyMap<string, IncidentItem>;
  readonly sessions: ReadonlyMap<string, SessionItem>;
  /** Incidents that were found while the page was open. */
  readonly arrived: ReadonlySet<string>;
  /** Changes that were left out because there were too many at once; lists have them when they are read again. */
  readonly dropped: number;
  /** Undefined before the first snapshot. */
  readonly stats: IncidentStats | undefined;
  readonly info: ServerInfo | undefined;
  readonly heartbeat: HeartbeatMessage | undefined;
  /** When the server was last heard, by its own clock, epoch ms. */
  readonly heardAt: number | undefined;
  /** Number of the latest change that was seen, for catching up after a break. */
  readonly sequence: number | undefined;
}

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Lost; the client keeps trying. */
  | { readonly state: 'reconnecting'; readonly since: number }
  /** Never reached so far. */
  | { readonly state: 'failed'; readonly message: string };

/** Changes to hold; a list that needs older ones is read again. */
export const MAX_HELD = 2_000;

const initial: LiveState = {
  link: { state: 'connecting' },
  incidents: new Map(),
  sessions: new Map(),
  arrived: new Set(),
  dropped: 0,
  stats: undefined,
  info: undefined,
  heartbeat: undefined,
  heardAt: undefined,
  sequence: undefined,
};

/** The messages of `/live` folded into one state. No socket and no React in here. */
export class LiveStore {
  private state = initial;
  private readonly listeners = new Set<() => void>();

  readonly get = (): LiveState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Takes the place of all there was. */
  snapshot({ incidents, sessions, stats, info, sequence }: SnapshotMessage, at: number): void {
    this.set({
      link: { state: 'live' },
      incidents: new Map(incidents.toReversed().map((item) => [item.id, item])),
      sessions: new Map(sessions.toReversed().map((item) => [item.sessionId, item])),
      arrived: new Set(),
      dropped: 0,
      info,
      stats,
      sequence,
      heardAt: at,
    });
  }

  changes(message: ChangesMessage, at: number): void {
    const known = this.state;
    const incidents = new Map(known.incidents);
    const sessions = new Map(known.sessions);
    const arrived = new Set(known.arrived);
    for (const item of message.incidents) {
      if (item.revision === 1 && !incidents.has(item.id)) arrived.add(item.id);
      put(incidents, item.id, item);
    }
    for (const item of message.sessions) put(sessions, item.sessionId, item);
    const tooMany = bound(incidents) + bound(arrived);
    bound(sessions);
    this.set({
      link: { state: 'live' },
      incidents,
      sessions,
      arrived,
      dropped: known.dropped + message.dropped.incidents + Math.min(tooMany, message.incidents.length),
      heardAt: at,
      sequence: Math.max(known.sequence ?? 0, message.sequence),
      ...(message.stats !== null && { stats: message.stats }),
    });
  }

  /** What this page itself changed, without waiting for the server to tell. */
  changed(items: readonly IncidentItem[]): void {
    const incidents = new Map(this.state.incidents);
    for (const item of items) put(incidents, item.id, item);
    bound(incidents);
    this.set({ incidents });
  }

  /** The list was read again from its beginning, after so many changes had been left out. */
  caughtUp(dropped: number): void {
    this.set({ dropped: Math.max(0, this.state.dropped - dropped) });
  }

  heartbeat(heartbeat: HeartbeatMessage, at: number): void {
    this.set({ heartbeat, heardAt: at });
  }

  lost(at: number): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'connecting' } });
    else if (this.state.link.state === 'live') this.set({ link: { state: 'reconnecting', since: at } });
  }

  /** Connected again; what was missed comes as changes. */
  found(): void {
    if (this.state.stats !== undefined) this.set({ link: { state: 'live' } });
  }

  refused(message: string): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'failed', message } });
  }

  retrying(): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'connecting' } });
  }

  private set(part: Partial<LiveState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }
}

/** Whether the server says that it has removed incidents since: lists that were read hold some that are gone. */
export function tellsOfRemoval({ stats }: LiveState, message: ChangesMessage): boolean {
  return stats !== undefined && message.stats !== null && message.stats.dropped > stats.dropped;
}

/** As the latest, so that the oldest change is the first to go. */
function put<Item>(items: Map<string, Item>, id: string, item: Item): void {
  items.delete(id);
  items.set(id, item);
}

/** @returns how many had to go */
function bound(items: Map<string, unknown> | Set<string>): number {
  let gone = 0;
  for (const id of items.keys()) {
    if (items.size <= MAX_HELD) break;
    items.delete(id);
    gone += 1;
  }
  return gone;
}
