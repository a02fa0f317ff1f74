import { eventTime, readEvidence } from '@loopwatch/contract';
import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { visibleText } from '../lib/visible-text.ts';

/** One event as a mark on the timeline. */
export interface Mark {
  /** Index of the event in its session. */
  readonly index: number;
  readonly kind: 'prompt' | 'turn' | 'call' | 'error' | 'text';
  /** Whether it is an error, or a call with an error as its result. */
  readonly failed: boolean;
  /** Event time, epoch ms. */
  readonly time: number;
  readonly text: string;
  /** Arguments and result of a call, shortened; empty for other events. */
  readonly details: string;
  /** Half the height, which depends on the length of the text. */
  readonly size: number;
}

/** The events worth a mark, in order; a call with an error result is marked as failed. */
export function sessionMarks(items: readonly SessionEvent[]): Mark[] {
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
    const time = eventTime(event, timestamp);
    const text = typeof event['text'] === 'string' ? event['text'] : '';
    const name = typeof event['name'] === 'string' ? event['name'] : '';
    const shown = kind === 'call' ? name : kind === 'text' || kind === 'prompt' ? text : event.type;
    const result = kind === 'call' ? results.get(String(event['callId'])) : undefined;
    const outcome = result === undefined ? '' : ` → ${shorten(result['result'] ?? '')}`;
    return [
      {
        index: eventIndex,
        kind,
        failed: kind === 'error' || result?.['isError'] === true,
        time,
        text: kind === 'turn' ? '' : shorten(shown),
        details: kind === 'call' ? `${shorten(event['args'] ?? '')}${outcome}` : '',
        size: Math.min(12, 2 + Math.log2(1 + text.length)),
      },
    ];
  });
}

const MAX_CHARACTERS = 80;

/** The start of a text, or of a value as JSON. */
function shorten(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');
  return visibleText(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
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

/** The event and time at which the loop began. */
export function loopStart(incident: LoopData): { readonly eventIndex: number; readonly time: number } {
  return incident.began ?? { eventIndex: firstCallOf(incident), time: incident.lastAt - incident.cost.ms };
}

/** Indices of the first and the last event of the loop. */
export function loopSpan(incident: LoopData): { from: number; to: number } {
  return { from: loopStart(incident).eventIndex, to: incident.lastEventIndex };
}

/** For verdicts without a start: the first call in their evidence. */
function firstCallOf({ detector, evidence, firstEventIndex }: LoopData): number {
  const known = readEvidence(detector, evidence);
  const first = known !== undefined && 'calls' in known ? known.calls[0]?.eventIndex : undefined;
  return Math.min(first ?? firstEventIndex, firstEventIndex);
}

/** Width of a letter, in units of the view box. */
const LETTER_WIDTH = 5.2;
const MAX_LETTERS = 14;

/** The name of a call below its mark. */
export interface CallLabel {
  readonly mark: Mark;
  readonly name: string;
  /** Its middle, so that it stays within the line. */
  readonly at: number;
}

/**
 * Names of calls that fit without overlap; a name repeated in a row appears once.
 *
 * @param width of the line
 */
export function callLabels(marks: readonly Mark[], x: (index: number) => number, width: number): CallLabel[] {
  let labelEnd = -Infinity;
  let previousName = '';
  return marks.flatMap((mark) => {
    if (mark.kind !== 'call' || mark.text === previousName) return [];
    const name = mark.text.length > MAX_LETTERS ? `${mark.text.slice(0, MAX_LETTERS - 1)}…` : mark.text;
    const half = (name.length * LETTER_WIDTH) / 2;
    const at = Math.max(half, Math.min(width - half, x(mark.index)));
    if (at - half < labelEnd) return [];
    labelEnd = at + half + LETTER_WIDTH;
    previousName = mark.text;
    return { mark, name, at };
  });
}
