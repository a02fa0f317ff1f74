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
  /** Of a call: its arguments and what it brought, shortened. */
  readonly about: string;
  /** Half its height, by the length of its text. */
  readonly size: number;
}

/** The events that say something on a line, in their order; a call that failed is marked as its result is. */
export function lineOf(items: readonly SessionEvent[]): Mark[] {
  const results = new Map(
    items.flatMap(({ event }) =>
      event?.type === 'tool_result' && typeof event['callId'] === 'string'
        ? [[event['callId'], event] as const]
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
    const result = kind === 'call' ? results.get(String(event['callId'])) : undefined;
    const brought = result === undefined ? '' : ` → ${short(result['result'] ?? '')}`;
    return [
      {
        index: eventIndex,
        kind,
        failed: kind === 'error' || result?.['isError'] === true,
        time,
        text: kind === 'turn' ? '' : short(shown),
        about: kind === 'call' ? `${short(event['args'] ?? '')}${brought}` : '',
        size: Math.min(12, 2 + Math.log2(1 + text.length)),
      },
    ];
  });
}

const SHOWN = 80;

/** The beginning of a text, or of a value as JSON. */
function short(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');
  return visibleText(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
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
