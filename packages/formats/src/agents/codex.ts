import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
  unwrapped,
} from '../record/json.ts';
import type { ToolCall, Usage } from '../record/message.ts';
import { placeTags } from '../record/place-tags.ts';
import { textId } from '../record/text-id.ts';
import { Turns } from '../record/turns.ts';
import { itemCall } from '../wire/openai-responses.ts';
import { CodexExecReader, isExecEvent } from './codex-exec.ts';
import { hookAgentOf, readHookInput } from './hook-input.ts';

/** What Codex itself inserts as a message of the user. */
const context =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|collaboration_mode|skills|INSTRUCTIONS|subagent_notification|turn_aborted)\b|# AGENTS\.md)/;
const exitCode = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
/** The exit code precedes the output. */
const HEAD_UNITS = 400;

/**
 * OpenAI Codex: rollout files (`~/.codex/sessions/**.jsonl`), events of `codex exec --json` and hook inputs. The rollout of
 * a forked session or sub-agent starts with the whole history of its parent, which includes the parent's `session_meta`.
 */
export const codex: Format = {
  name: 'codex',
  title: 'a Codex session',
  hasCopies: true,
  keys: ['timestamp', 'type', 'payload', 'thread_id', 'item'],
  recognizes: (record) =>
    isExecEvent(record) ||
    hookAgentOf(record) === 'codex' ||
    isOldMeta(record) ||
    isBareItem(record) ||
    record['record_type'] === 'state' ||
    (isObject(record['payload']) && 'timestamp' in record && types.has(nameOf(record['type']))),
  createReader: (session) => new CodexReader(session),
};

const types = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
]);

/** Until September 2025, the first line of a rollout was the description of the session itself, */
function isOldMeta(record: JsonObject): boolean {
  const { id, timestamp, instructions } = record;
  return (
    typeof id === 'string' &&
    typeof timestamp === 'string' &&
    instructions !== undefined &&
    !('type' in record)
  );
}

/** and the others were items of the Responses API. */
function isBareItem(record: JsonObject): boolean {
  switch (record['type']) {
    case 'message':
      return listOf(record['content']).some((part) => itemTexts.has(nameOf(objectOf(part)['type'])));
    case 'reasoning':
      return Array.isArray(record['summary']) && 'encrypted_content' in record;
    default:
      return itemTypes.has(nameOf(record['type'])) && ('call_id' in record || 'status' in record);
  }
}

const itemTexts = new Set(['input_text', 'output_text']);
const itemTypes = new Set([
  ...['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
  ...['local_shell_call', 'local_shell_call_output', 'web_search_call'],
]);

class CodexReader implements FormatReader {
  readonly #exec: CodexExecReader;
  readonly #turns = new Turns();
  #sessionId: string | undefined;
  /** The session that the history started with. Event ids are derived from it, so that copies have the same ids. */
  #root: string | undefined;
  #parentSessionId: string | undefined;
  #agentVersion: string | undefined;
  #model: string | undefined;
  #tags: Stamp['tags'];
  #totalTokens = '';
  /** Time of an old session, whose items have none. */
  #started: unknown;
  readonly #uses = new Map<string, number>();

  constructor(session: string | undefined) {
    this.#exec = new CodexExecReader(session);
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    if (isExecEvent(record)) return this.#exec.read(record);
    if (hookAgentOf(record) !== undefined) return readHookInput(record, 'codex');
    if (isOldMeta(record)) return this.#readMeta(record);
    const isBare = isBareItem(record);
    const type = isBare ? 'response_item' : nameOf(record['type'] ?? record['record_type']);
    const payload = isBare ? record : objectOf(record['payload']);
    if (type === 'session_meta') return this.#readMeta(payload);
    if (type === 'turn_context') this.#model = textOf(payload['model']) ?? this.#model;
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    const stamp = {
      sessionId: this.#sessionId,
      parentSessionId: this.#parentSessionId,
      time: timeOf(record['timestamp'] ?? this.#started),
      agent: 'codex',
      agentVersion: this.#agentVersion,
      model: this.#model,
      tags: this.#tags,
    };
    if (type === 'response_item') return this.#readItem(payload, stamp);
    if (type === 'event_msg' && payload['type'] === 'token_count') return this.#readTokens(payload, stamp);
    const name = textOf(payload['type']);
    return ignored(name === undefined ? type : `${type} (${name})`);
  }

  end(): SessionEvent[] {
    return [...this.#turns.end(), ...this.#exec.end()];
  }

  #readMeta(payload: JsonObject): Reading {
    const id = textOf(payload['id']);
    // The first one belongs to this file, later ones to the copied history.
    if (this.#root === undefined) {
      this.#sessionId = id ?? this.#sessionId;
      this.#agentVersion = textOf(payload['cli_version']);
      this.#started = payload['timestamp'];
      this.#tags = placeTags(payload['cwd'], objectOf(payload['git'])['branch']);
      const spawned = objectOf(objectOf(objectOf(payload['source'])['subagent'])['thread_spawn']);
      this.#parentSessionId = textOf(spawned['parent_thread_id']) ?? textOf(payload['forked_from_id']);
      this.#root = textOf(payload['forked_from_id']) ?? id ?? '';
    } else this.#root = id ?? this.#root;
    return ignored('session_meta');
  }

  #readItem(item: JsonObject, stamp: Stamp): Reading {
    const type = nameOf(item['type']);
    const callId = textOf(item['call_id']) ?? textOf(item['id']);
    switch (type) {
      case 'message':
        return this.#readMessage(item, stamp);
      case 'reasoning': {
        const text = joinedText(item['summary']) || joinedText(item['content']);
        return text === ''
          ? ignored('reasoning (encrypted)')
          : this.#modelOutput({ type: 'thought', text }, text, stamp);
      }
      case 'function_call_output':
      case 'local_shell_call_output':
      case 'custom_tool_call_output':
      case 'tool_search_output': {
        this.#turns.toolResult(stamp);
        const { result, isError } = resultOf(item['output'] ?? JSON.stringify(item['tools']));
        const id = this.#idOf(`result:${callId ?? ''}`);
        return reading([{ ...stamp, id, type: 'tool_result', callId, result, isError }]);
      }
      default: {
        const call = itemCall(item);
        return call === undefined ? ignored(`response_item (${type})`) : this.#call(call, stamp);
      }
    }
  }

  #readMessage(item: JsonObject, stamp: Stamp): Reading {
    const text = joinedText(item['content']);
    const { role } = item;
    if (role === 'assistant' && text !== '') return this.#modelOutput({ type: 'content', text }, text, stamp);
    if (role !== 'user' || text === '' || !isWritten(item, text)) return ignored(`message (${nameOf(role)})`);
    const id = this.#idOf(textId(text));
    return reading([...this.#turns.finish(stamp, id), { ...stamp, id, type: 'prompt_started', text }]);
  }

  #modelOutput(event: { type: 'content' | 'thought'; text: string }, key: string, stamp: Stamp): Reading {
    const id = this.#idOf(textId(key));
    return reading([...this.#turns.output(stamp, id), { ...stamp, id, ...event }]);
  }

  #call({ id: callId, name, args }: ToolCall, stamp: Stamp): Reading {
    const id = this.#idOf(`call:${callId ?? ''}`);
    const call = { callId: callId ?? undefined, name, args: typeof args === 'string' ? args : { ...args } };
    return reading([...this.#turns.output(stamp, id), { ...stamp, id, type: 'tool_call_request', ...call }]);
  }

  /** The same count is reported again whenever rate limits change. */
  #readTokens(payload: JsonObject, stamp: Stamp): Reading {
    const info = objectOf(payload['info']);
    const { total_token_usage: totals } = info;
    const total = JSON.stringify(totals ?? null);
    const usage = usageOf(info['last_token_usage'] ?? difference(totals, this.#totalTokens));
    if (usage === undefined || total === this.#totalTokens) return ignored('event_msg (token_count)');
    this.#totalTokens = total;
    return reading(this.#turns.finish(stamp, this.#idOf(textId(total)), usage));
  }

  /** An event id: the root session, the key and how often the key has occurred, which is the same in every copy. */
  #idOf(key: string): string {
    const uses = (this.#uses.get(key) ?? 0) + 1;
    this.#uses.set(key, uses);
    return `${this.#root ?? this.#sessionId ?? ''}:${key}:${String(uses)}`;
  }
}

/** Whether the user has written a message with the user's role; recent versions name the author of each part. */
function isWritten(item: JsonObject, text: string): boolean {
  const { content_item_metadata: parts } = objectOf(item['internal_chat_message_metadata_passthrough']);
  const authors = listOf(parts).map((part) => objectOf(objectOf(part)['provenance'])['type']);
  return authors.some(Boolean) ? authors.includes('user') : !context.test(text);
}

/** An output is text, an object with text and a success flag, or JSON of either, depending on the version. */
function resultOf(output: unknown): { result: unknown; isError: boolean | undefined } {
  const value = typeof output === 'string' && output.startsWith('{') ? unwrapped(output) : output;
  if (isObject(value) && ('output' in value || 'content' in value)) {
    const code = numberOf(objectOf(value['metadata'])['exit_code']);
    const success = value['success'];
    const isError = typeof success === 'boolean' ? !success : code === undefined ? undefined : code !== 0;
    return { result: value['output'] ?? value['content'], isError };
  }
  const text = Array.isArray(output) ? joinedText(listOf(output)) : output;
  const code = typeof text === 'string' ? exitCode.exec(text.slice(0, HEAD_UNITS))?.[1] : undefined;
  return { result: text ?? '', isError: code === undefined ? undefined : code !== '0' };
}

/** What was added to the totals of a session: some versions report no more than these. */
function difference(totals: unknown, before: string): JsonObject | undefined {
  if (!isObject(totals)) return undefined;
  const earlier = objectOf(unwrapped(before));
  const added = Object.entries(totals).map(([name, count]): [string, unknown] => [
    name,
    Math.max(0, (numberOf(count) ?? 0) - (numberOf(earlier[name]) ?? 0)),
  ]);
  return Object.fromEntries(added);
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: numberOf(value['input_tokens']),
    outputTokens: numberOf(value['output_tokens']),
    cachedInputTokens: numberOf(value['cached_input_tokens']),
    reasoningTokens: numberOf(value['reasoning_output_tokens']),
  };
}
