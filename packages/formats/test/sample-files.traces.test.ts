import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { Translator } from '../src/index.ts';

/** Records of real producers, which are not part of the project. */
const folder = resolve(process.env['LOOPWATCH_SHARED_DATA'] ?? '../shared/data', 'formats');
const files = readdirSync(folder).filter((name) => /^\d/.test(name));

const formatOf: Readonly<Record<string, string>> = {
  '01': 'claude-code',
  '02': 'claude-code codex',
  '03': 'otlp',
  '04': 'otlp',
  '05': 'codex',
  '06': 'codex',
  '07': 'messages',
  '08': 'litellm',
  '09': 'otlp',
  '10': 'gemini-cli',
  '11': 'vercel-ai',
  '12': 'openhands',
};

it.each(files)('%s is recognized and read', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const translator = new Translator({ format: 'auto', session: file });
  const read = file.endsWith('.json')
    ? [translator.readValue(JSON.parse(text))]
    : text.split('\n').map((line) => translator.read(line));
  const events = [...read.flatMap((one) => one.events), ...translator.end()];
  expect(read.flatMap(({ faults }) => faults)).toEqual([]);
  expect(translator.formats).toEqual(formatOf[file.slice(0, 2)]?.split(' '));
  expect(events.some(({ type }) => type === 'tool_call_request')).toBe(true);
});
