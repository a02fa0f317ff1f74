import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Copies } from '@loopwatch/formats';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TranscriptUsage } from '../../src/guard/transcript-usage.ts';

const MEBIBYTE = 1024 * 1024;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwatch-'));
  path = join(folder, 'transcript.jsonl');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A model request of the transcript. @param padding bytes of its text */
const lineOf = (id: string, padding = 0, sessionId = 's') => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: 'text', text: 'x'.repeat(padding) }];
  const message = { id, type: 'message', role: 'assistant', model: 'm', content, usage };
  return `${JSON.stringify({ type: 'assistant', sessionId, uuid: id, timestamp: '2026-11-02T09:00:00Z', message })}\n`;
};

const reader = () => {
  const usage = new TranscriptUsage(new Copies());
  return async () => {
    const { events } = await usage.read({ sessionId: 's', agent: 'claude-code', path });
    return events.length;
  };
};

it('a transcript is read on where it ended, also within a line and for lines of several megabytes', async () => {
  const read = reader();
  const long = lineOf('m-2', 3 * MEBIBYTE);
  writeFileSync(path, lineOf('m-1') + long.slice(0, 2 * MEBIBYTE));
  expect(await read()).toBe(1);
  expect(await read()).toBe(0);
  appendFileSync(path, long.slice(2 * MEBIBYTE) + lineOf('m-3'));
  expect(await read()).toBe(2);
});

it('a line of a transcript that is longer than an event may be is skipped, over several hooks as well', async () => {
  const read = reader();
  const long = lineOf('m-1', 17 * MEBIBYTE);
  writeFileSync(path, long.slice(0, -5));
  expect(await read()).toBe(0);
  appendFileSync(path, long.slice(-5) + lineOf('m-2') + lineOf('m-3', 17 * MEBIBYTE) + lineOf('m-4'));
  expect(await read()).toBe(2);
});

it('a transcript that was rewritten, or that goes on in another file, is read from its beginning, each turn once', async () => {
  const usage = new TranscriptUsage(new Copies());
  const read = async (from = path) =>
    (await usage.read({ sessionId: 's', agent: 'claude-code', path: from })).events.length;
  writeFileSync(path, lineOf('m-1') + lineOf('m-2', 1_000));
  expect(await read()).toBe(2);
  writeFileSync(path, lineOf('m-2') + lineOf('m-3'));
  expect(await read()).toBe(1);
  const moved = join(folder, 'moved.jsonl');
  writeFileSync(moved, lineOf('m-3') + lineOf('m-4'));
  expect(await read(moved)).toBe(1);
  appendFileSync(moved, lineOf('m-5'));
  expect(await read(moved)).toBe(1);
});

it('a turn that a fork copies into its transcript counts for the first session', async () => {
  const usage = new TranscriptUsage(new Copies());
  const fork = join(folder, 'fork.jsonl');
  writeFileSync(path, lineOf('m-1') + lineOf('m-2'));
  writeFileSync(fork, ['m-1', 'm-2', 'm-3'].map((id) => lineOf(id, 0, 'fork')).join(''));
  const idsOf = async (sessionId: string, from: string) =>
    (await usage.read({ sessionId, agent: 'claude-code', path: from })).events.map(({ id }) => id);
  expect(await idsOf('s', path)).toEqual(['m-1.end', 'm-2.end']);
  expect(await idsOf('fork', fork)).toEqual(['m-3.end']);
});
