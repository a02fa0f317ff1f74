import type {
  IncidentRow,
  IncidentStats,
  LiveHeartbeat,
  LiveIncidents,
  LiveSnapshot,
  ServerInfo,
} from '@loopwatch/contract';

/** What the page knows of the server. A new object for each change; React compares by identity. */
export interface LiveState {
  readonly link: Link;
  /** Newest first. */
  readonly rows: readonly IncidentRow[];
  /** Incidents that came after the first snapshot: those slide in. */
  readonly arrived: ReadonlySet<string>;
  /** Undefined before the first snapshot. */
  readonly stats: IncidentStats | undefined;
  readonly info: ServerInfo | undefined;
  readonly heartbeat: LiveHeartbeat | undefined;
  /** When the server was last heard, by its own clock, epoch ms. */
  readonly heardAt: number | undefined;
}

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Lost; the client keeps trying. */
  | { readonly state: 'reconnecting'; readonly since: number }
  /** Never reached so far. */
  | { readonly state: 'failed'; readonly message: string };

/** Rows to hold; older ones can be asked for again. */
const MAX_ROWS = 2_000;

const initial: LiveState = {
  link: { state: 'connecting' },
  rows: [],
  arrived: new Set(),
  stats: undefined,
  info: undefined,
  heartbeat: undefined,
  heardAt: undefined,
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

  /** The first of a connection takes the place of all there was; one in between only adds. */
  snapshot({ incidents, stats, info }: LiveSnapshot, at: number): void {
    const rows =
      this.state.link.state === 'live'
        ? this.merge(incidents)
        : { rows: incidents, arrived: new Set<string>() };
    this.set({ link: { state: 'live' }, info, stats, heardAt: at, ...rows });
  }

  incidents(
    { incidents, stats }: Omit<LiveIncidents, 'stats'> & { readonly stats: IncidentStats | null },
    at: number,
  ): void {
    this.set({ heardAt: at, ...(stats !== null && { stats }), ...this.merge(incidents) });
  }

  heartbeat(heartbeat: LiveHeartbeat, at: number): void {
    this.set({ heartbeat, heardAt: at });
  }

  /** Rows from another way than the live link: a page of older ones. */
  add(incidents: readonly IncidentRow[]): void {
    this.set({ rows: this.merge(incidents).rows });
  }

  lost(at: number): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'connecting' } });
    else if (this.state.link.state === 'live') this.set({ link: { state: 'reconnecting', since: at } });
  }

  refused(message: string): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'failed', message } });
  }

  retrying(): void {
    if (this.state.stats === undefined) this.set({ link: { state: 'connecting' } });
  }

  private merge(incidents: readonly IncidentRow[]): Pick<LiveState, 'rows' | 'arrived'> {
    const rows = new Map(this.state.rows.map((row) => [row.id, row]));
    const greeted = this.state.stats !== undefined;
    const arrived = new Set(this.state.arrived);
    for (const row of incidents) {
      const known = rows.get(row.id);
      if (known === undefined && greeted) arrived.add(row.id);
      if (known === undefined || known.revision <= row.revision) rows.set(row.id, row);
    }
    return { rows: [...rows.values()].sort(newestFirst).slice(0, MAX_ROWS), arrived };
  }

  private set(part: Partial<LiveState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }
}

function newestFirst(a: IncidentRow, b: IncidentRow): number {
  return b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1);
}
