import { decodeEvent } from '@loopwatch/contract/check';
import type { OutputRecord } from '@loopwatch/log';

/** A line of a posted body that is not an event, and why. */
export interface LineError {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  readonly detail: string;
}

export interface PostedEvents {
  readonly records: readonly OutputRecord[];
  readonly errors: readonly LineError[];
}

/**
 * Reads a posted body: one JSON event, pretty-printed or not, or one event a line (NDJSON).
 *
 * @param now wall clock in epoch ms: the `time` of events that have none
 */
export function readPostedEvents(body: string, topic: string, now: number): PostedEvents {
  const records: OutputRecord[] = [];
  const errors: LineError[] = [];
  for (const { line, text } of splitEvents(body)) {
    const read = readEvent(text, now);
    if ('detail' in read) errors.push({ line, ...read });
    else records.push({ topic, key: read.sessionId, value: read.value });
  }
  return { records, errors };
}

function splitEvents(body: string): { line: number; text: string }[] {
  const lines = body
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '');
  const [first] = lines;
  const oneEvent = first !== undefined && lines.length > 1 && !isJson(first.text) && isJson(body);
  return oneEvent ? [{ line: first.line, text: body }] : lines;
}

function readEvent(
  text: string,
  now: number,
): { sessionId: string; value: string } | { reason: string; detail: string } {
  const decoded = decodeEvent({ text, key: null });
  if (!decoded.ok) {
    const { reason, message } = decoded;
    return { reason, detail: reason === 'missing_session' ? 'set "sessionId" in the event' : message };
  }
  const { event, sessionId } = decoded;
  return {
    sessionId,
    value: event.time == null ? JSON.stringify({ ...event, time: now }) : JSON.stringify(event),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
