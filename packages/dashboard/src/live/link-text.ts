import type { HeartbeatMessage } from '@loopwatch/contract/api';
import { formatAgo, formatLag, formatTime } from '../lib/format.ts';
import type { LiveState } from './live-store.ts';

/** Without a message for this long the numbers count as stale, even if the socket is open. */
const STALE_AFTER_MS = 7_000;

export interface LinkText {
  readonly tone: 'ok' | 'warm' | 'hot';
  readonly text: string;
  /** Age of the last event or verdict, if known. */
  readonly last: string | undefined;
}

/** Describes the state of the live connection. @param now the server's wall clock, epoch ms */
export function linkText(state: LiveState, now: number): LinkText {
  const last = lastText(state, now);
  const { link, heardAt, heartbeat } = state;
  if (link.state === 'connecting') return { tone: 'warm', text: 'Connecting…', last };
  if (link.state === 'failed') return { tone: 'hot', text: 'No connection', last };
  if (link.state === 'reconnecting') {
    return { tone: 'hot', text: `Reconnecting, stale since ${formatTime(link.since, now)}`, last };
  }
  if (heardAt !== undefined && now - heardAt > STALE_AFTER_MS) {
    return { tone: 'warm', text: `Stale since ${formatTime(heardAt, now)}`, last };
  }
  if (heartbeat?.log === 'down')
    return { tone: 'hot', text: 'The server lost its connection to the event log', last };
  const behind = behindBy(heartbeat, now);
  if (behind !== undefined) return { tone: 'warm', text: `${formatLag(behind)} behind`, last };
  return { tone: 'ok', text: 'Live', last };
}

/** A lag of less is normal. */
const BEHIND_AFTER_MS = 5_000;

/** How far the pages are behind, ms; undefined if not. @param now the server's wall clock, epoch ms */
export function behindBy(
  heartbeat: Pick<HeartbeatMessage, 'readTo'> | undefined,
  now: number,
): number | undefined {
  if (heartbeat?.readTo == null) return undefined;
  const behind = now - heartbeat.readTo;
  return behind > BEHIND_AFTER_MS ? behind : undefined;
}

function lastText({ heartbeat }: LiveState, now: number): string | undefined {
  if (heartbeat === undefined) return undefined;
  const { lastEventAt, lastVerdictAt } = heartbeat;
  if (lastEventAt !== null) return `last event ${formatAgo(now - lastEventAt)}`;
  return lastVerdictAt === null ? undefined : `last verdict ${formatAgo(now - lastVerdictAt)}`;
}
