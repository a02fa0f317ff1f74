import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import type { Usage } from '../record/message.ts';
import { placeTags } from '../record/place-tags.ts';
import { remember } from '../record/remember.ts';
import { anthropicUsage } from '../wire/anthropic.ts';
import { eventOf, resultOf } from './claude-code-blocks.ts';
import { notPrompt } from './claude-code-texts.ts';
import { hookAgentOf, readHookInput } from './hook-input.ts';
import { ReportedUsage } from './reported-usage.ts';
import { SidechainIds } from './sidechain-ids.ts';

/** Record types without messages. */
const bookkeeping = new Set([
  'summary',
  'system',
  'progress',
  'file-history-snapshot',
  'queue-operation',
  'attachment',
  'custom-title',
  'ai-title',
  'agent-name',
  'last-prompt',
  'pr-link',
  'mode',
  'permission-mode',
  'worktree-state',
]);
/** Those of the SDK's messages, beside `system`. A stream event is a piece of a message that follows. */
const sdkBookkeeping = new Set([
  'system',
  'result',
  'stream_event',
  'rate_limit_event',
  'tool_progress',
  'auth_status',
  'subagent_token_usage',
]);
/** Forks whose origin is remembered. */
const MAX_FORKS = 1_000;
/** Model name of messages that Claude Code writes itself. */
const syntheticModel = '<synthetic>';

/**
 * Claude Code: session files (`~/.claude/projects/**.jsonl`), the messages of `--output-format stream-json` and of the Agent
 * SDK, and hook inputs. Each line of a session file contains one block of a message. All lines of a message repeat its usage,
 * which is final in the last one. Resumed and forked sessions copy earlier records, with their `uuid` or another one beside
 * `forkedFrom`, which names the original. Messages of the SDK name the call that started their sub-agent, and may lack a
 * `uuid`. Sources: `message_parser.py` and `session_mutations.py` in `claude_agent_sdk/_internal`.
 */
export const claudeCode: Format = {
  name: 'claude-code',
  title: 'a Claude Code session',
  hasCopies: true,
  keys: [
    'uuid',
    'parentUuid',
    'isSidechain',
    'sessionId',
    'requestId',
    'toolUseResult',
    'leafUuid',
    'userType',
    'cwd',
    'gitBranch',
    'version',
  ],
  recognizes: (record) =>
    hookAgentOf(record) === 'claude-code' ||
    isSdkBookkeeping(record) ||
    ((record['type'] === 'user' || record['type'] === 'assistant') &&
      isObject(record['message']) &&
      'content' in record['message'] &&
      ('uuid' in record ||
        'isCompactSummary' in record ||
        'isMeta' in record ||
        ('session_id' in record && 'parent_tool_use_id' in record))) ||
    (bookkeeping.has(nameOf(record['type'])) &&
      ('leafUuid' in record || 'uuid' in record || 'messageId' in record || 'sessionId' in record) &&
      !('payload' in record || 'systemPayload' in record)),
  createReader: (session) => new ClaudeCodeReader(session),
};

/** The SDK's messages have one of these each. Cursor's CLI writes records of the same types, but with none of these. */
export const sdkKeys = ['uuid', 'tools', 'num_turns', 'parent_tool_use_id'] as const;

function isSdkBookkeeping(record: JsonObject): boolean {
  return (
    sdkBookkeeping.has(nameOf(record['type'])) &&
    'session_id' in record &&
    sdkKeys.some((key) => key in record)
  );
}

/** A message with more blocks to come. */
interface OpenMessage {
  readonly id: string;
  readonly stamp: Stamp;
  /** Of the latest record of its session: what ends it may come days later. */
  time: number | undefined;
  usage: Usage | undefined;
}

class ClaudeCodeReader implements FormatReader {
  readonly #fallback: string | undefined;
  readonly #sidechains = new SidechainIds();
  readonly #open = new Map<string, OpenMessage>();
  readonly #reported = new ReportedUsage();
  /** By a fork, the session that it was copied from. */
  readonly #forkedFrom = new Map<string, string>();
  /** Time of the latest record, epoch ms. */
  #time: number | undefined;

  constructor(session: string | undefined) {
    this.#fallback = session;
  }

  read(record: JsonObject): Reading {
    if (hookAgentOf(record) !== undefined) return readHookInput(record, 'claude-code');
    if (record['type'] === 'progress') return this.#readProgress(record);
    const queued = objectOf(record['attachment']);
    if (queued['type'] === 'queued_command') return this.#readQueued(record, queued);
    if (record['type'] === 'result') return this.#readResult(record);
    const type = nameOf(record['type']);
    const message = objectOf(record['message']);
    if ((type !== 'user' && type !== 'assistant') || !isObject(record['message'])) return ignored(type);
    const stamp = this.#stampOf(record, textOf(message['model']));
    if (stamp === undefined) return ignored(`${type} without a session`);
    this.#time = timeOf(record['timestamp']) ?? this.#time;
    const reading =
      type === 'user' ? this.#readUser(record, message, stamp) : this.#readAssistant(record, message, stamp);
    const open = this.#open.get(stamp.sessionId);
    if (open !== undefined) open.time = this.#time;
    return reading;
  }

  end(): SessionEvent[] {
    return [...this.#open.keys()].flatMap((sessionId) => this.#finish(sessionId));
  }

  /** Messages of a sub-agent, as some versions store them in the file of its session. */
  #readProgress(record: JsonObject): Reading {
    const { message, agentId } = objectOf(record['data']);
    if (!isObject(message) || textOf(agentId) === undefined) return ignored('progress');
    return this.read({ ...record, ...message, agentId, isSidechain: true });
  }

  /** A prompt that was written, or a notification that came, while the agent was working. */
  #readQueued(record: JsonObject, { prompt, origin, commandMode }: JsonObject): Reading {
    const kind = origin ?? (commandMode === 'prompt' ? undefined : { kind: commandMode });
    const message = { content: prompt };
    return this.read({ ...record, attachment: undefined, type: 'user', origin: kind, message });
  }

  /** In a stream, the output tokens of a message are those at its start; only the result has their total. */
  #readResult(record: JsonObject): Reading {
    const session = textOf(record['session_id']) ?? '';
    const open = this.#open.get(session);
    const missing = this.#reported.missingIn(anthropicUsage(record['usage']), session, open?.usage);
    if (open !== undefined && missing > 0)
      open.usage = { ...open.usage, outputTokens: (open.usage?.outputTokens ?? 0) + missing };
    const events = this.#finish(session);
    this.#reported.next(session);
    return { events, ignored: ['result'] };
  }

  #stampOf(record: JsonObject, model: string | undefined): Stamp | undefined {
    const session = textOf(record['sessionId']) ?? textOf(record['session_id']) ?? this.#fallback;
    if (session === undefined) return undefined;
    const original = textOf(objectOf(record['forkedFrom'])['sessionId']);
    if (original !== undefined) remember(this.#forkedFrom, session, original, MAX_FORKS);
    const sidechain = this.#sidechains.of(record);
    return {
      sessionId: sidechain === undefined ? session : `${session}/${sidechain}`,
      parentSessionId: sidechain === undefined ? this.#forkedFrom.get(session) : session,
      agent: 'claude-code',
      agentVersion: textOf(record['version']),
      model,
      tags: placeTags(record['cwd'], record['gitBranch']),
    };
  }

  #readUser(record: JsonObject, message: JsonObject, stamp: Stamp): Reading {
    const uuid = uuidOf(record);
    const time = this.#time;
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    const events: SessionEvent[] = [];
    const skipped: string[] = [];
    const isMeta = record['isMeta'] === true || record['isSynthetic'] === true;
    // What stands beside results was not typed by a person.
    const hasResults = blocks.some((block) => objectOf(block)['type'] === 'tool_result');
    blocks.forEach((value, i) => {
      const block = objectOf(value);
      const id = uuid === undefined ? undefined : `${uuid}.${String(i)}`;
      if (block['type'] === 'tool_result') {
        const callId = textOf(block['tool_use_id']);
        const isError = block['is_error'] === true;
        events.push({
          ...stamp,
          id,
          time,
          type: 'tool_result',
          callId,
          result: resultOf(block['content']),
          isError,
        });
        return;
      }
      const text = block['type'] === 'text' ? textOf(block['text']) : undefined;
      const why = text === undefined ? nameOf(block['type']) : notPrompt(text, isMeta);
      if (why !== undefined) skipped.push(`user (${why})`);
      else {
        // Neither the summary of a compacted conversation nor a hook's feedback is a request of the user.
        const isHarness = record['isCompactSummary'] === true || isMeta || isOfOther(record);
        const origin = isHarness || hasResults ? 'harness' : undefined;
        events.push(...this.#finish(stamp.sessionId), {
          ...stamp,
          id,
          time,
          type: 'prompt_started',
          text,
          origin,
        });
      }
    });
    return { events, ignored: skipped };
  }

  #readAssistant(record: JsonObject, message: JsonObject, stamp: Stamp): Reading {
    if (record['isApiErrorMessage'] === true || stamp.model === syntheticModel)
      return ignored('assistant (API error)');
    const uuid = uuidOf(record);
    const time = this.#time;
    const events: SessionEvent[] = [];
    const id = textOf(message['id']) ?? uuid ?? '';
    let open = this.#open.get(stamp.sessionId);
    if (open?.id !== id) {
      events.push(...this.#finish(stamp.sessionId));
      open = { id, stamp, time, usage: undefined };
      this.#open.set(stamp.sessionId, open);
      events.push({ ...stamp, id: id === '' ? undefined : `${id}.start`, time, type: 'turn_started' });
    }
    open.usage = anthropicUsage(message['usage']) ?? open.usage;
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    const skipped: string[] = [];
    blocks.forEach((value, i) => {
      const event = eventOf(objectOf(value));
      if (event === undefined) skipped.push(`assistant (${nameOf(objectOf(value)['type'])})`);
      else
        events.push({
          ...stamp,
          id: uuid === undefined ? undefined : `${uuid}.${String(i)}`,
          time,
          ...event,
        });
    });
    return { events, ignored: skipped };
  }

  /** Ends a message when the next message or a prompt starts. */
  #finish(sessionId: string): SessionEvent[] {
    const open = this.#open.get(sessionId);
    if (open === undefined) return [];
    this.#open.delete(sessionId);
    const { id, stamp, time, usage } = open;
    this.#reported.add(sessionId, usage);
    const eventId = id === '' ? undefined : `${id}.end`;
    return [{ ...stamp, id: eventId, time, type: 'turn_finished', usage }];
  }
}

/** The `uuid` that a record had before it was copied. */
function uuidOf(record: JsonObject): string | undefined {
  return textOf(objectOf(record['forkedFrom'])['messageUuid']) ?? textOf(record['uuid']);
}

/** Whether a message of the user names another author, such as a background task that has ended. */
function isOfOther(record: JsonObject): boolean {
  const { kind = 'human' } = objectOf(record['origin']);
  return kind !== 'human';
}
