import protobuf from 'protobufjs/light.js';
import { HttpProblem } from '../http/problem.ts';

/** Fields of a message as OTLP numbers them: type, number, and whether there may be several. */
type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The part of opentelemetry-proto 1.x that traces and logs are made of; what is left out is skipped. */
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
      },
    ]),
  ),
});
const requests = { traces: root.lookupType('TraceRequest'), logs: root.lookupType('LogsRequest') };

/** What OTLP/HTTP carries. */
export type OtlpSignal = keyof typeof requests;

/** The request as OTLP/JSON says it. @throws HttpProblem 400 for bytes that are no such request */
export function otlpJson(signal: OtlpSignal, body: Buffer): string {
  const type = requests[signal];
  try {
    return JSON.stringify(type.toObject(type.decode(body), { longs: String, bytes: String }));
  } catch (error) {
    throw new HttpProblem(400, `The body is no OTLP request of ${signal} in protobuf`, {}, error);
  }
}
