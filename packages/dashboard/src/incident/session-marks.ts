import { readEvidence } from '@loopwatch/contract';
import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { visibleText } from '../lib/visible-text.ts';

/** One event as a sign on a line. */
export interface Mark {
  /** Of the event in its session. */
  readonly index: number;
  readonly kind: 'prompt' | 'turn' | 'call' | 'error' | 'text';
  /** Of a call: its result was an error. */
  readonly failed: boolean;
  /** Event time, epoch ms. */
  readonly time: number;
  readonly text: string;
  /** Half its height, by the length of its text. */
  readonly size: number;
}

/** The events that say something on a line, in their order; a call that failed is marked as its result is. */
export function lineOf(items: readonly SessionEvent[]): Mark[] {
  const failed = new Set(
    items.flatMap(({ event }) =>
      event?.type === 'tool_result' && event['isError'] === true && typeof event['callId'] === 'string'
        ? event['callId']
        : [],
    ),
  );
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
        failed: kind === 'error' || (kind === 'call' && failed.has(String(event['callId']))),
        time,
        text: visibleText(shown.length > 80 ? `${shown.slice(0, 80)}…` : shown),
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

type LoopData = Pick<
  IncidentDetail,
  'began' | 'cost' | 'detector' | 'evidence' | 'firstEventIndex' | 'lastAt' | 'lastEventIndex'
>;

/** Where the loop began: event and time, the same wherever they are told. */
export function beginningOf(incident: LoopData): { readonly eventIndex: number; readonly time: number } {
  return incident.began ?? { eventIndex: firstCallOf(incident), time: incident.lastAt - incident.cost.ms };
}

/** The events between which the loop lies: from where it began to the latest verdict. */
export function loopSpan(incident: LoopData): { from: number; to: number } {
  return { from: beginningOf(incident).eventIndex, to: incident.lastEventIndex };
}

/** Of verdicts that do not say where their loop began: the first call that their evidence has. */
function firstCallOf({ detector, evidence, firstEventIndex }: LoopData): number {
  const known = readEvidence(detector, evidence);
  const first = known !== undefined && 'calls' in known ? known.calls[0]?.eventIndex : undefined;
  return Math.min(first ?? firstEventIndex, firstEventIndex);
}
