import type { AgentEvent } from '@loopwatch/contract';

/** What a model did in one response. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** One for each call, in order; fewer if the run ended before. */
  readonly results: readonly string[];
}

export interface RecordedRun {
  readonly prompt: string;
  readonly turns: readonly Turn[];
}

/** Time between two events, ms: the recordings have no times. */
const STEP_MS = 200;
const STARTED_AT = 1_760_000_000_000;

/** A run as canonical events. */
export function eventsOf(sessionId: string, { prompt, turns }: RecordedRun): AgentEvent[] {
  const events: AgentEvent[] = [];
  const add = (type: string, fields: object = {}) => {
    const id = `${sessionId}#${String(events.length)}`;
    events.push({ v: 1, id, sessionId, time: STARTED_AT + events.length * STEP_MS, type, ...fields });
  };
  let calls = 0;
  add('prompt_started', { text: prompt });
  for (const turn of turns) {
    const first = calls;
    add('turn_started');
    if (turn.text !== '') add('content', { text: turn.text });
    for (const { name, args } of turn.calls) {
      calls += 1;
      add('tool_call_request', { callId: `c${String(calls)}`, name, args });
    }
    add('turn_finished');
    turn.results.forEach((result, i) => {
      add('tool_result', { callId: `c${String(first + i + 1)}`, result });
    });
  }
  add('session_ended');
  return events;
}
