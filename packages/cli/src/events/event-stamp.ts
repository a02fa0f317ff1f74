import type { DetectionSettings } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import { type Detection, detectionOf, SessionAnalyzer } from '@loopwatch/detectors';

/** A line that can be sent, or why it cannot. */
export type Stamped =
  | { readonly ok: true; readonly sessionId: string; readonly time: number; readonly value: string }
  | { readonly ok: false; readonly message: string };

/**
 * Writes into each event what it lacks of id and time, by the rules that a replay of the same file goes by, so that a
 * worker's verdicts get the same ids. The text is not parsed and printed again: what the producer wrote stays.
 */
export class EventStamp {
  private readonly detection: Detection;
  private readonly sessions = new Map<string, SessionAnalyzer>();

  /** @param settings those of the replay to agree with: they say after which pause a session restarts */
  constructor(settings: DetectionSettings) {
    this.detection = detectionOf({ ...settings, enabled: false });
  }

  stamp(line: string): Stamped {
    const decoded = decodeEvent({ text: line, key: null });
    if (!decoded.ok) return { ok: false, message: decoded.message };
    const { sessionId, event } = decoded;
    let session = this.sessions.get(sessionId);
    if (session === undefined) {
      session = new SessionAnalyzer(sessionId, this.detection);
      this.sessions.set(sessionId, session);
    }
    session.push(event);
    const lacking: Record<string, unknown> = {
      ...(typeof event.id !== 'string' && { id: `#${String(session.eventIndex)}` }),
      ...((event.time === undefined || event.time === null) && { time: session.lastTime }),
    };
    return { ok: true, sessionId, time: session.lastTime, value: withMembers(line, lacking) };
  }
}

/** The JSON object's text with more members at its end; a `null` of the same name before them loses. */
function withMembers(text: string, members: Record<string, unknown>): string {
  const more = JSON.stringify(members).slice(1, -1);
  return more === '' ? text : `${text.trimEnd().slice(0, -1)},${more}}`;
}
