import { type FormatName, formatNames } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Translator } from '../src/index.ts';
import { formats } from '../src/registry.ts';
import { sampleRecords } from './sample-records.ts';

const read = (format: FormatName | 'auto', ...texts: string[]) => {
  const translator = new Translator({ format, session: 'file' });
  const read = texts.map((text) => translator.read(text));
  return {
    events: [...read.flatMap(({ events }) => events), ...translator.end()],
    ignored: read.flatMap(({ ignored }) => ignored),
    faults: read.flatMap(({ faults }) => faults),
  };
};

const [user, answer] = sampleRecords['claude-code']!.map((record) => JSON.stringify(record));
const call = JSON.stringify({ type: 'tool_call_request', sessionId: 's', name: 'ls' });

describe('records of all formats', () => {
  const records = Object.entries(sampleRecords).flatMap(([name, list]) =>
    list.map((record, i) => [`${name} ${String(i)}`, name, record] as const),
  );

  it('have samples', () => {
    expect(Object.keys(sampleRecords).toSorted()).toEqual([...formatNames].toSorted());
  });

  it.each(records)('%s is recognized by exactly one format', (_, name, record) => {
    expect(formats.filter((format) => format.recognizes(record)).map((format) => format.name)).toEqual([
      name,
    ]);
  });

  it.each(records)('%s is rejected under every other format', (_, name, record) => {
    for (const other of formatNames.filter((one) => one !== name)) {
      const { events, faults } = read(other, JSON.stringify(record));
      expect(events).toEqual([]);
      expect(faults).toEqual([
        {
          reason: 'unknown_format',
          message: expect.stringContaining(`use the format ${name} instead of ${other}`),
        },
      ]);
    }
  });

  it('never cause an error, even if parts are missing or of another type', () => {
    const names = fc.constantFrom(...Object.keys(sampleRecords));
    const mutated = fc
      .tuple(
        names,
        fc.nat(),
        fc.dictionary(
          fc.string(),
          fc.json().map((json) => JSON.parse(json) as unknown),
        ),
        fc.nat(),
        fc.jsonValue(),
      )
      .map(([name, at, more, drop, value]) => {
        const list = sampleRecords[name]!;
        const record = { ...list[at % list.length], ...more };
        const keys = Object.keys(record);
        return { ...record, [keys[drop % keys.length]!]: value };
      });
    fc.assert(
      fc.property(fc.array(fc.oneof(mutated, fc.jsonValue()), { maxLength: 8 }), (values) => {
        const translator = new Translator({ format: 'auto', session: 'file' });
        for (const value of values) {
          const { events, ignored, faults, isPending } = translator.read(JSON.stringify(value));
          expect(isPending || events.length + ignored.length + faults.length > 0).toBe(true);
        }
        translator.end();
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

describe('Translator', () => {
  it('detects the format of each record', () => {
    const { events, ignored, faults } = read('auto', user!, call, answer!);
    expect(events.map(({ type }) => type)).toEqual([
      'prompt_started',
      'tool_call_request',
      'turn_started',
      'tool_call_request',
      'turn_finished',
    ]);
    expect({ ignored, faults }).toEqual({ ignored: [], faults: [] });
  });

  it('counts an irrelevant record by its type once the format is known', () => {
    expect(read('auto', user!, '{"type":"yet-to-come"}')).toMatchObject({
      ignored: ['yet-to-come'],
      faults: [],
    });
  });

  it('accepts a session that begins with a record of an unknown type, with and without its format', () => {
    const first = JSON.stringify({ type: 'agent-setting', agentSetting: 'main', sessionId: 's' });
    for (const format of ['auto', 'claude-code'] as const)
      expect(read(format, first, user!)).toMatchObject({ ignored: ['agent-setting'], faults: [] });
  });

  it('passes an event of an unknown type through and counts it', () => {
    const event = { type: 'plan_made', sessionId: 's' };
    expect(read('auto', JSON.stringify(event))).toEqual({
      events: [event],
      ignored: ['plan_made'],
      faults: [],
    });
  });

  it.each([
    ['a line that is not JSON', 'hello', 'not_json', ''],
    ['a value that is not an object', '17', 'not_an_object', 'a number'],
    [
      'a record of no format',
      '{"a":1}',
      'unknown_format',
      'Loopwatch\'s own events have "sessionId" and "type"',
    ],
    [
      'a record that almost matches a format',
      '{"uuid":"u","parentUuid":null,"isSidechain":false}',
      'unknown_format',
      'the nearest is claude-code',
    ],
    ['excessive nesting', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'too_complex', 'levels deep'],
  ])('reports %s', (_, text, reason, message) => {
    expect(read('auto', text)).toMatchObject({
      events: [],
      faults: [{ reason, message: expect.stringContaining(message) }],
    });
  });

  it.each([
    ['NaN', '{"sessionId":"s","type":"turn_started","n":NaN}'],
    ['-Infinity', '{"sessionId":"s","type":"turn_started","n":-Infinity,"text":"a \\" NaN"}'],
  ])('reads %s, as Python writes it, as null', (_, line) => {
    const { events, faults } = new Translator({ format: 'canonical' }).read(line);
    expect(faults).toEqual([]);
    expect(events[0]).toMatchObject({ n: null });
    expect(events[0]?.['text'] ?? 'a " NaN').toBe('a " NaN');
  });

  it('accepts times in nanoseconds, which are integers beyond 2^53', () => {
    const event = '{"sessionId":"s","type":"turn_started","time":1793872804340478721}';
    const { events } = new Translator({ format: 'auto' }).read(event);
    expect(events.map(({ time }) => time)).toEqual([1793872804340478700]);
  });

  it('reads the elements of an array and server-sent events', () => {
    expect(read('auto', `[${call},[${call}],3]`)).toMatchObject({
      events: [{ name: 'ls' }, { name: 'ls' }],
      faults: [{ reason: 'not_an_object' }],
    });
    expect(
      read('auto', 'event: message', 'id: 1', ': ping', `data: ${call}`, 'data: [DONE]', ''),
    ).toMatchObject({
      events: [{ name: 'ls' }],
      ignored: [],
      faults: [],
    });
  });

  it.each([
    ['of any format', `{"runs":[${call}],"cursors":{"next":null}}`, 1],
    ['whose parts only look like events', '{"from":"a","parts":[{"type":"tool_result","result":"x"}]}', 0],
  ])('reads the list of records in an unknown document: %s', (_, text, count) => {
    const { events, faults } = read('auto', text);
    expect([events.length, faults.length]).toEqual([count, 1 - count]);
  });
});
