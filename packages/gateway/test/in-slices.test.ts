import { afterEach, expect, it, vi } from 'vitest';
import { boundedText } from '../src/api/bounded.ts';
import { historyItems, readElements } from '../src/api/history.ts';
import { jsonOf } from '../src/api/parsing/json-text.ts';
import { RequestParser } from '../src/api/parsing/request-parser.ts';
import { inSlices, type Steps } from '../src/in-slices.ts';
import { completed } from './steps.ts';

const MEGABYTE = 1024 * 1024;
const BODY_BYTES = 25 * MEGABYTE;
/** More than any part that may be parsed at once. */
const PART_UNITS = 320 * 1024;

afterEach(() => {
  vi.restoreAllMocks();
});

const line = 'a line with "quotes", a back\\slash, ünicode 😀 and \u0001 control\n';
const textOf = (units: number): string => line.repeat(Math.ceil(units / line.length)).slice(0, units);
const results = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    role: 'tool',
    tool_call_id: String(i),
    content: `${String(i)} ${textOf(BODY_BYTES / count / 1.4)}`,
  }));

const histories: [string, object[]][] = [
  ['many results', results(400)],
  ['one result', results(1)],
  [
    'one picture',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x'.repeat(BODY_BYTES) } }] }],
  ],
];

it.each(histories)(
  'a body of 25 MB is parsed in small parts, and what is known not again: %s',
  (_, messages) => {
    const more = [...messages, { role: 'user', content: 'go on' }];
    const [first, second] = [messages, more].map((list) =>
      Buffer.from(JSON.stringify({ model: 'm', messages: list })),
    );
    const parser = new RequestParser();
    const parse = vi.spyOn(JSON, 'parse');
    const lengths = (body: Buffer): number[] => {
      parse.mockClear();
      completed(parser.parse(body, 'messages'));
      return parse.mock.calls.map(([text]) => text.length);
    };
    expect(Math.max(...lengths(first as Buffer))).toBeLessThan(PART_UNITS);
    expect(lengths(second as Buffer).reduce((sum, units) => sum + units, 0)).toBeLessThan(1_000);
    expect(completed(parser.parse(second as Buffer, 'messages'))).toEqual({ model: 'm', messages: more });
  },
);

it('JSON is written in parts, with the same bytes as at once', () => {
  const parts = [{}, { a: 1, b: undefined, list: [1, 'x', { c: [] }, null], empty: [] }, { é: ['😀'] }];
  for (const object of parts) expect(completed(jsonOf(object)).toString()).toBe(JSON.stringify(object));
});

it('texts longer than 1 MB are judged without their middle, and still told apart by it', () => {
  const text = textOf(3 * MEGABYTE);
  const other = `${text.slice(0, 1.5 * MEGABYTE)}!${text.slice(1.5 * MEGABYTE + 1)}`;
  expect(boundedText(text).length).toBeLessThan(1.01 * MEGABYTE);
  expect(boundedText(text)).toBe(boundedText(text.slice()));
  expect(boundedText(other)).not.toBe(boundedText(text));
  expect(boundedText(textOf(MEGABYTE))).toBe(textOf(MEGABYTE));
});

it('a long history is read with pauses', () => {
  const messages = Array.from({ length: 50_000 }, (_, i) => ({ role: 'user', content: String(i) }));
  expect([...readElements(messages)]).toHaveLength(messages.length);
  expect(historyItems(messages)).toHaveLength(messages.length);
});

function* work(steps: number, cost: number): Steps<string> {
  for (let i = 0; i < steps; i += 1) yield cost;
  return 'done';
}

it('little work is done at once', () => {
  expect(inSlices(work(10, 1_000))).toBe('done');
});

it('other work of the event loop is done between slices', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  expect(await inSlices(work(100, 400_000))).toBe('done');
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(30);
});

it('a failure of the work is one of its promise', async () => {
  function* failing(): Steps<string> {
    yield 2_000_000;
    throw new Error('broken');
  }
  await expect(inSlices(failing())).rejects.toThrow('broken');
});
