import { type EventRefusal, isEventType } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import type { OutputRecord } from '@loopwatch/log';
import { limits } from './limits.ts';
import { type Piece, splitBody } from './split-body.ts';
import type { Turns } from './turns.ts';

/** An event of a body, as it goes to the log. */
export interface PostedEvent {
  readonly line: number;
  readonly type: string;
  /** What tells it from others; undefined where it has no id. */
  readonly id: string | undefined;
  readonly record: OutputRecord;
}

/** A part of a body that is not an event, and why. */
export interface Rejection {
  /** Line of the body, or place in an array; from 1. */
  readonly line: number;
  readonly code: EventRefusal;
  readonly detail: string;
}

export interface PostedBody {
  readonly events: readonly PostedEvent[];
  /** The first of them. */
  readonly rejected: readonly Rejection[];
  readonly rejectedTotal: number;
  /** Where reading ended because too much was refused. */
  readonly unreadFromLine: number | undefined;
}

/**
 * Reads a body: one JSON event, pretty-printed or not, a JSON array of events, or one event a line (NDJSON).
 *
 * @param now wall clock in epoch ms: the `time` of events that have none
 */
export async function readEvents(
  body: Buffer,
  { topic, now, turns }: { readonly topic: string; readonly now: number; readonly turns: Turns },
): Promise<PostedBody> {
  const events: PostedEvent[] = [];
  const rejected: Rejection[] = [];
  let rejectedTotal = 0;
  let began = await turns.next();
  for (const piece of splitBody(body, (whole) => isJson(body, whole))) {
    if (rejectedTotal === limits.refused) {
      return { events, rejected, rejectedTotal, unreadFromLine: piece.line };
    }
    const read = readEvent(body, piece, topic, now);
    if ('record' in read) events.push(read);
    else {
      rejectedTotal += 1;
      if (rejected.length < limits.listed) rejected.push(read);
    }
    if (turns.isOver(began)) began = await turns.next();
  }
  return { events, rejected, rejectedTotal, unreadFromLine: undefined };
}

function readEvent(body: Buffer, piece: Piece, topic: string, now: number): PostedEvent | Rejection {
  const { line, start, end } = piece;
  const tooMuch = excessOf(piece);
  if (tooMuch !== undefined) return { line, ...tooMuch };
  const text = body.toString('utf8', start, end);
  const decoded = decodeEvent({ text, key: null });
  if (!decoded.ok) {
    const { reason: code, message } = decoded;
    return { line, code, detail: code === 'missing_session' ? 'set "sessionId" in the event' : message };
  }
  const { event, sessionId } = decoded;
  const value = event.time == null ? withTime(text, now) : text;
  const id = event.id == null ? undefined : JSON.stringify([sessionId, event.id]);
  return { line, type: event.type, id, record: { topic, key: sessionId, value } };
}

/**
 * The text of an event, which is an object with members, with a time that wins over a `null`. Written again, an event as deep
 * as may be would take more stack than there is.
 */
function withTime(text: string, time: number): string {
  return `${text.slice(0, text.lastIndexOf('}'))},"time":${time}}`;
}

/** What no log takes, which is known without reading it. */
function excessOf({ start, end }: Piece): Omit<Rejection, 'line'> | undefined {
  const bytes = end - start;
  if (bytes <= limits.eventBytes) return undefined;
  const detail = `the event has ${String(bytes)} bytes; at most ${String(limits.eventBytes)} are taken`;
  return { code: 'too_large', detail };
}

function isJson(body: Buffer, whole: Piece): boolean {
  if (excessOf(whole) !== undefined) return false;
  const decoded = decodeEvent({ text: body.toString('utf8', whole.start, whole.end), key: null });
  return decoded.ok || decoded.reason !== 'not_json';
}

export function isKnownType({ type }: PostedEvent): boolean {
  return isEventType(type);
}
