import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FileRecord, RecordReader } from '../../src/events/read-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'loopwatch-records-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function recordsOf(name: string, text: string): Promise<FileRecord[]> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const records: FileRecord[] = [];
  for await (const some of new RecordReader('auto').read(file)) records.push(...some);
  return records;
}

/** Larger than the chunks in which files are read. */
const messages = Array.from({ length: 20_000 }, (_, i) => ({
  role: 'user',
  content: `Message ${String(i)} of a long conversation`,
}));

describe('RecordReader', () => {
  it.each([
    ['indented', JSON.stringify({ session_id: 's', messages }, null, 2)],
    // Any line of it can be the first of a chunk.
    ['without indentation', JSON.stringify({ session_id: 's', messages }, null, 2).replaceAll(/^ +/gm, '')],
    ['a list', JSON.stringify(messages, null, 1)],
    ['with a number of Python', JSON.stringify({ messages, cost: 0.25 }, null, 2).replace('0.25', 'NaN')],
    ['after blank lines', `${'\n'.repeat(1_100_000)}${JSON.stringify({ messages }, null, 2)}`],
  ])('reads a document of many lines as a whole: %s', async (name, text) => {
    const records = await recordsOf(`${name}.json`, text);
    expect(records.flatMap(({ faults }) => faults)).toEqual([]);
    expect(records.flatMap(({ events }) => events)).toHaveLength(messages.length);
  });

  it('keeps the digits of long integers in a document of several lines', async () => {
    const text = `[${[1, 2].map((n) => `{"sessionId":"s","type":"tool_call_request",\n"name":"f","args":{"id":121234567890123400${String(n)}}}`).join(',')}]`;
    const records = await recordsOf('long-integers.json', text);
    expect(records.flatMap(({ events }) => events.map((event) => event['args']))).toEqual([
      { id: '1212345678901234001' },
      { id: '1212345678901234002' },
    ]);
  });

  const calls = ['ls', 'cat'].map((name) => ({
    type: 'tool_call_request',
    sessionId: 's',
    name,
    args: { a: '}{"' },
  }));
  it.each([
    ['indented', calls.map((call) => JSON.stringify(call, null, 2)).join('\n'), [1, 9]],
    ['indented, on the same line', calls.map((call) => JSON.stringify(call, null, 2)).join(''), [1, 8]],
    [
      'after blank lines',
      `\n${calls.map((call) => `\n${JSON.stringify(call, null, 1)}\n\n`).join('')}`,
      [3, 13],
    ],
    ['lists', calls.map((call) => JSON.stringify([call], null, 2)).join(' '), [1, 10]],
    ['on one line', calls.map((call) => JSON.stringify(call)).join(' '), [1, 1]],
    [
      'on a later line',
      `${JSON.stringify(calls[0])}\n${calls.map((call) => JSON.stringify(call)).join('')}`,
      [1, 2, 2],
    ],
  ])('reads several documents in one file: %s', async (name, text, lines) => {
    const records = (await recordsOf(`several ${name}.json`, text)).slice(0, -1);
    expect(records.flatMap(({ faults }) => faults)).toEqual([]);
    expect(records.map(({ line, events }) => [line, events.length])).toEqual(lines.map((line) => [line, 1]));
  });

  it('counts a last document that is half-written as ignored', async () => {
    const whole = JSON.stringify(calls[0], null, 2);
    const records = await recordsOf('half document.json', `${whole}\n${whole.slice(0, 40)}`);
    expect(records.flatMap(({ faults }) => faults)).toEqual([]);
    expect(records.flatMap((record) => record.ignored)).toEqual(['unfinished last line']);
  });

  it('reads on after a document that is no JSON', async () => {
    const records = await recordsOf('no.json', `{\n  a: 1\n}\n${JSON.stringify(calls[0], null, 2)}`);
    expect(records.map(({ line, faults, events }) => [line, faults.length, events.length])).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [3, 1, 0],
      [4, 0, 1],
      [11, 0, 0],
    ]);
  });

  it('reads lines after a first one that is no JSON, with their numbers', async () => {
    const call = '{"type":"tool_call_request","sessionId":"s","name":"ls"}';
    const records = await recordsOf('broken.jsonl', `{"type":\n${call}\n`);
    expect(records.map(({ line, faults, events }) => [line, faults.length, events.length])).toEqual([
      [1, 1, 0],
      [2, 0, 1],
      [2, 0, 0],
    ]);
  });

  it.each([
    ['at the end of the file', '', [], ['unfinished last line']],
    ['followed by another', '{"type":"content","sessionId":"s","text":"x"}\n', [2], []],
  ])('takes a half-written line for unfinished only if it is the last: %s', async (_, more, bad, ignored) => {
    const records = await recordsOf(
      'half.jsonl',
      `{"type":"tool_call_request","sessionId":"s","name":"ls"}\n{"type":"tool_res\n${more}`,
    );
    expect(records.filter(({ faults }) => faults.length > 0).map(({ line }) => line)).toEqual(bad);
    expect(records.flatMap((record) => record.ignored)).toEqual(ignored);
  });
});
