import type { DetectionSettings } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import { type Detection, detectionOf, SessionAnalyzer } from '@loopwatch/detectors/internal';

/** A line ready to send, or why it cannot be sent. */
export type StampResult =
  | { readonly ok: true; readonly sessionId: string; readonly time: number; readonly value: string }
  | { readonly ok: false; readonly message: string };

/**
 * Adds a missing id and time to each event, by the same rules as a replay of the file, so that a worker's verdicts get
 * the same ids. Members are appended to the text; the producer's own text is unchanged.
 */
export class EventStamper {
  readonly #detection: Detection;
  readonly #sessions = new Map<string, SessionAnalyzer>();

  /** @param settings as in the replay; they define the pause after which a session restarts */
  constructor(settings: DetectionSettings) {
    this.#detection = detectionOf({ ...settings, enabled: false });
  }

  stamp(line: string): StampResult {
    const decoded = decodeEvent({ text: line, key: null });
    if (!decoded.ok) return { ok: false, message: decoded.message };
    const { sessionId, event } = decoded;
    let session = this.#sessions.get(sessionId);
    if (session === undefined) {
      session = new SessionAnalyzer(sessionId, this.#detection);
      this.#sessions.set(sessionId, session);
    }
    session.push(event);
    const missing: Record<string, unknown> = {
      ...(typeof event.id !== 'string' && { id: `#${String(session.eventIndex)}` }),
      ...((event.time === undefined || event.time === null) && { time: session.lastTime }),
    };
    return { ok: true, sessionId, time: session.lastTime, value: appendMembers(line, missing) };
  }
}

/** Appends members to the text of a JSON object; they override earlier ones of the same name that are `null`. */
function appendMembers(text: string, members: Record<string, unknown>): string {
  const more = JSON.stringify(members).slice(1, -1);
  return more === '' ? text : `${text.trimEnd().slice(0, -1)},${more}}`;
}
