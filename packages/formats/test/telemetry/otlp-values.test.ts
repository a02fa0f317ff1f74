import { describe, expect, it } from 'vitest';
import { logsOf, spansOf } from '../../src/telemetry/otlp-json.ts';
import { readAll } from '../read-all.ts';
import { message, type OtlpValue, requestOf, textValue } from './otlp-request.ts';

const zero: OtlpValue = { json: { intValue: '0' }, proto: Uint8Array.of(0x18, 0) };

/** An attribute holds one of several types, and only its presence tells which: exporters also write values that are zero or empty. */
const values: (readonly [name: string, value: OtlpValue, read: unknown])[] = [
  ['the integer 0', zero, 0],
  ['the integer 0 as a number', { json: { intValue: 0 }, proto: zero.proto }, 0],
  ['the double 0', { json: { doubleValue: 0 }, proto: Uint8Array.of(0x21, ...new Uint8Array(8)) }, 0],
  ['false', { json: { boolValue: false }, proto: Uint8Array.of(0x10, 0) }, false],
  ['an empty text', textValue(''), ''],
  ['no bytes', { json: { bytesValue: '' }, proto: message([7, '']) }, ''],
  ['an empty list', { json: { arrayValue: {} }, proto: message([5, '']) }, []],
  ['an empty object', { json: { kvlistValue: {} }, proto: message([6, '']) }, {}],
  [
    'a list of empty values',
    {
      json: { arrayValue: { values: [zero.json, { boolValue: false }, { stringValue: '' }] } },
      proto: message([5, message([1, zero.proto], [1, Uint8Array.of(0x10, 0)], [1, message([1, ''])])]),
    },
    [0, false, ''],
  ],
  [
    'an object with a zero',
    {
      json: { kvlistValue: { values: [{ key: 'exit_code', value: zero.json }] } },
      proto: message([6, message([1, message([1, 'exit_code'], [2, zero.proto])])]),
    },
    { exit_code: 0 },
  ],
  [
    'an object with an empty key',
    {
      json: { kvlistValue: { values: [{ value: zero.json }] } },
      proto: message([6, message([1, message([2, zero.proto])])]),
    },
    { '': 0 },
  ],
];

describe.each(values)('an OTLP attribute with %s', (_, value, read) => {
  it('keeps its value in a span, in JSON and in protobuf', () => {
    const { json, proto } = requestOf('traces', { 'exit.code': value });
    expect(spansOf(json)).toMatchObject([{ attributes: { 'exit.code': read } }]);
    expect(spansOf(proto)).toEqual(spansOf(json));
  });

  it('keeps its value in a log record, in JSON and in protobuf', () => {
    const { json, proto } = requestOf('logs', { 'exit.code': value });
    expect(logsOf(json)).toMatchObject([{ attributes: { 'exit.code': read } }]);
    expect(logsOf(proto)).toEqual(logsOf(json));
  });

  it('is the result of a tool, in JSON and in protobuf', () => {
    const { json, proto } = requestOf('traces', {
      'gen_ai.operation.name': textValue('execute_tool'),
      'gen_ai.tool.name': textValue('read_file'),
      'gen_ai.tool.call.arguments': textValue('{"path":"notes.md"}'),
      'gen_ai.tool.call.result': value,
    });
    const all = readAll('otlp', [json]);
    expect(all.events).toMatchObject([{ type: 'tool_call_request' }, { type: 'tool_result', result: read }]);
    expect(readAll('otlp', [proto])).toEqual(all);
  });
});

it('an OTLP attribute without a value gives none, in JSON and in protobuf', () => {
  const { json, proto } = requestOf('traces', { 'exit.code': { json: {}, proto: new Uint8Array() } });
  expect(spansOf(json)).toMatchObject([{ attributes: { 'exit.code': undefined } }]);
  expect(spansOf(proto)).toEqual(spansOf(json));
});

it('the span of a model with a count of 0 tokens has that usage, in JSON and in protobuf', () => {
  const { json, proto } = requestOf('traces', {
    'gen_ai.operation.name': textValue('chat'),
    'gen_ai.usage.output_tokens': zero,
    'gen_ai.usage.cache_read.input_tokens': zero,
  });
  const all = readAll('otlp', [json]);
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  expect(all.events.at(-1)).toMatchObject({ type: 'turn_finished', usage });
  expect(readAll('otlp', [proto])).toEqual(all);
});

it('a span whose response names an empty model has the requested model', () => {
  const { json } = requestOf('traces', {
    'gen_ai.operation.name': textValue('chat'),
    'gen_ai.request.model': textValue('small'),
    'gen_ai.response.model': textValue(''),
  });
  expect(readAll('otlp', [json]).events).toMatchObject([{ model: 'small' }, { model: 'small' }]);
});

it('a log record whose attribute `event.name` is empty has the name of its event', () => {
  const { json, proto } = requestOf('logs', { 'event.name': textValue('') });
  expect(logsOf(json)).toMatchObject([{ name: 'tool_result' }]);
  expect(logsOf(proto)).toEqual(logsOf(json));
});

it("a tool's span of the AI SDK with the result null has a result", () => {
  const { json } = requestOf('traces', {
    'ai.operationId': textValue('ai.toolCall'),
    'ai.toolCall.name': textValue('read_file'),
    'ai.toolCall.args': textValue('{"path":"notes.md"}'),
    'ai.toolCall.result': textValue('null'),
  });
  expect(readAll('otlp', [json]).events.at(-1)).toMatchObject({ type: 'tool_result', result: 'null' });
});
