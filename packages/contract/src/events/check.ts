import { _, Ajv, type KeywordCxt, type ValidateFunction } from 'ajv';
import * as z from 'zod';
import { exactJson, holdsInexact } from '../lib/exact-json.ts';
import { errorsText } from '../lib/issue-text.ts';
import { messageOf } from '../lib/message-of.ts';
import { exceedsBytes, MAX_NAME_BYTES, storableText } from '../lib/names.ts';
import { plainErrors } from '../lib/plain-errors.ts';
import type { DeadLetterReason } from './error-codes.ts';
import { type AgentEvent, eventSchemas, exceededLimit, MAX_TEXT_UNITS, otherEventSchema } from './event.ts';
import { eventTypes, isEventType } from './event-types.ts';
import { withOwnNames } from './own-names.ts';

/** A decoded event and its session, or why the record was rejected. */
export type DecodeResult =
  | { readonly ok: true; readonly sessionId: string; readonly event: AgentEvent }
  | { readonly ok: false; readonly reason: DeadLetterReason; readonly message: string };

// The schemas are compiled (as JSON Schema) because they are checked for every record; zod only explains errors.
// `strict` concerns the schemas themselves; `strictNumbers` rejects Infinity, which JSON can contain as 1e999.
// A schema is compiled at its first event, because compiling all of them takes longer than most commands run.
const ajv = new Ajv({
  strict: false,
  strictNumbers: true,
  validateFormats: false,
  validateSchema: false,
  messages: false,
  // Skipping Ajv's own optimizer makes compiling a third faster. The checks are not slower, because the engine
  // optimizes them.
  code: { optimize: false },
});
// Counting the characters of every name, as Ajv does, costs half as much as parsing the event; its length usually suffices.
// Upper limits count bytes, because names are indexed.
limitText('maxLength', ({ gen, data, schemaCode: limit }) => {
  const exceeds = gen.scopeValue('func', { ref: exceedsBytes });
  return _`${exceeds}(${data}, ${limit})`;
});
limitText(
  'minLength',
  ({ data, schemaCode: limit }) => _`${data}.length < 2 * ${limit} && [...${data}].length < ${limit}`,
);
const checks = new Map<string, ValidateFunction>();
let isOther: ValidateFunction | undefined;

function checkOf(type: string): ValidateFunction {
  if (!isEventType(type)) return (isOther ??= compile(otherEventSchema));
  const check = compile(eventSchemas[type]);
  checks.set(type, check);
  return check;
}

function limitText(keyword: string, exceeded: (cxt: KeywordCxt) => ReturnType<typeof _>): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword, type: 'string', schemaType: 'number', code: (cxt) => cxt.fail(exceeded(cxt)) });
}

function compile(schema: z.ZodType): ValidateFunction {
  return ajv.compile(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}

/** A string, or bytes that are decoded by `toString`. */
export interface LazyText {
  toString(): string;
}

/** The source of an event. Getters may compute the parts, so each is read at most once. */
export interface EventSource {
  /** JSON; `null` is a tombstone. */
  readonly text: string | null;
  /** The session id of an event that has none. */
  readonly key: LazyText | null;
}

/** Whether a value matches the event schema. */
export function isAgentEvent(value: unknown): value is AgentEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { type } = value as { type?: unknown };
  if (typeof type !== 'string') return false;
  return (checks.get(type) ?? checkOf(type))(value);
}

/** Decodes one event. */
export function decodeEvent(source: EventSource): DecodeResult {
  const { text } = source;
  if (text === null) return reject('empty_value', 'the record has no value; an event must be a JSON object');
  const excess = exceededLimit(text);
  if (excess !== undefined) return reject('too_complex', excess);
  let value: unknown;
  try {
    value = withOwnNames(JSON.parse(text));
    keepIntegers(value, text);
  } catch (error) {
    return reject('not_json', messageOf(error));
  }
  // Other names can only come from an escape, from a text that is not well-formed, or from one with a byte order mark.
  return accept(value, source, !text.includes('\\u') && !text.includes('\ufeff') && text.isWellFormed());
}

/** Arguments and results hold the ids of other systems. */
function keepIntegers(value: unknown, text: string): void {
  if (typeof value !== 'object' || value === null) return;
  const { args, result } = value as { readonly args?: unknown; readonly result?: unknown };
  if (!holdsInexact(args) && !holdsInexact(result)) return;
  const exact = withOwnNames(exactJson(text)) as typeof value;
  for (const name of ['args', 'result'])
    if (Object.hasOwn(value, name)) Object.assign(value, { [name]: Reflect.get(exact, name) as unknown });
}

/** Like {@link decodeEvent}, for a parsed value. */
export function acceptEvent(value: unknown, keyed?: Pick<EventSource, 'key'>): DecodeResult {
  return accept(withOwnNames(value), keyed, false);
}

function accept(
  value: unknown,
  keyed: Pick<EventSource, 'key'> | undefined,
  namesAreStorable: boolean,
): DecodeResult {
  if (!isAgentEvent(value)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return reject('not_an_object', `expected a JSON object, got ${describeType(value)}`);
    }
    return reject('invalid_event', describeErrors(value));
  }
  const event = namesAreStorable ? value : withStorableNames(value);
  const sessionId = event.sessionId ?? storableText(keyed?.key?.toString() ?? '');
  if (sessionId === '') {
    return reject(
      'missing_session',
      'set "sessionId" in the value, or use the session id as the record\'s key',
    );
  }
  if (exceedsBytes(sessionId, MAX_NAME_BYTES)) {
    return reject('invalid_event', `the session id is longer than ${MAX_NAME_BYTES} bytes in UTF-8`);
  }
  if (isText(value) && value.text.length > MAX_TEXT_UNITS) {
    return reject(
      'too_complex',
      `the text is longer than ${MAX_TEXT_UNITS.toLocaleString('en-US')} characters`,
    );
  }
  return { ok: true, sessionId, event };
}

/** Fields of an event that name something: sessions, events and what totals are kept for. */
const NAMES = [
  'id',
  'sessionId',
  'promptId',
  'model',
  'backend',
  'agent',
  'agentVersion',
  'tenant',
  'parentSessionId',
  'callId',
  'name',
] as const;

/** Names that a log or a database would make one are one from here on. */
function withStorableNames(event: AgentEvent): AgentEvent {
  const fields = event as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | undefined;
  for (const field of NAMES) {
    const name = fields[field];
    if (typeof name !== 'string') continue;
    const storable = storableText(name);
    if (storable !== name) (changed ??= { ...fields })[field] = storable;
  }
  const { tags } = event;
  if (tags != null) {
    const entries = Object.entries(tags);
    if (entries.some((entry) => entry.some((text) => storableText(text) !== text)))
      (changed ??= { ...fields })['tags'] = Object.fromEntries(
        entries.map((entry) => entry.map(storableText)),
      );
  }
  return (changed as AgentEvent | undefined) ?? event;
}

function isText(event: AgentEvent): event is Extract<AgentEvent, { type: 'content' | 'thought' }> {
  return event.type === 'content' || event.type === 'thought';
}

function reject(reason: DeadLetterReason, message: string): DecodeResult {
  return { ok: false, reason, message: message.slice(0, 1000) };
}

/** Describes each error with its path. Zod does this, because the compiled check has no readable messages. */
function describeErrors(value: object): string {
  const type = (value as { type?: unknown }).type;
  if (typeof type !== 'string')
    return `type: expected one of ${eventTypes.join(', ')}, got ${describeType(type)}`;
  const schema: z.ZodType = isEventType(type) ? eventSchemas[type] : otherEventSchema;
  const { error } = schema.safeParse(value, plainErrors);
  return error === undefined ? `does not match the schema of ${type}` : errorsText(error);
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
