import {
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, nameOf, numberOf, objectOf, textOf } from '../record/json.ts';
import { Turns } from '../record/turns.ts';

const types = new Set(['thread.started', 'turn.started', 'turn.completed', 'turn.failed']);
const itemTypes = new Set(['item.started', 'item.updated', 'item.completed']);

/** Whether a record is an event of `codex exec --json`. */
export function isExecEvent(record: JsonObject): boolean {
  const type = nameOf(record['type']);
  if (itemTypes.has(type)) return isObject(record['item']);
  return types.has(type) && !('payload' in record) && !('properties' in record);
}

/** The tool call of an item, and its outcome. */
interface ItemCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly result: unknown;
  readonly isError: boolean;
}

/**
 * Reads the events of `codex exec --json`. The start and the completion of an item are one call. Events have no time, and no
 * ids either, because item ids restart at 0 in each process.
 */
export class CodexExecReader implements FormatReader {
  #sessionId: string | undefined;
  readonly #turns = new Turns();
  readonly #started = new Set<string>();

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    if (type === 'thread.started') this.#sessionId = textOf(record['thread_id']) ?? this.#sessionId;
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    const stamp = { sessionId: this.#sessionId, agent: 'codex' };
    if (type === 'turn.started') return reading([{ ...stamp, type: 'prompt_started' }]);
    if (type === 'turn.completed') {
      const usage = objectOf(record['usage']);
      const counts = {
        inputTokens: numberOf(usage['input_tokens']),
        outputTokens: numberOf(usage['output_tokens']),
        cachedInputTokens: numberOf(usage['cached_input_tokens']),
        reasoningTokens: numberOf(usage['reasoning_output_tokens']),
      };
      return reading(this.#turns.finish(stamp, undefined, counts));
    }
    return itemTypes.has(type) ? this.#readItem(type, objectOf(record['item']), stamp) : ignored(type);
  }

  end(): SessionEvent[] {
    return this.#turns.end();
  }

  #readItem(type: string, item: JsonObject, stamp: Stamp): Reading {
    const kind = nameOf(item['type']);
    const callId = textOf(item['id']);
    const isOver = type === 'item.completed';
    const text = textOf(item['text']);
    if ((kind === 'agent_message' || kind === 'reasoning') && isOver && text !== undefined) {
      const eventType = kind === 'reasoning' ? 'thought' : 'content';
      return reading([...this.#turns.output(stamp, undefined), { ...stamp, type: eventType, text }]);
    }
    const call = callOf(kind, item);
    if (call === undefined || type === 'item.updated') return ignored(`${type} (${kind})`);
    const { name, args, result, isError } = call;
    const events: SessionEvent[] = [];
    if (!this.#started.has(callId ?? '')) {
      events.push(...this.#turns.output(stamp, undefined), {
        ...stamp,
        type: 'tool_call_request',
        callId,
        name,
        args,
      });
      this.#started.add(callId ?? '');
    }
    if (isOver) {
      this.#turns.toolResult(stamp);
      this.#started.delete(callId ?? '');
      events.push({ ...stamp, type: 'tool_result', callId, result, isError });
    }
    return reading(events);
  }
}

function callOf(kind: string, item: JsonObject): ItemCall | undefined {
  const isError = item['status'] === 'failed' || item['status'] === 'declined';
  switch (kind) {
    case 'command_execution': {
      const code = numberOf(item['exit_code']);
      const hasFailed = code === undefined ? isError : code !== 0;
      const result = item['aggregated_output'] ?? '';
      return { name: 'command_execution', args: { command: item['command'] }, result, isError: hasFailed };
    }
    case 'mcp_tool_call': {
      const name = [textOf(item['server']), textOf(item['tool'])].filter(Boolean).join('__');
      const result = item['error'] ?? item['result'] ?? '';
      return {
        name,
        args: { ...objectOf(item['arguments']) },
        result,
        isError: isError || isObject(item['error']),
      };
    }
    case 'file_change':
      return {
        name: 'apply_patch',
        args: { changes: item['changes'] },
        result: item['status'] ?? '',
        isError,
      };
    case 'web_search':
      return { name: 'web_search', args: { query: item['query'] }, result: undefined, isError };
    default:
      return undefined;
  }
}
