import type { KnownEvent } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { canonicalArguments, canonicalJson } from '../../lib/canonical-json.ts';
import { Excerpt, type ExcerptSnapshot } from './excerpt.ts';

/** Maximum stored messages per turn: half of them the first, half the latest. */
const MAX_MESSAGES = 24;
const MAX_NAME = 100;
/** Minimum units of a truncated message in a finished turn. */
const MIN_UNITS = 31;

export type MessageKind = 'answer' | 'reasoning' | 'call' | 'result';

/** One message of a turn. */
export interface Message {
  readonly kind: MessageKind;
  readonly callId: string | null;
  /** The tool of a call. */
  readonly name: string | null;
  readonly isError: boolean;
  readonly text: Excerpt;
}

/** One turn of the prompt; turn 0 holds what precedes the first. */
export interface Turn {
  readonly number: number;
  /** The session at the start of the turn. */
  readonly mark: Mark;
  messages: Message[];
  /** Number of messages in the middle that were dropped. */
  leftOut: number;
}

export interface HistoryOptions {
  readonly historyTurns: number;
  /**
   * Maximum shown units of all stored texts together; as many hidden units may be stored in addition. The current turn
   * may exceed this until it ends.
   */
  readonly maxCharacters: number;
}

/** Records an event. The session's mark before it is computed only if the event starts a turn. */
interface Noted {
  readonly event: KnownEvent;
  mark(): Mark;
}

/** The excerpt of a session shown to a model: the request and the last turns, in bounded memory. */
export class TurnHistory {
  readonly #options: HistoryOptions;
  request: Excerpt | undefined;
  turns: Turn[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  startPrompt(text: string | null | undefined): void {
    this.request = typeof text === 'string' ? Excerpt.of(text) : undefined;
    this.turns = [];
  }

  startTurn(number: number, mark: Mark): void {
    const last = this.turns.at(-1);
    if (last !== undefined) this.#compact(last);
    this.turns.push({ number, mark, messages: [], leftOut: 0 });
    while (this.turns.length > this.#options.historyTurns) this.turns.shift();
  }

  note(step: Noted): void {
    const { event } = step;
    switch (event.type) {
      case 'content':
        this.#append('answer', event.text, step);
        break;
      case 'thought':
        this.#append('reasoning', event.text, step);
        break;
      case 'tool_call_request': {
        const text = Excerpt.of(canonicalArguments(event.args));
        const name = event.name.slice(0, MAX_NAME);
        this.#add({ kind: 'call', callId: event.callId ?? null, name, isError: false, text }, step);
        break;
      }
      case 'tool_result': {
        const text = Excerpt.of(resultText(event.result));
        const isError = event.isError === true;
        this.#add({ kind: 'result', callId: event.callId ?? null, name: null, isError, text }, step);
        break;
      }
      case 'retry': {
        const turn = this.turns.at(-1);
        if (turn !== undefined) Object.assign(turn, { messages: [], leftOut: 0 });
        break;
      }
      default:
    }
  }

  #append(kind: 'answer' | 'reasoning', text: string, step: Noted): void {
    const last = this.turns.at(-1)?.messages.at(-1);
    if (last?.kind === kind) last.text.append(text);
    else this.#add({ kind, callId: null, name: null, isError: false, text: Excerpt.of(text) }, step);
  }

  #add(message: Message, step: Noted): void {
    if (this.turns.length === 0) this.turns.push({ number: 0, mark: step.mark(), messages: [], leftOut: 0 });
    const turn = this.turns.at(-1) as Turn;
    turn.messages.push(message);
    if (turn.messages.length <= MAX_MESSAGES) return;
    turn.messages.splice(MAX_MESSAGES / 2, 1);
    turn.leftOut += 1;
  }

  /** Truncates the messages of a finished turn until they fit its share, independent of how they were chunked. */
  #compact({ messages }: Turn): void {
    const share = Math.max(
      this.#options.maxCharacters / this.#options.historyTurns,
      MIN_UNITS * MAX_MESSAGES,
    );
    const kept = (limit: number): number =>
      messages.reduce((sum, { text }) => sum + Math.min(text.length, limit), 0);
    let limit = share;
    while (limit / 2 >= MIN_UNITS && kept(limit) > share) limit /= 2;
    for (const { text } of messages) text.shrink(Math.floor(limit));
  }

  snapshot(): HistorySnapshot {
    const turns = this.turns.map((turn) => ({
      ...turn,
      messages: turn.messages.map((message) => ({ ...message, text: message.text.snapshot() })),
    }));
    return { request: this.request?.snapshot() ?? null, turns };
  }

  restore({ request, turns }: HistorySnapshot): void {
    this.request = request === null ? undefined : Excerpt.restore(request);
    this.turns = turns.map((turn) => ({
      ...turn,
      messages: turn.messages.map((message) => ({ ...message, text: Excerpt.restore(message.text) })),
    }));
  }
}

function resultText(result: unknown): string {
  if (result === undefined || result === null) return '';
  return typeof result === 'string' ? result : canonicalJson(result);
}

export interface HistorySnapshot {
  readonly request: ExcerptSnapshot | null;
  readonly turns: readonly (Omit<Turn, 'messages'> & {
    readonly messages: readonly (Omit<Message, 'text'> & { readonly text: ExcerptSnapshot })[];
  })[];
}
