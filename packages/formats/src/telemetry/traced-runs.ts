import type { AgentEvent } from '@loopwatch/contract';
import { Conversations } from '../record/conversation.ts';
import { type FormatReader, ignored, pending, type Reading, type SessionEvent } from '../record/format.ts';
import { isObject, type JsonObject, objectOf } from '../record/json.ts';
import type { Message, Usage } from '../record/message.ts';
import { NewPrompts } from '../record/new-prompts.ts';
import { messagesFrom } from '../wire/messages.ts';
import { toolMessageOf } from '../wire/tool-message.ts';
import { withToolSteps } from './tool-steps.ts';

/** A step of a trace, as exported by an observability platform. */
export interface TracedRun {
  readonly id: string;
  readonly sessionId: string;
  readonly traceId: string | undefined;
  /** `other` steps, such as chains, contain tool and model steps. */
  readonly kind: 'tool' | 'model' | 'other';
  /** Start time, epoch ms. */
  readonly time: number | undefined;
  readonly end: number | undefined;
  readonly name: string;
  readonly model: string | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly isError: boolean | undefined;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
}

/** Maximum buffered runs; beyond it, the earlier half is converted. */
const MAX_RUNS = 5000;

/**
 * Reads exported traces, whose runs come in any order, usually newest first. Buffers the runs until the end of the file or
 * request, and converts them in order of time. The calls of a session are its tool runs, or, if it has none, those in the
 * messages of its model runs.
 */
export class TracedRunReader implements FormatReader {
  readonly #read: (record: JsonObject) => TracedRun | undefined;
  readonly #typeOf: (record: JsonObject) => string;
  readonly #conversations = new Conversations();
  readonly #prompts = new NewPrompts();
  #runs: TracedRun[] = [];

  /**
   * @param read returns undefined for a record without a session id
   * @param typeOf returns the platform's type of a record
   */
  constructor(read: (record: JsonObject) => TracedRun | undefined, typeOf: (record: JsonObject) => string) {
    this.#read = read;
    this.#typeOf = typeOf;
  }

  read(record: JsonObject): Reading {
    const run = this.#read(record);
    if (run === undefined) return ignored(`${this.#typeOf(record)} without a session`);
    if (run.kind === 'other') return ignored(this.#typeOf(record));
    this.#runs.push(run);
    return this.#runs.length < MAX_RUNS ? pending : { events: this.#take(MAX_RUNS / 2), ignored: [] };
  }

  end(): readonly AgentEvent[] {
    return this.#take(this.#runs.length);
  }

  #take(count: number): readonly AgentEvent[] {
    const sorted = this.#runs.toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0));
    this.#runs = sorted.slice(count);
    const taken = sorted.slice(0, count);
    const withTools = new Set(taken.flatMap(({ kind, sessionId }) => (kind === 'tool' ? [sessionId] : [])));
    const events = taken.flatMap((run) => {
      if (run.kind === 'tool') return toolEvents(run);
      return withTools.has(run.sessionId)
        ? [...this.#promptBefore(run), ...modelEvents(run)]
        : this.#conversation(run);
    });
    return withToolSteps(events.toSorted((a, b) => Number(a.time ?? 0) - Number(b.time ?? 0)));
  }

  #promptBefore({ id, sessionId, traceId, time, input }: TracedRun): SessionEvent[] {
    const messages: readonly Message[] =
      typeof input === 'string' ? [{ role: 'user', text: input }] : messagesOf(input);
    const text = this.#prompts.in(messages, sessionId, traceId);
    return text === undefined ? [] : [{ sessionId, time, id: `${id}.prompt`, type: 'prompt_started', text }];
  }

  #conversation(run: TracedRun): SessionEvent[] {
    const { sessionId, time, model, usage, costUsd } = run;
    const answers = messagesOf(run.output).map(
      (message): Message => (message.role === 'assistant' ? { ...message, usage, costUsd } : message),
    );
    return this.#conversations.read([...messagesOf(run.input), ...answers], { sessionId, time, model });
  }
}

function toolEvents({ id, sessionId, time, end, name, input, output, isError }: TracedRun): SessionEvent[] {
  const stamp = { sessionId, time };
  const call = { ...stamp, id: `call:${id}`, type: 'tool_call_request', callId: id, name } as const;
  // An export may leave out what a run was given and what it gave; such a call differs from every other.
  const args = isObject(input) ? { ...input } : typeof input === 'string' ? input : { input };
  const made: SessionEvent = input === undefined ? { ...call, argsHash: id } : { ...call, args };
  if (output === undefined) return [made];
  const message = toolMessageOf(output);
  const outcome = {
    result: message === undefined ? (output ?? '') : message.result,
    isError: isError ?? message?.isError,
  };
  return [
    made,
    { sessionId, time: end ?? time, id: `result:${id}`, type: 'tool_result', callId: id, ...outcome },
  ];
}

function modelEvents({ id, sessionId, time, model, output, usage, costUsd }: TracedRun): SessionEvent[] {
  const stamp = { sessionId, time, model };
  const texts = messagesOf(output).flatMap((message, i): SessionEvent[] => {
    if (message.role !== 'assistant') return [];
    const { thought, text } = message;
    return [
      ...(thought === undefined
        ? []
        : [{ ...stamp, id: `${id}.thought${String(i)}`, type: 'thought' as const, text: thought }]),
      ...(text === undefined
        ? []
        : [{ ...stamp, id: `${id}.text${String(i)}`, type: 'content' as const, text }]),
    ];
  });
  return [
    { ...stamp, id: `${id}.turn`, type: 'turn_started' },
    ...texts,
    { ...stamp, id: `${id}.end`, type: 'turn_finished', usage, costUsd },
  ];
}

/** The messages of an input or output: a list, an object around one, one message, or a text. */
export function messagesOf(value: unknown): Message[] {
  if (typeof value === 'string')
    return value === '' ? [] : messagesFrom([{ role: 'assistant', content: value }]);
  if (Array.isArray(value)) return messagesFrom(value.flat().filter((one) => !isDefinition(one)));
  const { messages, generations, choices, message, output } = objectOf(value);
  if (Array.isArray(messages)) return messagesFrom(messages.flat());
  if (Array.isArray(generations))
    return messagesFrom(generations.flat().map((one: unknown) => objectOf(one)['message'] ?? one));
  if (Array.isArray(choices)) return messagesFrom(choices.map((one) => objectOf(one)['message']));
  if (Array.isArray(output)) return messagesFrom(output);
  if (isObject(message)) return messagesFrom([message]);
  return isObject(value) && 'role' in value ? messagesFrom([value]) : [];
}

/** Langfuse's callback for LangChain sends the definitions of tools as further messages. */
function isDefinition(value: unknown): boolean {
  const { role, content } = objectOf(value);
  return role === 'tool' && isObject(content) && content['type'] === 'function' && 'function' in content;
}
