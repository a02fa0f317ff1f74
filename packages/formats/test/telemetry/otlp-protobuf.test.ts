import { describe, expect, it } from 'vitest';
import { otlpJson } from '../../src/telemetry/otlp-protobuf.ts';
import { outline, readAll } from '../read-all.ts';
import { collectorRequests } from './collector-requests.ts';

describe('otlpJson', () => {
  it.each(['traces', 'logs'] as const)(
    'converts %s to the same JSON as the Collector, with and without the signal',
    (signal) => {
      const { otlp_json: json, otlp_proto: proto } = collectorRequests[signal];
      const { events, ignored, faults } = readAll('otlp', [JSON.parse(json.toString())]);
      expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(3);
      expect(faults).toEqual([]);
      for (const text of [otlpJson(proto), otlpJson(proto, signal)])
        expect(readAll('otlp', [JSON.parse(text ?? '')])).toEqual({ events, ignored, faults });
    },
  );

  it('writes ids of traces and spans in hexadecimal', () => {
    expect(otlpJson(collectorRequests.traces.otlp_proto)).toContain('"0102030405060708090a0b0c0d0e0f10"');
  });

  it('keeps the spans of the conversation', () => {
    const { events } = readAll('otlp', [JSON.parse(otlpJson(collectorRequests.traces.otlp_proto) ?? '')]);
    expect(outline(events)).toEqual(
      [1, 2, 3].flatMap(() => ['tool_call_request read_file', 'tool_result an empty file']),
    );
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['conv-1']));
  });
});

it.each([
  ['data that is not protobuf', Buffer.from('\u0007no protobuf')],
  ['a truncated request', collectorRequests.traces.otlp_proto.subarray(0, 700)],
])('otlpJson: returns undefined for %s', (_, body) => {
  expect(otlpJson(body)).toBeUndefined();
});

it('otlpJson: accepts an empty request', () => {
  expect(otlpJson(new Uint8Array())).toBe('{}');
});
