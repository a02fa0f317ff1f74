import type { AgentEvent } from '@loopwatch/contract';

/**
 * An event whose producer keeps arguments or results to itself and sends their hashes, with the hash in their place: equal
 * ones are found. Which arguments differ little, what an error says and what came back anew cannot be judged then.
 */
export function withHashes(event: AgentEvent): AgentEvent {
  if (event.type === 'tool_call_request') {
    const { argsHash } = event;
    return typeof argsHash === 'string' && event['args'] == null ? { ...event, args: { argsHash } } : event;
  }
  if (event.type === 'tool_result') {
    const { resultHash } = event;
    const isHashed = typeof resultHash === 'string' && event['result'] == null;
    return isHashed ? { ...event, result: `(a result with the hash ${resultHash})` } : event;
  }
  return event;
}
