import { formatNames } from '@loopwatch/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Translator } from '../src/index.ts';

/** Objects of which `String` throws, and others that look like something else. */
const hostile: readonly unknown[] = [
  { toString: 1 },
  { toString: null, valueOf: 'x' },
  JSON.parse('{"__proto__": {"toString": 2}}'),
  [{ toString: [] }],
  { length: 3 },
];

/** Fields that formats read. */
const fields = [
  'type',
  'role',
  'kind',
  'id',
  'event',
  'say',
  'source',
  'action',
  'status',
  'payload',
  'message',
  'item',
  'part',
  'timestamp',
  'run_type',
  'data',
  'name',
  'content',
  'hook_event_name',
  'session_id',
  'attributes',
  'choices',
  'delta',
];

it.each(['auto', ...formatNames] as const)('no value of any field makes %s throw', (format) => {
  const value = fc.oneof(
    fc.constantFrom(...hostile),
    fc.constantFrom('message', 'user', 'assistant', 'tool', 1, null, true),
    fc.array(fc.constantFrom(...hostile), { maxLength: 2 }),
  );
  const nested = fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(value, fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 5 })),
    { maxKeys: 8 },
  );
  fc.assert(
    fc.property(nested, (record) => {
      const translator = new Translator({ format });
      translator.read(JSON.stringify(record));
      translator.readValue(record);
      translator.end();
    }),
    { numRuns: 300 },
  );
});

it('a hostile line costs that line only', () => {
  const translator = new Translator({ format: 'auto' });
  const good = '{"sessionId":"s","type":"tool_call_request","name":"x","args":{}}';
  const read = [good, '{"type":{"toString":1},"sessionId":"s"}', good].map(
    (line) => translator.read(line).events.length,
  );
  expect(read).toEqual([1, 0, 1]);
});

it('a type that every object has is as unknown to Cline as any other', () => {
  const read = (say: string) => {
    const translator = new Translator({ format: 'cline', session: 's' });
    const { events } = translator.read(JSON.stringify({ ts: 1, type: 'say', say, text: 'x' }));
    return [...events, ...translator.end()];
  };
  expect(read('constructor')).toEqual(read('nonsense'));
});
