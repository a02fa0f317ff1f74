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
    ['after blank lines', `${'\n'.repeat(1_100_000)}${JSON.stringify({ messages }, null, 2)}`],
  ])('reads a document of many lines as a whole: %s', async (name, text) => {
    const records = await recordsOf(`${name}.json`, text);
    expect(records.flatMap(({ faults }) => faults)).toEqual([]);
    expect(records.flatMap(({ events }) => events)).toHaveLength(messages.length);
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
