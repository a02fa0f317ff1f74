import { type AgentEvent, detectionSchema } from '@loopwatch/contract';
import { addPrompt, detectionOf } from '@loopwatch/detectors/internal';
import { from } from 'rxjs';
import { silentObserver } from '../../src/records.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import type { EventRecord } from '../../src/stream/decode.ts';
import { detectLoops } from '../../src/stream/detect.ts';

export const topicPartition = { topic: 'events', partition: 3 };
export const START = 1_760_000_000_000;
export const IDLE_SECONDS = 600;
export const FIRST_OFFSET = 100;
export const detection = detectionOf(
  detectionSchema.parse({
    preset: 'stream',
    tool_call_loop: { max_repeats: 3 },
    session: { idle_seconds: IDLE_SECONDS },
  }),
  null,
  addPrompt,
);

const usage = { inputTokens: 100, outputTokens: 7 };
const events: Readonly<Record<string, AgentEvent>> = {
  ls: { type: 'tool_call_request', name: 'ls', args: {} },
  cat: { type: 'tool_call_request', name: 'cat', args: {} },
  same: { type: 'tool_call_request', name: 'ls', args: {}, id: 'same' },
  prompt: { type: 'prompt_started', text: 'go', model: 'm', backend: 'b', agent: 'a', tenant: 't' },
  tagged: { type: 'prompt_started', text: 'go', agentVersion: '1.2.0', tags: { env: 'prod' } },
  child: { type: 'prompt_started', text: 'go', parentSessionId: 'boss' },
  turn: { type: 'turn_started' },
  text: { type: 'content', text: 'twelve units' },
  thought: { type: 'thought', text: 'hm' },
  usage: { type: 'turn_finished', usage },
  retry: { type: 'retry' },
  set: { type: 'control', set: { 'tool_call_loop.max_repeats': 9 } },
  off: { type: 'control', set: { enabled: false } },
  other: { type: 'not_known_yet' },
  end: { type: 'session_ended' },
};

/** Sessions of a partition, whose summaries are collected. */
export function openSessions(maxSessions = 100) {
  const store = new SessionStore({
    detection,
    maxSessions,
    idleMs: 0,
    observer: silentObserver,
    summaries: true,
  });
  const sessions = store.open(topicPartition);
  const collector = sessions.summaries!;
  let next = FIRST_OFFSET;
  /** Events as text: the second it comes at, what it is, and its session unless it is `s`; commas between them. */
  const pass = (script: string): void => {
    const items = script.split(', ').map((text): EventRecord => {
      const [second, name = '', sessionId = 's'] = text.split(' ');
      const record = { offset: next, timestamp: null, key: null, text: '' };
      next += 1;
      const event = { ...events[name]!, time: START + Number(second) * 1000 };
      return { type: 'event', record, sessionId, event };
    });
    from(items).pipe(detectLoops(sessions, silentObserver)).subscribe();
  };
  return { store, sessions, collector, pass };
}
