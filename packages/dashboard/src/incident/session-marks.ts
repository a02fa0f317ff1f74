import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';

/** One event as a sign on a line. */
export interface Mark {
  /** Of the event in its session. */
  readonly index: number;
  readonly kind: 'prompt' | 'turn' | 'call' | 'error' | 'text';
  /** Event time, epoch ms. */
  readonly time: number;
  readonly text: string;
  /** Half its height, by the length of its text. */
  readonly size: number;
}

/** The events that say something on a line, in their order. */
export function lineOf(items: readonly SessionEvent[]): Mark[] {
  return items.flatMap(({ event, eventIndex, timestamp }): Mark[] => {
    if (event === null || eventIndex === null) return [];
    const kind = kindOf(event);
    if (kind === undefined) return [];
    const time = typeof event['time'] === 'number' ? event['time'] : timestamp;
    const text = typeof event['text'] === 'string' ? event['text'] : '';
    const name = typeof event['name'] === 'string' ? event['name'] : '';
    const shown = kind === 'call' ? name : kind === 'text' || kind === 'prompt' ? text : event.type;
    return [
      {
        index: eventIndex,
        kind,
        time,
        text: shown.length > 80 ? `${shown.slice(0, 80)}…` : shown,
        size: Math.min(12, 2 + Math.log2(1 + text.length)),
      },
    ];
  });
}

function kindOf(event: {
  readonly type: string;
  readonly [name: string]: unknown;
}): Mark['kind'] | undefined {
  if (event.type === 'prompt_started') return 'prompt';
  if (event.type === 'turn_started') return 'turn';
  if (event.type === 'tool_call_request') return 'call';
  if (event.type === 'tool_result') return event['isError'] === true ? 'error' : undefined;
  if (event.type === 'content' || event.type === 'thought') return 'text';
  return undefined;
}

/** The events between which the loop lies: from where it began, where the evidence says so, to the latest verdict. */
export function loopSpan({
  evidence,
  firstEventIndex,
  lastEventIndex,
}: Pick<IncidentDetail, 'evidence' | 'firstEventIndex' | 'lastEventIndex'>): {
  from: number;
  to: number;
} {
  const calls = Array.isArray(evidence['calls']) ? (evidence['calls'] as unknown[]) : [];
  const [first] = calls.flatMap((call) => {
    const index =
      typeof call === 'object' && call !== null && 'eventIndex' in call ? call.eventIndex : undefined;
    return typeof index === 'number' ? [index] : [];
  });
  return { from: Math.min(first ?? firstEventIndex, firstEventIndex), to: lastEventIndex };
}
