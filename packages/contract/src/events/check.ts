import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { messageOf } from '../lib/message-of.ts';
import type { DeadLetterReason } from './error-codes.ts';
import {
  type AgentEvent,
  type EventType,
  eventSchemas,
  eventTypes,
  MAX_NAME_UNITS,
  otherEventSchema,
} from './event.ts';
import { excessOf, MAX_TEXT_UNITS } from './event-weight.ts';

/**
 * The door: from a record's text to an event. The check is compiled from the zod schemas (by way of their JSON
 * Schema), because it runs for every record; zod itself is asked only to say what is wrong.
 */

/** Either an event together with its session, or why there is none. */
export type Decoded =
  | { readonly ok: true; readonly sessionId: string; readonly event: AgentEvent }
  | { readonly ok: false; readonly reason: DeadLetterReason; readonly message: string };

// `strict` is about how schemas are written; that Infinity (1e999 in JSON) is no number has to be said separately.
const ajv = new Ajv({ strict: false, strictNumbers: true, validateFormats: false });
const isOther = compile(otherEventSchema);
const checks = new Map<string, ValidateFunction>(
  eventTypes.map((type) => [type, compile(eventSchemas[type])]),
);

function compile(schema: z.ZodType): ValidateFunction {
  return ajv.compile(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}

/** A text, or bytes that become one when asked. */
export interface Textual {
  toString(): string;
}

/** What an event is read from. Each part may be made when it is asked for, so it is asked for once, or not at all. */
export interface EventSource {
  /** JSON; `null` is a tombstone. */
  readonly text: string | null;
  /** The session of an event that does not name its own. */
  readonly key: Textual | null;
}

/** Whether a value is an event that the schema accepts; it is not copied. */
export function isAgentEvent(value: unknown): value is AgentEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { type } = value as { type?: unknown };
  if (typeof type !== 'string') return false;
  return (checks.get(type) ?? isOther)(value);
}

/** Decodes one event. */
export function decodeEvent(source: EventSource): Decoded {
  const { text } = source;
  if (text === null) return refuse('empty_value', 'the record has no value; an event is a JSON object');
  const excess = excessOf(text);
  if (excess !== undefined) return refuse('too_complex', excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('not_json', messageOf(error));
  }
  return acceptEvent(value, source);
}

/** As {@link decodeEvent}, for a value that is already parsed. */
export function acceptEvent(value: unknown, keyed?: Pick<EventSource, 'key'>): Decoded {
  if (!isAgentEvent(value)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuse('not_an_object', `expected a JSON object, got ${describeType(value)}`);
    }
    return refuse('invalid_event', explain(value));
  }
  const sessionId = value.sessionId ?? keyed?.key?.toString() ?? '';
  if (sessionId === '') {
    return refuse(
      'missing_session',
      'set "sessionId" in the value, or use the session id as the record\'s key',
    );
  }
  if (sessionId.length > MAX_NAME_UNITS) {
    return refuse('invalid_event', `the session id is longer than ${MAX_NAME_UNITS} characters`);
  }
  if (isText(value) && value.text.length > MAX_TEXT_UNITS) {
    return refuse(
      'too_complex',
      `its text is longer than ${MAX_TEXT_UNITS.toLocaleString('en-US')} characters`,
    );
  }
  return { ok: true, sessionId, event: value };
}

function isText(event: AgentEvent): event is Extract<AgentEvent, { type: 'content' | 'thought' }> {
  return event.type === 'content' || event.type === 'thought';
}

function refuse(reason: DeadLetterReason, message: string): Decoded {
  return { ok: false, reason, message: message.slice(0, 1000) };
}

/** What zod says of a value that the compiled check refused: each fault with its path. */
function explain(value: object): string {
  const type = (value as { type?: unknown }).type;
  if (typeof type !== 'string')
    return `type: expected one of ${eventTypes.join(', ')}, got ${describeType(type)}`;
  const schema: z.ZodType = checks.has(type) ? eventSchemas[type as EventType] : otherEventSchema;
  const faults = schema.safeParse(value).error?.issues ?? [];
  const lines = faults.map((fault) => `${fault.path.join('.') || 'value'}: ${fault.message}`);
  return lines.join('; ') || `does not fit the schema of ${type}`;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
