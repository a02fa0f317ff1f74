import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { type JsonObject, nameOf, objectOf, textOf, timeOf, unwrapped } from '../record/json.ts';
import type { Usage } from '../record/message.ts';
import { textId } from '../record/text-id.ts';
import { Turns } from '../record/turns.ts';
import { costOf, usageBy } from './message-log.ts';

const usageNames = { input: 'tokensIn', output: 'tokensOut', read: 'cacheReads', write: 'cacheWrites' };
/** Types of messages that hold a call, with the tool's name if they do not. */
const calls: ReadonlyMap<string, string> = new Map([
  ['command', 'execute_command'],
  ['tool', 'tool'],
  ['use_mcp_server', 'use_mcp_tool'],
  ['browser_action', 'browser_action'],
]);
/** Types of messages that hold a result of the latest call. */
const results = new Set(['command_output', 'mcp_server_response', 'browser_action_result']);

/**
 * Cline, Roo Code and Kilo Code: the messages that they show (`ui_messages.json`). Those of tools lack most results, unlike
 * `api_conversation_history.json` beside it, which is a list of chat messages. Source: cline/cline `src/shared/ExtensionMessage.ts`.
 */
export const cline: Format = {
  name: 'cline',
  title: 'the messages that Cline, Roo Code or Kilo Code show',
  keys: ['ts', 'type', 'say', 'ask', 'text', 'partial', 'conversationHistoryIndex'],
  recognizes: ({ ts, type, say, ask }) =>
    typeof ts === 'number' &&
    ((type === 'say' && typeof say === 'string') || (type === 'ask' && typeof ask === 'string')),
  createReader: (session) => new ClineReader(session),
};

class ClineReader implements FormatReader {
  readonly #sessionId: string | undefined;
  readonly #turns = new Turns();
  #usage: { readonly usage: Usage | undefined; readonly costUsd: number | undefined } | undefined;
  #callId: string | undefined;
  /** Pieces of the result of the latest call. */
  #output: { readonly stamp: Stamp; readonly texts: string[]; isError: boolean } | undefined;

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['say'] ?? record['ask']);
    const text = textOf(record['text']) ?? '';
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    if (record['partial'] === true) return ignored(`${type} (partial)`);
    const stamp: Stamp = { sessionId: this.#sessionId, time: timeOf(record['ts']) };
    const isFailure = type === 'error' && this.#callId !== undefined;
    if (results.has(type) || isFailure) return this.#addOutput(stamp, text, isFailure);
    const before = this.#flush();
    const events = this.#read(type, text, stamp, textId(JSON.stringify(record)));
    if (events.length + before.length === 0) return ignored(type);
    return reading([...before, ...events]);
  }

  end(): SessionEvent[] {
    return [...this.#flush(), ...this.#finish()];
  }

  #read(type: string, text: string, stamp: Stamp, id: string): SessionEvent[] {
    const callName = calls.get(type);
    if (callName !== undefined) {
      this.#callId = id;
      const { name, args } = callOf(type, callName, text);
      return [
        ...this.#turns.output(stamp, id),
        { ...stamp, id, type: 'tool_call_request', callId: id, name, args },
      ];
    }
    switch (type) {
      case 'task':
      case 'user_feedback':
        return [...this.#finish(stamp), { ...stamp, id, type: 'prompt_started', text }];
      case 'api_req_started': {
        const finished = this.#finish(stamp);
        const facts = objectOf(unwrapped(text));
        this.#usage = { usage: usageBy(facts, usageNames), costUsd: costOf(facts['cost']) };
        return [...finished, ...this.#turns.output(stamp, id)];
      }
      case 'text':
      case 'completion_result':
        return text === '' ? [] : [...this.#turns.output(stamp, id), { ...stamp, id, type: 'content', text }];
      case 'reasoning':
        return text === '' ? [] : [...this.#turns.output(stamp, id), { ...stamp, id, type: 'thought', text }];
      default:
        return [];
    }
  }

  #addOutput(stamp: Stamp, text: string, isError: boolean): Reading {
    this.#output ??= { stamp, texts: [], isError };
    this.#output.texts.push(text);
    this.#output.isError ||= isError;
    return { events: [], ignored: [], isPending: true };
  }

  /** The result of the latest call, once it is complete. */
  #flush(): SessionEvent[] {
    const output = this.#output;
    const callId = this.#callId;
    this.#output = undefined;
    if (output === undefined || callId === undefined) return [];
    this.#callId = undefined;
    this.#turns.toolResult(output.stamp);
    return [
      {
        ...output.stamp,
        id: `${callId}.result`,
        type: 'tool_result',
        callId,
        result: output.texts.join('\n'),
        isError: output.isError ? true : undefined,
      },
    ];
  }

  #finish(stamp?: Stamp): SessionEvent[] {
    const finished = stamp === undefined ? this.#turns.end() : this.#turns.finish(stamp, undefined);
    const usage = this.#usage;
    if (finished.length > 0) this.#usage = undefined;
    return finished.map((event) => ({ ...event, ...usage }));
  }
}

/** The call in a message: a command, or the facts of a tool as JSON. */
function callOf(type: string, name: string, text: string): { name: string; args: Record<string, unknown> } {
  if (type === 'command') return { name, args: { command: text } };
  const { tool, toolName, serverName, arguments: inner, ...facts } = objectOf(unwrapped(text));
  if (type === 'use_mcp_server')
    return { name: textOf(toolName) ?? name, args: { serverName, arguments: unwrapped(inner) } };
  return { name: textOf(tool) ?? name, args: facts };
}
