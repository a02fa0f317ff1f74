import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptEvent, decodeEvent } from '../../src/events/check.ts';
import { MAX_LEVELS, MAX_PARTS, MAX_TEXT_UNITS } from '../../src/events/event.ts';
import { type AgentEvent, eventTime, eventTypes, exceededLimit, isEventType } from '../../src/index.ts';

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const brackets = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const row = (commas: number) => `[${'1,'.repeat(commas)}1]`;
const result = (member: string) => `{"sessionId":"s","type":"tool_result",${member}}`;

describe('decodeEvent', () => {
  it('keeps the digits of long integers in arguments and results, and times as numbers', () => {
    const call = '{"sessionId":"s","type":"tool_call_request","name":"f","time":1760000000000,"args":{"id":';
    const args = [1, 2].map((n) =>
      decodeEvent({ text: `${call}121234567890123400${String(n)}}}`, key: null }),
    );
    expect(args).toMatchObject([
      { ok: true, event: { time: 1_760_000_000_000, args: { id: '1212345678901234001' } } },
      { ok: true, event: { args: { id: '1212345678901234002' } } },
    ]);
    const text = result('"result":[1212345678901234001]');
    expect(decodeEvent({ text, key: null })).toMatchObject({ event: { result: ['1212345678901234001'] } });
  });

  it.each([
    ['{"type":"tool_call_request","name":"f","arguments":{"a":1}}', { a: 1 }],
    ['{"type":"tool_call_request","name":"f","args":null,"input":"ls"}', 'ls'],
    [
      '{"type":"tool_call_request","name":"f","input":{"id":1212345678901234001}}',
      { id: '1212345678901234001' },
    ],
    ['{"type":"tool_call_request","name":"f","args":{"a":1},"arguments":{"b":1}}', { a: 1 }],
    ['{"type":"tool_call_request","name":"f","argsHash":"h","arguments":{"b":1}}', undefined],
    ['{"type":"tool_result","output":["x"]}', ['x']],
    ['{"type":"tool_result","content":"x"}', 'x'],
    ['{"type":"tool_result","result":false,"content":"x"}', false],
    ['{"type":"tool_result","resultHash":"h","content":"x"}', undefined],
  ])('reads arguments and results by other names, too, unless they have their own: %s', (text, value) => {
    const decoded = decodeEvent({ text, key: 's-1' });
    const { args, result } = (decoded as { readonly event: { args?: unknown; result?: unknown } }).event;
    expect(args ?? result).toEqual(value);
  });

  it('reads a parsed event likewise, and leaves it as it is', () => {
    const given = Object.freeze({ type: 'tool_result', sessionId: 's-1', output: 'x' });
    expect(acceptEvent(given)).toMatchObject({ ok: true, event: { result: 'x' } });
  });

  it.each([
    ['a new prompt', '{"type":"prompt_started","text":"fix it"}'],
    ['a prompt without its text', '{"type":"prompt_started"}'],
    ['the beginning of a turn', '{"type":"turn_started"}'],
    ['a chunk of the answer', '{"type":"content","text":"abc"}'],
    ['an empty chunk', '{"type":"content","text":""}'],
    ['a thought', '{"type":"thought","text":"hm"}'],
    ['a call with an object', '{"type":"tool_call_request","name":"f","args":{"a":1}}'],
    ['a call with a string of JSON', '{"type":"tool_call_request","name":"f","args":"{\\"a\\":1}"}'],
    ['a call with a string that is not JSON', '{"type":"tool_call_request","name":"f","args":"ls -l"}'],
    ['a call without arguments', '{"type":"tool_call_request","name":"f"}'],
    ['a call of a nameless tool', '{"type":"tool_call_request","name":""}'],
    ['a result of any kind', '{"type":"tool_result","result":[1,null,{"a":"b"}],"isError":false}'],
    ['a result without a result', '{"type":"tool_result"}'],
    ['the end of a turn', '{"type":"turn_finished","usage":{"inputTokens":1,"outputTokens":2,"cached":3}}'],
    ['a retry', '{"type":"retry"}'],
    ['the end of a session', '{"type":"session_ended"}'],
    ['a setting', '{"type":"control","set":{"enabled":false},"unset":["preset"]}'],
    ['a control event that changes nothing', '{"type":"control"}'],
    ['a type of a later version', '{"type":"image","text":5,"args":[]}'],
    ['a type called like a property of every object', '{"type":"constructor"}'],
    ['an empty type', '{"type":""}'],
    ['the version', '{"v":1,"type":"retry"}'],
    ['a time in milliseconds', '{"type":"retry","time":-1.5}'],
    ['a time as text', '{"type":"retry","time":"2024-02-29T10:00:00.123456789+05:30"}'],
    [
      'null for everything optional',
      '{"v":null,"id":null,"sessionId":null,"time":null,"promptId":null,"model":null,"backend":null,"agent":null,"tenant":null,"type":"turn_finished","usage":null,"finishReason":null}',
    ],
    ['null inside usage', '{"type":"turn_finished","usage":{"inputTokens":null,"outputTokens":null}}'],
    ['null arguments', '{"type":"tool_call_request","name":"f","args":null,"callId":null}'],
    ['half a surrogate pair', '{"type":"content","text":"\\ud83d"}'],
    ['the other half', '{"type":"content","text":"\\ude00"}'],
    ['NUL', '{"type":"content","text":"\\u0000"}'],
    ['__proto__ as a field', '{"type":"retry","__proto__":{"type":"content"}}'],
    ['__proto__ as an argument', '{"type":"tool_call_request","name":"f","args":{"__proto__":{"a":1}}}'],
    ['the same field twice, the last one wins', '{"type":"content","text":5,"text":"x"}'],
    ['white space around', ' \n{"type":"retry"}\t'],
  ])('accepts %s, unchanged', (_, text) => {
    const decoded = decodeEvent({ text, key: 's-1' });
    expect(decoded).toMatchObject({ ok: true, sessionId: 's-1' });
    expect(decoded.ok && JSON.stringify(decoded.event)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    ['arguments', `{"type":"tool_call_request","name":"f","args":${nested(10_000)}}`],
    ['a result', `{"type":"tool_result","result":${nested(10_000)}}`],
    ['an unknown field', `{"type":"retry","extra":${nested(10_000)}}`],
    ['a setting', `{"type":"control","set":${nested(10_000)}}`],
  ])('accepts %s 10,000 levels deep', (_, text) => {
    expect(decodeEvent({ text, key: 's-1' }).ok).toBe(true);
  });

  it('names the field of a wrong value 10,000 levels deep', () => {
    const decoded = decodeEvent({ text: `{"type":"content","text":${nested(10_000)}}`, key: 's-1' });
    expect(!decoded.ok && decoded.message).toMatch(/^text: /);
  });

  it('ignores inherited properties', () => {
    const decoded = decodeEvent({
      text: '{"type":"content","text":"x","__proto__":{"sessionId":"evil"}}',
      key: 's-1',
    });
    expect(decoded).toMatchObject({ ok: true, sessionId: 's-1' });
    expect(Object.getPrototypeOf({})).not.toHaveProperty('sessionId');
  });

  it.each([
    ['nothing', null, 'empty_value', /no value/],
    ['an empty text', '', 'not_json', /JSON/],
    ['truncated JSON', '{"type":', 'not_json', /JSON/],
    ['a second value', '{"type":"retry"}{}', 'not_json', /JSON/],
    ['NaN', '{"type":"retry","time":NaN}', 'not_json', /JSON/],
    ['a text', '"retry"', 'not_an_object', /got a string/],
    ['a number', '5', 'not_an_object', /got a number/],
    ['true', 'true', 'not_an_object', /got a boolean/],
    ['null', 'null', 'not_an_object', /got null/],
    ['an array', '[{"type":"retry"}]', 'not_an_object', /got an array/],
    ['no type', '{}', 'invalid_event', /^type: .*content.*got nothing/],
    ['a type that is not text', '{"type":5}', 'invalid_event', /^type: .*got a number/],
    ['a type only in __proto__', '{"__proto__":{"type":"retry"}}', 'invalid_event', /^type: /],
    ['content without text', '{"type":"content"}', 'invalid_event', /^text: /],
    ['content with null', '{"type":"content","text":null}', 'invalid_event', /^text: /],
    ['content with a number', '{"type":"content","text":5}', 'invalid_event', /^text: /],
    ['a thought without text', '{"type":"thought"}', 'invalid_event', /^text: /],
    ['a prompt with a list', '{"type":"prompt_started","text":["a"]}', 'invalid_event', /^text: /],
    ['a call without a name', '{"type":"tool_call_request"}', 'invalid_event', /^name: /],
    ['a list of arguments', '{"type":"tool_call_request","name":"f","args":[1]}', 'invalid_event', /^args: /],
    ['a number as arguments', '{"type":"tool_call_request","name":"f","args":1}', 'invalid_event', /^args: /],
    [
      'a name without end',
      `{"type":"tool_call_request","name":"${'x'.repeat(1025)}"}`,
      'invalid_event',
      /^name: /,
    ],
    ['isError as text', '{"type":"tool_result","isError":"yes"}', 'invalid_event', /^isError: /],
    [
      'tokens as text',
      '{"type":"turn_finished","usage":{"inputTokens":"9"}}',
      'invalid_event',
      /^usage\.inputTokens: /,
    ],
    ...['-1', '1e308'].map((tokens): [string, string, string, RegExp] => [
      `${tokens} tokens`,
      `{"type":"turn_finished","usage":{"outputTokens":${tokens}}}`,
      'invalid_event',
      /^usage\.outputTokens: /,
    ]),
    ['a list of settings', '{"type":"control","set":[1]}', 'invalid_event', /^set: /],
    ['unset with numbers', '{"type":"control","unset":["a",1]}', 'invalid_event', /^unset\.1: /],
    ['a later version', '{"v":2,"type":"retry"}', 'invalid_event', /^v: /],
    ['an empty id', '{"id":"","type":"retry"}', 'invalid_event', /^id: /],
    ['an empty session', '{"sessionId":"","type":"retry"}', 'invalid_event', /^sessionId: /],
    [
      'a session without end',
      `{"sessionId":"${'x'.repeat(1025)}","type":"retry"}`,
      'invalid_event',
      /^sessionId: /,
    ],
    ['a session as a number', '{"sessionId":7,"type":"retry"}', 'invalid_event', /^sessionId: /],
    ['a time without an offset', '{"time":"2024-01-01T00:00:00","type":"retry"}', 'invalid_event', /^time: /],
    ['a day that is not', '{"time":"2023-02-29T00:00:00Z","type":"retry"}', 'invalid_event', /^time: /],
    ['a time beyond all numbers', '{"time":1e999,"type":"retry"}', 'invalid_event', /^time: /],
    ['a time that is not a date', '{"time":8.65e21,"type":"retry"}', 'invalid_event', /^time: /],
    ['a time before all dates', '{"time":-8640000000000001,"type":"retry"}', 'invalid_event', /^time: /],
    ['a model as an object', '{"model":{},"type":"retry"}', 'invalid_event', /^model: /],
    ['an unsound envelope of an unknown type', '{"type":"image","agent":1}', 'invalid_event', /^agent: /],
    ['two faults', '{"type":"content","text":1,"id":2}', 'invalid_event', /id: .*; text: /],
  ])('rejects %s', (_, text, reason, message) => {
    const decoded = decodeEvent({ text, key: 's-1' });
    expect(decoded).toMatchObject({ ok: false, reason });
    expect(!decoded.ok && decoded.message).toMatch(message);
  });

  it.each([
    ['the value overrides the key', '{"sessionId":"a","type":"retry"}', 'b', 'a'],
    ['from the key', '{"type":"retry"}', 'b', 'b'],
    ['null in the value is absent', '{"sessionId":null,"type":"retry"}', 'b', 'b'],
  ])('determines the session: %s', (_, text, key, sessionId) => {
    expect(decodeEvent({ text, key })).toMatchObject({ ok: true, sessionId });
  });

  it.each([null, ''])('rejects an event without a session (key %j)', (key) => {
    expect(decodeEvent({ text: '{"type":"retry"}', key })).toMatchObject({
      ok: false,
      reason: 'missing_session',
    });
  });

  it('limits the length of error messages', () => {
    const faults = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 1]));
    const decoded = acceptEvent({ type: 'control', unset: Object.values(faults) });
    expect(!decoded.ok && decoded.message.length).toBeLessThanOrEqual(1000);
  });
});

describe('exceededLimit', () => {
  it.each([
    ['as many levels as allowed', brackets(MAX_LEVELS), undefined],
    ['one level more', brackets(MAX_LEVELS + 1), 'it is nested more than 10,100 levels deep'],
    ['consecutive brackets', `[${'{},'.repeat(5_000)}1]`, undefined],
    ['brackets within strings', JSON.stringify('['.repeat(5_000)), undefined],
    ['brackets after escaped quotes', JSON.stringify(`\\"${'[\\"'.repeat(5_000)}`), undefined],
    [
      'brackets after a string that ends with a backslash',
      `["\\\\",${brackets(MAX_LEVELS + 1)}]`,
      'it is nested more than 10,100 levels deep',
    ],
    ['as many parts as allowed', row(MAX_PARTS), undefined],
    ['one part more', row(MAX_PARTS + 1), 'it has more than 100,000 values'],
    ['an unterminated string', `"${'['.repeat(5_000)}`, undefined],
  ])('reports %s', (_, json, expected) => {
    expect(exceededLimit(json)).toBe(expected);
  });

  it('accepts all JSON of ordinary depth', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 20 }),
        fc.string({ minLength: 3_000, maxLength: 3_100 }),
        (json, text) => {
          expect(exceededLimit(`[${json},${JSON.stringify(text)}]`)).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ['an event nested too deeply', result(`"result":${brackets(2_000_000)}`), 'too_complex'],
    ['an event with too many values', result(`"result":${row(1_000_000)}`), 'too_complex'],
    [
      'an oversized text',
      `{"sessionId":"s","type":"content","text":"${'x'.repeat(MAX_TEXT_UNITS + 1)}"}`,
      'too_complex',
    ],
    ['a model with a name of 2 kB', result(`"model":"${'m'.repeat(2_000)}"`), 'invalid_event'],
  ])('decodeEvent rejects %s', (_, text, reason) => {
    expect(decodeEvent({ text, key: null })).toMatchObject({ ok: false, reason });
  });

  it('decodeEvent rejects a session id of 2 kB', () => {
    const text = '{"type":"content","text":"x"}';
    expect(decodeEvent({ text, key: 'k'.repeat(2_000) })).toMatchObject({
      ok: false,
      reason: 'invalid_event',
    });
  });
});

describe('eventTime', () => {
  it.each<[string, Partial<AgentEvent>, number]>([
    ['milliseconds', { time: 1763757600000 }, 1763757600000],
    ['seconds', { time: 1763757600.25 }, 1763757600250],
    ['microseconds', { time: 1763757600250000 }, 1763757600250],
    ['nanoseconds as a number', { time: 1763757600250000000 }, 1763757600250],
    ['milliseconds of another clock', { time: 1_000_000_000 }, 1_000_000_000],
    ['zero', { time: 0 }, 0],
    ['UTC', { time: '2025-11-21T20:40:00Z' }, 1763757600000],
    ['an offset', { time: '2025-11-21T22:40:00+02:00' }, 1763757600000],
    ['a fraction', { time: '2025-11-21T20:40:00.250Z' }, 1763757600250],
    ['nanoseconds', { time: '2025-11-21T20:40:00.250999999Z' }, 1763757600250],
    ['null', { time: null }, 42],
    ['no time', {}, 42],
  ])('reads %s', (_, event, time) => {
    expect(eventTime({ type: 'retry', ...event }, 42)).toBe(time);
  });
});

it.each<[string, boolean]>([
  ...eventTypes.map((type) => [type, true] as [string, boolean]),
  ['image', false],
  ['toString', false],
])('isEventType: %s is %s', (type, known) => expect(isEventType(type)).toBe(known));
