import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { Translator } from '../src/index.ts';

/** Real agents' sessions, which are not part of the project. */
const sessions = resolve(process.env['LOOPWATCH_SHARED_DATA'] ?? '../shared/data', 'sessions');
const raw = join(sessions, 'raw');
/** Written by Gemini CLI, in one document; the canonical events are of Claude Code alone. */
const gemini = 'ent-ab-2b9748b105-0';
/** Left out of the canonical events. */
const without = ['ent-d5-6c458b6019-0'];

function unpacked(...path: string[]): string {
  return gunzipSync(readFileSync(join(...path))).toString('utf8');
}

/** What is found in a session, without where: records of the program have places of their own there. */
function foundIn(events: readonly AgentEvent[], preset: 'balanced' | 'stream'): string[] {
  const analyzer = createSessionAnalyzer({ preset });
  return events
    .flatMap((event) => analyzer.push({ ...event, id: undefined, sessionId: 's' }))
    .filter(({ phase }) => phase !== 'resolved')
    .map(({ phase, detector, action, reason }) => `${phase} ${detector} ${action}: ${reason}`);
}

const canonical = new Map<string, AgentEvent[]>();
for (const line of unpacked(sessions, 'claude-code.events.jsonl.gz').split('\n')) {
  if (line === '') continue;
  const event = JSON.parse(line) as AgentEvent;
  const id = event.sessionId ?? '';
  canonical.set(id, [...(canonical.get(id) ?? []), event]);
}
const names = readdirSync(raw).map((file) => file.replace('.jsonl.gz', ''));

describe('raw sessions of coding agents', () => {
  it('are 28 files', () => {
    expect(names).toHaveLength(28);
  });

  it.each(names.filter((name) => name !== gemini))('are read without faults: %s', (name) => {
    const translator = new Translator({ format: 'auto', session: name });
    const read = unpacked(raw, `${name}.jsonl.gz`)
      .split('\n')
      .map((line) => translator.read(line));
    const events = [...read.flatMap((one) => one.events), ...translator.end()];
    expect(read.flatMap(({ faults }) => faults)).toEqual([]);
    expect(translator.formats).toEqual(['claude-code']);
    const own = canonical.get(name) ?? [];
    // The canonical events leave out sub-agents.
    const main = events.filter(({ parentSessionId }) => parentSessionId === undefined);
    expect(own.length > 0).toBe(!without.includes(name));
    const calls = (all: readonly AgentEvent[]) =>
      all.flatMap((event) => (event.type === 'tool_call_request' ? [event['callId']] : []));
    if (own.length > 0) expect(calls(main)).toEqual(calls(own));
    for (const preset of ['balanced', 'stream'] as const)
      if (own.length > 0) expect(foundIn(main, preset)).toEqual(foundIn(own, preset));
  });

  it('include one of Gemini CLI, which is read without faults', () => {
    const translator = new Translator({ format: 'auto' });
    const { events, faults } = translator.readValue(JSON.parse(unpacked(raw, `${gemini}.jsonl.gz`)));
    expect(faults).toEqual([]);
    expect(translator.formats).toEqual(['gemini-cli']);
    expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(9);
  });
});
