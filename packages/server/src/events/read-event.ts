import { type AgentEvent, type EventRefusal, isEventType } from '@loopwatch/contract';
import { acceptEvent, decodeEvent } from '@loopwatch/contract/check';
import { type Translation, Translator, type TranslatorOptions, unframed } from '@loopwatch/formats';
import type { OutputRecord } from '@loopwatch/log';
import { limits } from './limits.ts';
import type { Piece } from './split-body.ts';

/** An event of a body, and the record to write for it. */
export interface PostedEvent {
  readonly line: number;
  readonly type: string;
  /** Identifies it for deduplication; undefined when the event has no id. */
  readonly id: string | undefined;
  readonly record: OutputRecord;
}

/** A part of a body that is not a valid event, and why. */
export interface Rejection {
  /** Line of the body, or position in an array; from 1. */
  readonly line: number;
  readonly code: EventRefusal;
  readonly detail: string;
}

/** What a piece of a body holds. */
export interface PieceRead {
  readonly events: readonly PostedEvent[];
  readonly rejections: readonly Rejection[];
  /** Types of records of other formats that are irrelevant to loops. */
  readonly ignored: readonly string[];
}

export interface EventReaderOptions extends TranslatorOptions {
  readonly topic: string;
  /** Wall clock, epoch ms: the `time` of events without one. */
  readonly now: () => number;
  /** Whether events may change settings. */
  readonly mayControl?: boolean | undefined;
  /** Called with each valid event, in order. */
  readonly onEvent: (sessionId: string, event: AgentEvent) => void;
}

type EventTranslation = Pick<Translation, 'events' | 'faults' | 'ignored' | 'isCanonical'>;

/** Reads the pieces of one body, whatever their format. */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #translator: Translator;
  #line = 1;

  constructor(options: EventReaderOptions) {
    this.#options = options;
    this.#translator = new Translator(options);
  }

  read({ line, bytes }: Piece): PieceRead {
    this.#line = line;
    if (bytes === undefined) {
      const detail = `the event exceeds ${String(limits.eventBytes)} bytes`;
      return { events: [], rejections: [{ line, code: 'too_large', detail }], ignored: [] };
    }
    const text = unframed(bytes.toString('utf8'));
    return this.#accepted(this.#translator.read(text), text);
  }

  /** Flushes the events that the format still buffers at the end of the body. */
  end(): PieceRead {
    const events = this.#translator.end();
    return this.#accepted({ events, ignored: [], faults: [], isCanonical: false }, '');
  }

  #accepted({ events, faults, ignored, isCanonical }: EventTranslation, text: string): PieceRead {
    const read = events.map((event) => this.#accept(event, isCanonical ? text : undefined));
    const line = this.#line;
    return {
      events: read.filter((one) => 'record' in one),
      rejections: [
        ...read.filter((one) => 'code' in one),
        ...faults.map(({ reason: code, message: detail }) => ({ line, code, detail })),
      ],
      // A canonical event of an unknown type is still written, and counted then.
      ignored: isCanonical ? [] : ignored,
    };
  }

  /** @param text the event as sent; undefined when it was translated from another format */
  #accept(value: AgentEvent, text: string | undefined): PostedEvent | Rejection {
    const line = this.#line;
    const accepted = acceptEvent(value);
    if (!accepted.ok) {
      const { reason: code, message } = accepted;
      return { line, code, detail: code === 'missing_session' ? 'set "sessionId" in the event' : message };
    }
    const { event, sessionId } = accepted;
    if (event.type === 'control' && this.#options.mayControl === false) {
      const detail = 'a producer token may not change settings; send control events with an operator token';
      return { line, code: 'not_allowed', detail };
    }
    this.#options.onEvent(sessionId, event);
    const written = text ?? JSON.stringify(event);
    const record = {
      topic: this.#options.topic,
      key: sessionId,
      value: event.time == null ? withTime(written, this.#options.now()) : written,
    };
    const id = event.id == null ? undefined : JSON.stringify([sessionId, event.id]);
    return { line, type: event.type, id, record };
  }
}

/**
 * Appends a time to the text of an event; it overrides a `null`. Edited as text, because serializing an event of the
 * maximum depth would overflow the stack.
 */
function withTime(text: string, time: number): string {
  return `${text.slice(0, text.lastIndexOf('}'))},"time":${time}}`;
}

/** Whether a whole body is one JSON value no larger than an event. */
export function isJson(bytes: Buffer): boolean {
  if (bytes.length > limits.eventBytes) return false;
  const decoded = decodeEvent({ text: bytes.toString('utf8'), key: null });
  return decoded.ok || decoded.reason !== 'not_json';
}

export function hasKnownType({ type }: PostedEvent): boolean {
  return isEventType(type);
}
