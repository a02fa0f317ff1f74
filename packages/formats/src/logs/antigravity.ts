import { type Format, type FormatReader, ignored, type Reading, reading } from '../record/format.ts';
import { type JsonObject, listOf, nameOf, numberOf, objectOf, textOf, timeOf } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { MessageLog } from '../record/message-log.ts';
import { usageBy } from './message-log.ts';

const usageNames = {
  input: 'input_tokens',
  output: 'output_tokens',
  read: 'cached_content_token_count',
  write: '',
};
/** Steps of the program that answer no call. */
const NOTES = /^(?:CONVERSATION_HISTORY|CHECKPOINT|EPHEMERAL_MESSAGE|KNOWLEDGE_ARTIFACTS|SYSTEM_MESSAGE)$/;
/** Times above what a tool returned. */
const TIMES = /^(?:(?:Created|Completed) At: [^\n]*\n)+\n?/;
const FAILED = /^\s*The command failed with exit code: [1-9]/;
const REQUEST = /^\s*<USER_REQUEST>\n?([^]*?)\n?<\/USER_REQUEST>/;

/**
 * Antigravity CLI, the successor of Gemini CLI: the steps of a conversation
 * (`~/.gemini/antigravity-cli/brain/ID/.system_generated/logs/transcript_full.jsonl`). The model's steps have its calls, and each
 * call is answered by one of the next steps, in the same order. Source: a recorded session of version 1.0 in nizos/probity.
 */
export const antigravity: Format = {
  name: 'antigravity',
  title: 'an Antigravity CLI transcript',
  keys: ['step_index', 'source', 'type', 'status', 'created_at', 'content', 'tool_calls'],
  recognizes: ({ step_index: index, type, created_at: at }) =>
    typeof index === 'number' && typeof type === 'string' && at !== undefined,
  createReader: (session) => new AntigravityReader(session),
};

class AntigravityReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #log = new MessageLog();
  /** Ids of the calls of the latest model's step that are not answered yet. */
  #open: readonly string[] = [];
  /** The calls that steps answer which have begun, by the index of the step. */
  readonly #begun = new Map<number | undefined, string>();

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    if (this.#session === undefined) return ignored(`${type} without a session`);
    const message = this.#messageOf(type, record);
    if (message === undefined) return ignored(type);
    const stamp = { sessionId: this.#session, time: timeOf(record['created_at']), agent: 'antigravity' };
    return reading(this.#log.read([message], stamp, idOf(record)));
  }

  end(): [] {
    return [];
  }

  #messageOf(type: string, record: JsonObject): Message | undefined {
    const text = textOf(record['content']) ?? textOf(objectOf(record['content'])['text']) ?? '';
    const isRunning = record['status'] === 'RUNNING';
    if (type === 'USER_INPUT') {
      this.#open = [];
      const origin = record['source'] === 'SYSTEM' ? 'harness' : undefined;
      return { role: 'user', text: REQUEST.exec(text)?.[1] ?? text, origin };
    }
    if (type === 'PLANNER_RESPONSE') {
      if (isRunning) return undefined;
      const calls = listOf(record['tool_calls']).map((value, i) => {
        const { name, args } = objectOf(value);
        return { id: `${idOf(record)}.${String(i)}`, name: textOf(name) ?? '', args: { ...objectOf(args) } };
      });
      this.#open = calls.map(({ id }) => id);
      const thought = textOf(record['thinking']);
      const usage = usageBy(record['usage'], usageNames);
      return { role: 'assistant', thought, text: text === '' ? undefined : text, calls, usage };
    }
    if (NOTES.test(type)) return undefined;
    const index = numberOf(record['step_index']);
    const id = this.#begun.get(index) ?? this.#open[0];
    if (id === undefined) return undefined;
    if (!this.#begun.has(index)) this.#open = this.#open.slice(1);
    if (isRunning) {
      this.#begun.set(index, id);
      return undefined;
    }
    this.#begun.delete(index);
    const result = text.replace(TIMES, '');
    const isError = type === 'ERROR_MESSAGE' || record['error'] !== undefined || FAILED.test(result);
    return { role: 'tool', results: [{ id, result, isError: isError ? true : undefined }] };
  }
}

/** Unique in its conversation: indexes of steps can start again after a rewind. */
function idOf(record: JsonObject): string {
  return `${String(numberOf(record['step_index']) ?? '')}@${String(timeOf(record['created_at']) ?? '')}`;
}
