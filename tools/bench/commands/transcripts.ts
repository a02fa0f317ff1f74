import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type RecordedEvent, recordingsFolder, twins } from '../recorded.ts';

/** Session files of Claude Code. */
export interface Transcripts {
  readonly files: number;
  readonly bytes: number;
  readonly traffic: 'recorded' | 'synthetic';
}

/** Ids of records and of messages, which are all different in different sessions. */
const ids = /"(?:uuid|parentUuid|sessionId)":"|"id":"msg_/g;

/**
 * Writes session files as Claude Code does: recorded ones, or generated ones where there are none.
 *
 * @param copies how often each, with other ids; a session with known ids would not be analyzed again
 */
export function writeTranscripts(folder: string, copies: number): Transcripts {
  const recorded = recordedTexts();
  const texts = recorded.length > 0 ? recorded : syntheticTexts();
  let bytes = 0;
  for (let copy = 0; copy < copies; copy += 1) {
    texts.forEach((text, i) => {
      const own = text.replace(ids, `$&${String(copy)}-`);
      bytes += Buffer.byteLength(own);
      writeFileSync(join(folder, `${String(copy)}-${String(i)}.jsonl`), own);
    });
  }
  return { files: copies * texts.length, bytes, traffic: recorded.length > 0 ? 'recorded' : 'synthetic' };
}

function recordedTexts(): string[] {
  const folder = join(recordingsFolder(), 'sessions/raw');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl.gz'));
  const texts = files.toSorted().map((file) => gunzipSync(readFileSync(join(folder, file))).toString());
  // Another agent's session is one JSON document of several lines.
  return texts.filter((text) => text.startsWith('{"'));
}

/** The first sessions of the synthetic twin of Claude Code; about as much as is recorded. */
function syntheticTexts(): string[] {
  const twin = twins('sessions').find(({ name }) => name === 'claude-code');
  const sessions = new Map<string, RecordedEvent[]>();
  for (const line of twin?.lines ?? []) {
    const event = JSON.parse(line) as RecordedEvent;
    const events = sessions.get(event.sessionId);
    if (events === undefined) sessions.set(event.sessionId, [event]);
    else events.push(event);
  }
  return [...sessions.values()]
    .filter((_, i) => i % 8 === 0)
    .map((events) => events.flatMap((event) => recordOf(event)).join('\n'));
}

type Fields = RecordedEvent & {
  readonly callId?: string;
  readonly name?: string;
  readonly args?: unknown;
  readonly result?: unknown;
  readonly isError?: boolean;
};

/** The line that Claude Code writes for an event; none for those that it has no line for. */
function recordOf(event: Fields): string[] {
  const { id, sessionId, time, type, text, callId, name, args, result, isError } = event;
  const stamp = { uuid: id, sessionId, version: '2.1.34', timestamp: new Date(time).toISOString() };
  const user = (content: unknown) => [
    JSON.stringify({ ...stamp, type: 'user', message: { role: 'user', content } }),
  ];
  const assistant = (block: object) => {
    const message = { id: `msg_${id}`, model: 'claude-opus-4-6', role: 'assistant', content: [block] };
    return [JSON.stringify({ ...stamp, type: 'assistant', message })];
  };
  if (type === 'prompt_started') return user(text);
  if (type === 'tool_result')
    return user([{ type: 'tool_result', tool_use_id: callId, content: result, is_error: isError }]);
  if (type === 'content') return assistant({ type: 'text', text });
  if (type === 'thought') return assistant({ type: 'thinking', thinking: text });
  if (type === 'tool_call_request') return assistant({ type: 'tool_use', id: callId, name, input: args });
  return [];
}
