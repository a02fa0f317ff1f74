import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
  unwrapped,
} from '../record/json.ts';
import type { Signal, SpanEvent } from '../record/signal.ts';
import { fromJaeger, isOfJaeger } from './jaeger.ts';

/** An attribute of the last event of a span with this name. */
export function eventAttribute({ events }: Signal, event: string, attribute: string): unknown {
  return events.findLast(({ name }) => name === event)?.attributes[attribute];
}

/** The spans of an export request or of an answer with several; a record that is a span itself counts as one. */
export function spansOf(record: JsonObject): Signal[] {
  const requests = record['resourceSpans'] ?? record['resource_spans'] ?? record['batches'];
  const listed = listedSpans(record);
  if (listed.length > 0) return listed.map((span) => spanOf(span, objectOf(span['resource'])));
  if (requests === undefined) return [spanOf(record, objectOf(objectOf(record['resource'])['attributes']))];
  return recordsOf(requests, ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'], ['spans']).map(
    ([span, resource]) => spanOf(span, resource),
  );
}

const logTimes = ['timeUnixNano', 'observedTimeUnixNano', 'observed_timestamp'];

/** Whether a record is a log record by itself, as CloudWatch and the console exporter of Python have it. */
export function isLogRecord(record: JsonObject): boolean {
  return 'body' in record && isObject(record['attributes']) && logTimes.some((key) => key in record);
}

/** The spans that Phoenix and Jaeger answer with. */
export function listedSpans({ data }: JsonObject): JsonObject[] {
  return listOf(data).flatMap((value): JsonObject[] => {
    const one = objectOf(value);
    const { spans, processes } = one;
    if (Array.isArray(spans))
      return spans
        .map(objectOf)
        .filter(isOfJaeger)
        .map((span) => fromJaeger(span, objectOf(processes)));
    return 'span_kind' in one && isObject(one['context']) && isObject(one['attributes']) ? [one] : [];
  });
}

/** The log records of an export request; a record that is a log record itself counts as one. */
export function logsOf(record: JsonObject): Signal[] {
  if (isLogRecord(record))
    return [logOf(record, objectOf(objectOf(record['resource'])['attributes']), record['body'])];
  const requests = record['resourceLogs'] ?? record['resource_logs'];
  return recordsOf(requests, ['scopeLogs', 'scope_logs'], ['logRecords', 'log_records']).map(
    ([log, resource]) => logOf(log, resource, valueOf(log['body'])),
  );
}

/** Other bodies are free text. */
const eventName = /^[\w.-]+$/;

function logOf(log: JsonObject, resource: JsonObject, held: unknown): Signal {
  const signal = spanOf(log, resource);
  const { attributes } = signal;
  const given = textOf(attributes['event.name']) ?? textOf(log['eventName']) ?? textOf(log['event_name']);
  // The body has the full name, the attribute only its end.
  const body = textOf(held);
  const isName = given !== undefined && body?.endsWith(`.${given}`);
  const name = (isName ? body : given) ?? (body !== undefined && eventName.test(body) ? body : 'log');
  const time =
    timeOf(log['timeUnixNano'] ?? log['time_unix_nano']) ??
    timeOf(attributes['event.timestamp']) ??
    timeOf(log['observedTimeUnixNano'] ?? log['timestamp'] ?? log['observed_timestamp']);
  const events = messageName.test(name) ? [eventOf(name, attributes, held)] : eventsInBody(held);
  return { ...signal, name, start: time, end: time, events };
}

/**
 * The distribution of AWS moves the content of a span to a log record of its own, without its order: earlier answers of the
 * model are among the output.
 */
function eventsInBody(body: unknown): SpanEvent[] {
  const { input, output } = objectOf(body);
  const messagesIn = (value: unknown) => listOf(objectOf(value)['messages']).map(objectOf);
  const eventIn = ({ role, content }: JsonObject): SpanEvent => ({
    name: `gen_ai.${nameOf(role)}.message`,
    attributes: isObject(content) ? content : { content },
  });
  const isEarlier = ({ content }: JsonObject) => isObject(content) && 'content' in content;
  const all = messagesIn(output);
  const earlier = all.filter(isEarlier).map(eventIn);
  const given = messagesIn(input)
    .filter(({ role }) => role !== 'system')
    .flatMap((message, i) => [eventIn(message), ...earlier.slice(i, i + 1)]);
  const answers = all
    .filter((message) => !isEarlier(message))
    .map(({ content }) => ({
      name: 'gen_ai.choice',
      attributes: isObject(content) ? content : { message: content },
    }));
  return [...given, ...answers];
}

/** Names of events with one message, of a span or in log records, and the role of who wrote it; that of a choice is not named. */
export const messageName = /^gen_ai\.(?:(system|user|assistant|tool)\.message|choice)$/;

/** The body of a log record, and the content as JSON in an event of Azure's SDKs, count as attributes. */
function eventOf(name: string, attributes: JsonObject, body?: unknown): SpanEvent {
  const content = objectOf(unwrapped(attributes['gen_ai.event.content']));
  return { name, attributes: { ...attributes, ...content, ...objectOf(unwrapped(body)) } };
}

function recordsOf(
  requests: unknown,
  scopeKeys: readonly string[],
  recordKeys: readonly string[],
): [JsonObject, JsonObject][] {
  return listOf(requests).flatMap((value) => {
    const request = objectOf(value);
    const resource = attributesOf(objectOf(request['resource'])['attributes']);
    return scopeKeys
      .flatMap((key) => listOf(request[key]))
      .flatMap((scope) => recordKeys.flatMap((key) => listOf(objectOf(scope)[key])))
      .map((item): [JsonObject, JsonObject] => [objectOf(item), resource]);
  });
}

function spanOf(span: JsonObject, resource: JsonObject): Signal {
  const context = objectOf(span['context'] ?? span['spanContext'] ?? span['span_context']);
  const attributes = attributesOf(span['attributes']);
  return {
    name: textOf(span['name']) ?? 'span',
    traceId: idOf(span['traceId'] ?? span['trace_id'] ?? context['trace_id'] ?? context['traceId']),
    spanId: idOf(span['spanId'] ?? span['span_id'] ?? context['span_id'] ?? context['spanId']),
    parentId: idOf(span['parentSpanId'] ?? span['parent_span_id'] ?? span['parent_id']),
    start: timeOf(span['startTimeUnixNano'] ?? span['start_time_unix_nano'] ?? span['start_time']),
    end: timeOf(span['endTimeUnixNano'] ?? span['end_time_unix_nano'] ?? span['end_time']),
    error: errorOf(span, attributes),
    isServer: serverKind.test(nameOf(span['kind'] ?? attributes['span.kind'])),
    attributes,
    resource,
    events: [
      ...listOf(span['events']).map((value) => {
        const event = objectOf(value);
        return eventOf(textOf(event['name']) ?? '', attributesOf(event['attributes']));
      }),
      ...eventsInAttribute(attributes['events']),
    ],
  };
}

/** Logfire: messages as events in an attribute; an answer can be named like the messages before it. */
function eventsInAttribute(value: unknown): SpanEvent[] {
  const held = listOf(unwrapped(value)).map(objectOf);
  const last = held.findLastIndex((item) => item['event.name'] !== 'gen_ai.assistant.message');
  return held.flatMap((item, i) => {
    const { 'event.name': name, ...attributes } = item;
    if (typeof name !== 'string' || !messageName.test(name)) return [];
    return [i > last ? { name: 'gen_ai.choice', attributes: { message: attributes } } : { name, attributes }];
  });
}

const serverKind = /^(?:2|(?:SPAN_KIND_|SpanKind\.)?SERVER)$/i;
const hexId = /^(?:[\da-f]{16}|[\da-f]{32})$/i;
const base64Id = /^[\w+/-]{11,22}={0,2}$/;

/** Normalizes an id to hexadecimal; general protobuf libraries write ids as base64. */
function idOf(value: unknown): string | undefined {
  const id = textOf(value)?.replace(/^0x/, '');
  if (id === undefined || hexId.test(id) || !base64Id.test(id)) return id?.toLowerCase();
  const hex = hexOfBase64(id);
  return hexId.test(hex) ? hex : id;
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** `atob` and `Buffer` are not available in every runtime. */
function hexOfBase64(text: string): string {
  const plain = text.replaceAll('=', '').replaceAll('-', '+').replaceAll('_', '/');
  const bits = Array.from(plain, (digit) => base64Digits.indexOf(digit).toString(2).padStart(6, '0')).join(
    '',
  );
  const bytes = bits.match(/.{8}/g) ?? [];
  return bytes.map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0')).join('');
}

function errorOf(span: JsonObject, attributes: JsonObject): string | undefined {
  const status = objectOf(span['status']);
  const code: unknown = status['code'] ?? status['status_code'] ?? span['status_code'];
  if (attributes['langfuse.observation.level'] === 'ERROR')
    return textOf(attributes['langfuse.observation.status_message']) ?? 'error';
  const type = textOf(attributes['error.type']);
  if (type === undefined && !/^(?:2|(?:STATUS_CODE_)?ERROR)$/i.test(nameOf(code))) return undefined;
  const message =
    textOf(status['message']) ?? textOf(status['description']) ?? textOf(span['status_message']);
  const exception = listOf(span['events'])
    .map(objectOf)
    .findLast(({ name }) => name === 'exception');
  const { 'exception.message': thrown } = attributesOf(exception?.['attributes']);
  return message ?? textOf(thrown) ?? type ?? 'error';
}

/** Attributes by name. OTLP has a list of keys and typed values, other exports have an object. */
function attributesOf(value: unknown): JsonObject {
  return isObject(value) ? value : objectOfPairs(value, 0);
}

/** An empty key may be omitted, as any other empty text in protobuf. */
function objectOfPairs(pairs: unknown, depth: number): JsonObject {
  return Object.fromEntries(
    listOf(pairs).map((pair): [string, unknown] => {
      const { key = '', value } = objectOf(pair);
      return [nameOf(key), valueOf(value, depth)];
    }),
  );
}

const MAX_DEPTH = 100;

function valueOf(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return value;
  const [kind] = Object.keys(value);
  const held = kind === undefined ? undefined : value[kind];
  switch (kind) {
    case 'intValue':
    case 'int_value':
    case 'doubleValue':
    case 'double_value':
      return numberOf(held);
    case 'arrayValue':
    case 'array_value':
      return listOf(objectOf(held)['values']).map((one) => valueOf(one, depth + 1));
    case 'kvlistValue':
    case 'kvlist_value':
      return objectOfPairs(objectOf(held)['values'], depth + 1);
    default:
      return held;
  }
}

/** The object under a name: unchanged, as JSON, or flattened into attributes with the name as prefix. */
export function nested(attributes: JsonObject, name: string): unknown {
  if (name in attributes) return unwrapped(attributes[name]);
  const root: Tree = new Map();
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${name}.`)) continue;
    const path = key.slice(name.length + 1).split('.');
    if (path.length > MAX_DEPTH) continue;
    let tree = root;
    for (const step of path.slice(0, -1)) {
      const next = tree.get(step);
      const branch: Tree = next instanceof Map ? (next as Tree) : new Map<string, unknown>();
      tree.set(step, branch);
      tree = branch;
    }
    tree.set(path.at(-1) ?? '', value);
  }
  return root.size === 0 ? undefined : plain(root);
}

type Tree = Map<string, unknown>;

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...(value as Tree)].map(([key, inner]): [string, unknown] => [key, plain(inner)]);
  if (!entries.every(([key]) => /^\d+$/.test(key))) return Object.fromEntries(entries);
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, inner]) => inner);
}
