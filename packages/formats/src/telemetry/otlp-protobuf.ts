import protobuf from 'protobufjs/light.js';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../record/json.ts';

/** Fields of an OTLP message: type, number, and whether it is repeated. */
type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The part of opentelemetry-proto 1.x that traces and logs need; other fields are skipped. */
const messages: Readonly<Record<string, Fields>> = {
  TraceRequest: { resourceSpans: ['ResourceSpans', 1, 'repeated'] },
  ResourceSpans: { resource: ['Resource', 1], scopeSpans: ['ScopeSpans', 2, 'repeated'] },
  ScopeSpans: { scope: ['Scope', 1], spans: ['Span', 2, 'repeated'] },
  Span: {
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    parentSpanId: ['bytes', 4],
    name: ['string', 5],
    kind: ['int32', 6],
    startTimeUnixNano: ['fixed64', 7],
    endTimeUnixNano: ['fixed64', 8],
    attributes: ['KeyValue', 9, 'repeated'],
    events: ['SpanEvent', 11, 'repeated'],
    status: ['Status', 15],
  },
  SpanEvent: { timeUnixNano: ['fixed64', 1], name: ['string', 2], attributes: ['KeyValue', 3, 'repeated'] },
  Status: { message: ['string', 2], code: ['int32', 3] },
  LogsRequest: { resourceLogs: ['ResourceLogs', 1, 'repeated'] },
  ResourceLogs: { resource: ['Resource', 1], scopeLogs: ['ScopeLogs', 2, 'repeated'] },
  ScopeLogs: { scope: ['Scope', 1], logRecords: ['LogRecord', 2, 'repeated'] },
  LogRecord: {
    timeUnixNano: ['fixed64', 1],
    severityText: ['string', 3],
    body: ['AnyValue', 5],
    attributes: ['KeyValue', 6, 'repeated'],
    traceId: ['bytes', 9],
    spanId: ['bytes', 10],
    observedTimeUnixNano: ['fixed64', 11],
    eventName: ['string', 12],
  },
  Resource: { attributes: ['KeyValue', 1, 'repeated'] },
  Scope: { name: ['string', 1], version: ['string', 2], attributes: ['KeyValue', 3, 'repeated'] },
  KeyValue: { key: ['string', 1], value: ['AnyValue', 2] },
  AnyValue: {
    stringValue: ['string', 1],
    boolValue: ['bool', 2],
    intValue: ['int64', 3],
    doubleValue: ['double', 4],
    arrayValue: ['ArrayValue', 5],
    kvlistValue: ['KeyValueList', 6],
    bytesValue: ['bytes', 7],
  },
  ArrayValue: { values: ['AnyValue', 1, 'repeated'] },
  KeyValueList: { values: ['KeyValue', 1, 'repeated'] },
};

/**
 * The message in which zero, false and empty differ from nothing, since each field is an alternative. Edition 2023 keeps what
 * proto3 drops. A oneof would do so too, but decoding takes a third longer: protobufjs then clears all other fields.
 */
const alternatives = 'AnyValue';

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, [type, id, rule]]) => [
            field,
            { type, id, ...(rule && { rule }) },
          ]),
        ),
        ...(name === alternatives && { edition: '2023' }),
      },
    ]),
  ),
});
const requests = { traces: root.lookupType('TraceRequest'), logs: root.lookupType('LogsRequest') };

/** The signal of an export request. */
export type OtlpSignal = keyof typeof requests;

/**
 * Converts an export request from protobuf to OTLP/JSON.
 *
 * @param signal detected from the content if omitted, as for Kafka records
 * @returns undefined if the bytes are not an export request
 */
export function otlpJson(body: Uint8Array, signal?: OtlpSignal): string | undefined {
  try {
    const type = requests[signal ?? signalOf(body)];
    const request = type.toObject(type.decode(body), { longs: String, bytes: String });
    for (const record of recordsOf(request)) {
      for (const name of ['traceId', 'spanId', 'parentSpanId']) {
        const id = textOf(record[name]);
        if (id !== undefined) record[name] = hexOf(id);
      }
    }
    return JSON.stringify(request);
  } catch {
    return undefined;
  }
}

/** The spans or log records of a request. */
function recordsOf(request: JsonObject): Record<string, unknown>[] {
  return listOf(request['resourceSpans'] ?? request['resourceLogs'])
    .flatMap((resource) => listOf(objectOf(resource)['scopeSpans'] ?? objectOf(resource)['scopeLogs']))
    .flatMap((scope) => listOf(objectOf(scope)['spans'] ?? objectOf(scope)['logRecords']))
    .filter(isObject);
}

/** OTLP/JSON writes ids in hexadecimal, other bytes in base64. */
function hexOf(base64: string): string {
  const bytes = new Uint8Array(protobuf.util.base64.length(base64));
  protobuf.util.base64.decode(base64, bytes, 0);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Trace and log requests have the same fields down to the records; there, field 1 is a trace id or a time. */
function signalOf(request: Uint8Array): OtlpSignal {
  return firstAt(request, [1, 2, 2, 1]) === undefined ? 'logs' : 'traces';
}

/** The first length-delimited field at a path of field numbers. */
function firstAt(message: Uint8Array, [number, ...path]: readonly number[]): Uint8Array | undefined {
  if (number === undefined) return message;
  const reader = protobuf.Reader.create(message);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const found = tag === bytesTag(number) ? firstAt(reader.bytes(), path) : undefined;
    if (found !== undefined) return found;
    if (tag !== bytesTag(number)) reader.skipType(tag & 7);
  }
  return undefined;
}

/** The tag of a length-delimited field. */
function bytesTag(number: number): number {
  return (number << 3) | 2;
}
