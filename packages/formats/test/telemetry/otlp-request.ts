import protobuf from 'protobufjs/light.js';
import type { JsonObject } from '../../src/record/json.ts';
import { type OtlpSignal, otlpJson } from '../../src/telemetry/otlp-protobuf.ts';

/** The value of an attribute as OTLP/JSON and as the bytes of an `AnyValue`. */
export interface OtlpValue {
  readonly json: object;
  readonly proto: Uint8Array;
}

/** A message of text, bytes and other messages, written field by field: a table of messages would repeat the one under test. */
export function message(
  ...fields: readonly (readonly [number: number, value: Uint8Array | string])[]
): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [number, value] of fields) {
    writer.uint32((number << 3) | 2);
    if (typeof value === 'string') writer.string(value);
    else writer.bytes(value);
  }
  return writer.finish();
}

export function textValue(text: string): OtlpValue {
  return { json: { stringValue: text }, proto: message([1, text]) };
}

const traceId = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
const spanId = traceId.subarray(8);

/** A request of one span, or of one log record named `tool_result`, in JSON and decoded from protobuf. */
export function requestOf(signal: OtlpSignal, attributes: Readonly<Record<string, OtlpValue>>) {
  const entries = Object.entries(attributes);
  const pairs = entries.map(([key, { proto }]) => message([1, key], [2, proto]));
  const held = { attributes: entries.map(([key, { json }]) => ({ key, value: json })) };
  if (signal === 'traces') {
    const span = { traceId: hexOf(traceId), spanId: hexOf(spanId), ...held };
    return {
      json: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
      proto: decoded(signal, message([1, traceId], [2, spanId], ...pairs.map((pair) => [9, pair] as const))),
    };
  }
  return {
    json: { resourceLogs: [{ scopeLogs: [{ logRecords: [{ ...held, eventName: 'tool_result' }] }] }] },
    proto: decoded(signal, message(...pairs.map((pair) => [6, pair] as const), [12, 'tool_result'])),
  };
}

function decoded(signal: OtlpSignal, record: Uint8Array): JsonObject {
  const json = otlpJson(message([1, message([2, message([2, record])])]), signal);
  return JSON.parse(json ?? '') as JsonObject;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
