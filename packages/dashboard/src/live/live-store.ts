import type { IncidentStats, ServerInfo } from '@loopwatch/contract';
import type {
  ChangesMessage,
  HeartbeatMessage,
  IncidentItem,
  SessionItem,
  SnapshotMessage,
} from '@loopwatch/contract/api';
import { createStore } from 'zustand';

/** What the live link has reported. Each change makes a new object, since React compares by identity. */
export interface LiveState {
  readonly link: Link;
  /** New and changed incidents by id, the latest change last; lists merge them into the pages they have loaded. */
  readonly incidents: ReadonlyMap<string, IncidentItem>;
  readonly sessions: ReadonlyMap<string, SessionItem>;
  /** Ids of the incidents detected while this page was open; none of an imported history. */
  readonly arrived: ReadonlySet<string>;
  /** Number of changes skipped because too many came at once; reloading the list shows them. */
  readonly dropped: number;
  /** Undefined before the first snapshot. */
  readonly stats: IncidentStats | undefined;
  readonly info: ServerInfo | undefined;
  readonly heartbeat: HeartbeatMessage | undefined;
  /** Time of the server's last message by the server's own clock, epoch ms. */
  readonly heardAt: number | undefined;
  /** Sequence number of the latest change received; a reconnect resumes after it. */
  readonly sequence: number | undefined;
}

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Connection lost; the client keeps retrying. */
  | { readonly state: 'reconnecting'; readonly since: number }
  /** Never connected yet. */
  | { readonly state: 'failed'; readonly message: string };

/** What was detected longer ago is history that arrives only now. */
const RECENT_MS = 15 * 60_000;

/** Maximum changes held; older ones require a reload of the list. */
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

export type LiveStore = ReturnType<typeof createLiveStore>;

/** The messages of `/live` folded into one state, without socket or React. */
export function createLiveStore() {
  const store = createStore<LiveState>(() => initial);
  const { getState: get, setState: set } = store;
  return {
    ...store,

    /** Replaces all that was known. */
    applySnapshot({ incidents, sessions, stats, info, sequence }: SnapshotMessage, at: number): void {
      set({
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
    },

    /** Those that wait for the next frame may be applied after the link was cut, so the link stays as it is. */
    applyChanges(message: ChangesMessage, at: number): void {
      const known = get();
      const incidents = new Map(known.incidents);
      const sessions = new Map(known.sessions);
      const arrived = new Set(known.arrived);
      for (const item of message.incidents) {
        const isRecent = at - item.detectedAt < RECENT_MS;
        if (item.revision === 1 && isRecent && !incidents.has(item.id)) arrived.add(item.id);
        put(incidents, item.id, item);
      }
      for (const item of message.sessions) put(sessions, item.sessionId, item);
      const removed = trim(incidents) + trim(arrived);
      trim(sessions);
      set({
        incidents,
        sessions,
        arrived,
        dropped: known.dropped + message.dropped.incidents + Math.min(removed, message.incidents.length),
        heardAt: at,
        sequence: Math.max(known.sequence ?? 0, message.sequence),
        ...(message.stats !== null && { stats: message.stats }),
      });
    },

    /** Applies what this page itself changed, without waiting for the server to broadcast it. */
    applyOwnChange(items: readonly IncidentItem[]): void {
      const incidents = new Map(get().incidents);
      for (const item of items) put(incidents, item.id, item);
      trim(incidents);
      set({ incidents });
    },

    /** A list was reloaded after this many changes had been skipped. */
    subtractDropped(count: number): void {
      set({ dropped: Math.max(0, get().dropped - count) });
    },

    applyHeartbeat(heartbeat: HeartbeatMessage, at: number): void {
      set({ heartbeat, heardAt: at });
    },

    onDisconnect(at: number): void {
      if (get().stats === undefined) set({ link: { state: 'connecting' } });
      else if (get().link.state === 'live') set({ link: { state: 'reconnecting', since: at } });
    },

    /** Connected again; missed changes follow. */
    onConnect(): void {
      if (get().stats !== undefined) set({ link: { state: 'live' } });
    },

    onConnectError(message: string): void {
      if (get().stats === undefined) set({ link: { state: 'failed', message } });
    },

    onRetry(): void {
      if (get().stats === undefined) set({ link: { state: 'connecting' } });
    },
  };
}

/** Whether the server has removed incidents since the last message, so that loaded lists may show some that are gone. */
export function hasRemovals({ stats }: LiveState, message: ChangesMessage): boolean {
  return stats !== undefined && message.stats !== null && message.stats.dropped > stats.dropped;
}

/** Adds at the end, so that `trim` removes the oldest change first. */
function put<Item>(items: Map<string, Item>, id: string, item: Item): void {
  items.delete(id);
  items.set(id, item);
}

/** @returns number of removed items */
function trim(items: Map<string, unknown> | Set<string>): number {
  let removed = 0;
  for (const id of items.keys()) {
    if (items.size <= MAX_HELD) break;
    items.delete(id);
    removed += 1;
  }
  return removed;
}
