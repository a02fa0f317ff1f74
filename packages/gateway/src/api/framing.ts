import type { EventCutter } from './event-cutter.ts';
import { JsonArrayCutter } from './json-array.ts';
import { SseCutter } from './sse.ts';

/** How the events of a streamed reply are framed. */
export interface Framing {
  readonly contentType: string;
  /** Part of the content type of a stream. */
  readonly type: string;
  /** Whether everything of that type is a stream. */
  readonly isTold: boolean;
  /** How a stream begins. */
  readonly start: RegExp;
  /** @param limit upper bound of one event, in bytes */
  readonly cutter: (limit: number) => EventCutter;
}

export const serverSentEvents: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  type: 'event-stream',
  isTold: true,
  start: /^(?:data|event|id|retry)?:/,
  cutter: (limit) => new SseCutter(limit),
};

/** One array with all events; an error has its content type, too. */
export const jsonArray: Framing = {
  contentType: 'application/json; charset=utf-8',
  type: 'json',
  isTold: false,
  start: /^\[/,
  cutter: (limit) => new JsonArrayCutter(limit),
};
