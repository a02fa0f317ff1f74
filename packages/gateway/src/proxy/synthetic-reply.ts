import { randomBytes } from 'node:crypto';
import type { SyntheticReply } from '../api/conversation.ts';
import type { Enforcement } from '../session/enforcement.ts';

/** A text that the gateway sends in the model's place. */
export function textReply(text: string): SyntheticReply {
  return { id: newId(), text, stop: 'stop' };
}

/** The reply in place of a blocked call, text or request. @param stop how the reply of a blocked loop ends */
export function blockReply({ verdict, text }: Enforcement, stop: 'error' | 'stop'): SyntheticReply {
  if (verdict.detector === 'turn-limit') {
    const { max_allowed: allowed, last_tool_calls: lastCalls } = verdict.evidence;
    // The current request is not made, so exactly the allowed number was.
    const details = { stop_reason: 'max_turn_requests', turn_requests: allowed, max_allowed: allowed };
    return {
      id: newId(),
      text,
      // No schema has this reason: strict clients reject it, as they do an error.
      stop: stop === 'error' ? 'max_turn_requests' : stop,
      details: { ...details, last_tool_calls: lastCalls },
    };
  }
  const { id, detector, incidentId, count, threshold } = verdict;
  return {
    id: newId(),
    text,
    stop,
    details: { verdict_id: id, incident_id: incidentId, detector, count, threshold },
  };
}

/** The reply while a person has stopped the session. */
export function stoppedReply(stop: 'error' | 'stop'): SyntheticReply {
  const text = 'The session was stopped in Loopwatch. It continues once it is resumed there.';
  return { id: newId(), text, stop, details: { stopped: true } };
}

export function blockOutcome({ verdict }: Enforcement): 'limited' | 'blocked' {
  return verdict.kind === 'limit' ? 'limited' : 'blocked';
}

function newId(): string {
  return randomBytes(12).toString('hex');
}
