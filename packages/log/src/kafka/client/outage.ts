/**
 * Decides when a process logs that Kafka is unavailable. A pure function of the state and an event gives the next state and
 * at most one log line; the caller owns the clock, the sockets and the log.
 */

/** Why a broker does not serve this process. */
export interface LinkFailure {
  /** Continues "Kafka is unavailable at host:port: …". */
  readonly reason: string;
  /** What to do about it, as a whole sentence; undefined if there is nothing to do but wait. */
  readonly advice?: string | undefined;
}

export type LinkEvent =
  | { readonly kind: 'failed'; readonly broker: string; readonly failure: LinkFailure }
  /** A broker answered a request that requires authentication. */
  | { readonly kind: 'answered'; readonly broker: string }
  /** Sent once a second while the state is not {@link available}. */
  | { readonly kind: 'tick' };

export interface OutageLine {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly outageMs: number;
}

interface Trouble extends LinkFailure {
  readonly lastAt: number;
}

interface Outage {
  readonly since: number;
  /** By broker, `host:port`; empty once all brokers have recovered. */
  readonly troubles: ReadonlyMap<string, Trouble>;
  readonly lastLoggedAt: number | undefined;
  /** Time of the first answer of any broker since the latest failure. */
  readonly answeredAt: number | undefined;
}

/** Undefined while Kafka is available. */
export type LinkState = Outage | undefined;

export const available: LinkState = undefined;

/** A blip, such as a leader election, is not worth a line. */
const GRACE_MS = 1_000;
const REMIND_EVERY_MS = 60_000;
/** Connections fail and recover one after the other. */
const SETTLED_AFTER_MS = 3_000;
/** A broker that has left the cluster gets no more requests: once others answer, its failure is forgotten after this time. */
const FORGOTTEN_AFTER_MS = 20_000;
const MAX_NAMED = 3;

export function nextLinkState(
  state: LinkState,
  event: LinkEvent,
  now: number,
): readonly [LinkState, OutageLine?] {
  switch (event.kind) {
    case 'failed': {
      const { since = now, troubles, lastLoggedAt } = state ?? {};
      const trouble = { ...event.failure, lastAt: now };
      return [
        {
          since,
          lastLoggedAt,
          answeredAt: undefined,
          troubles: new Map(troubles).set(event.broker, trouble),
        },
      ];
    }
    case 'answered': {
      if (state === undefined) return [state];
      const troubles = new Map(state.troubles);
      troubles.delete(event.broker);
      return [{ ...state, troubles, answeredAt: state.answeredAt ?? now }];
    }
    case 'tick':
      return state === undefined ? [state] : afterTick(state, now);
  }
}

function afterTick(state: Outage, now: number): readonly [LinkState, OutageLine?] {
  const { since, answeredAt, lastLoggedAt } = state;
  const troubles =
    answeredAt === undefined
      ? state.troubles
      : new Map([...state.troubles].filter(([, { lastAt }]) => now - lastAt < FORGOTTEN_AFTER_MS));
  if (troubles.size === 0 && answeredAt !== undefined) {
    if (now - answeredAt < SETTLED_AFTER_MS) return [{ ...state, troubles }];
    if (lastLoggedAt === undefined) return [available];
    const outageMs = answeredAt - since;
    return [
      available,
      { level: 'info', message: `Kafka is reachable again after ${inWords(outageMs)}`, outageMs },
    ];
  }
  const quietMs = lastLoggedAt === undefined ? now - since - GRACE_MS : now - lastLoggedAt - REMIND_EVERY_MS;
  if (quietMs < 0) return [{ ...state, troubles }];
  const outageMs = now - since;
  const [still, after] = lastLoggedAt === undefined ? ['', ''] : ['still ', ` after ${inWords(outageMs)}`];
  const { where, why, advice } = summarize(troubles);
  const message = `Kafka is ${still}unavailable at ${where}${after}: ${why}; retrying${advice === undefined ? '' : `. ${advice}`}`;
  const level = advice === undefined ? 'warn' : 'error';
  return [
    { ...state, troubles, lastLoggedAt: now },
    { level, message, outageMs },
  ];
}

/** One sentence without its full stop; undefined if no broker is in trouble. */
export function describeOutage(state: LinkState): string | undefined {
  if (state === undefined || state.troubles.size === 0) return undefined;
  const { where, why } = summarize(state.troubles);
  return `Kafka is unavailable at ${where}: ${why}`;
}

function summarize(troubles: ReadonlyMap<string, Trouble>) {
  const all = [...troubles.values()];
  const reasons = new Set(all.map(({ reason }) => reason));
  const [only] = reasons;
  const names = [...troubles].map(([broker, { reason }]) =>
    reasons.size === 1 ? broker : `${broker} (${reason})`,
  );
  const more = names.length > MAX_NAMED ? ` and ${String(names.length - MAX_NAMED)} more` : '';
  return {
    where: names.slice(0, MAX_NAMED).join(', ') + more,
    why: reasons.size === 1 ? (only ?? '') : `${String(names.length)} brokers do not answer`,
    advice: all.find(({ advice }) => advice !== undefined)?.advice,
  };
}

/** Two units at most: `42 s`, `5 min 3 s`, `3 h 10 min`. */
export function inWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [big, bigUnit, smallUnit] = seconds < 3600 ? [60, 'min', 's'] : [3600, 'h', 'min'];
  if (seconds < 60) return `${String(seconds)} s`;
  const rest = Math.floor((seconds % big) / (big / 60));
  return `${String(Math.floor(seconds / big))} ${bigUnit}${rest === 0 ? '' : ` ${String(rest)} ${smallUnit}`}`;
}
