import { createHash } from 'node:crypto';
import type { AgentEvent } from '@loopwatch/contract';
import { canonicalJson } from '@loopwatch/detectors/internal';

/**
 * Identifies a run by its tool calls, in order. Labels count calls, so a run with another fingerprint is not the one that
 * was read. Texts and results do not count: they depend on how the recording was converted to events.
 */
export function fingerprintOf(events: readonly AgentEvent[]): string {
  const hash = createHash('sha256');
  for (const event of events) {
    if (event.type !== 'tool_call_request') continue;
    hash.update(`${String(event['name'])} ${canonicalJson(argsOf(event['args']))}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Some formats have the arguments as JSON text. */
function argsOf(args: unknown): unknown {
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
