import { createHash } from 'node:crypto';
import type { AgentEvent, KnownEvent } from '@loopwatch/contract';
import { boundedText } from '../api/bounded.ts';
import type { Item, SyntheticReply } from '../api/conversation.ts';
import { limitedResult, remembered } from '../api/json.ts';

/** A message of a conversation, in stored form. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly { readonly id: string | null; readonly name: string; readonly args: string }[];
  /** Of a tool's result. */
  readonly callId?: string | null;
  readonly isError?: boolean;
  readonly finishReason?: string | null;
  readonly usage?: unknown;
  readonly model?: string | null;
  /** Whether the gateway sent it, not the model. */
  readonly byGateway?: boolean;
}

/** A request repeats the system prompt of the one before it. */
const hashOfSystem = remembered(({ text }: { readonly text: string }) =>
  createHash('sha256').update(boundedText(text)).digest('base64'),
);

interface OpenReply {
  text: string;
  thought: string;
  calls: { id: string | null; name: string; args: string }[];
}

/** Assembles messages from a session's events, each message once. */
export class Transcript {
  #messages: Message[] = [];
  #reply: OpenReply | undefined;
  /** Hash of the latest system prompt. */
  system = '';

  /** Messages since the last call. */
  take(): readonly Message[] {
    return this.#messages.splice(0);
  }

  addSystem(items: readonly Item[]): void {
    const parts = items.flatMap((item) => (item.role === 'system' ? [item] : []));
    const [first] = parts;
    if (first === undefined) return;
    const whole = parts.length === 1 ? first : { ...first, text: parts.map(({ text }) => text).join('\n\n') };
    const hash = hashOfSystem(whole);
    if (whole.text === '' || hash === this.system) return;
    this.system = hash;
    this.#messages.push({ role: 'system', text: boundedText(whole.text) });
  }

  /** A user message that only the gateway got. */
  addUserMessage(text: string): void {
    this.#messages.push({ role: 'user', text });
  }

  addSyntheticReply({ text, stop }: SyntheticReply): void {
    this.#finish({});
    this.#messages.push({ role: 'assistant', text, finishReason: stop, byGateway: true });
  }

  addEvent(given: AgentEvent): void {
    const event = given as KnownEvent;
    switch (event.type) {
      case 'prompt_started':
        this.#finish({});
        this.#messages.push({ role: 'user', text: event.text ?? '' });
        break;
      case 'turn_started':
        this.#finish({});
        break;
      case 'content':
        this.#openReply().text += event.text;
        break;
      case 'thought':
        this.#openReply().thought += event.text;
        break;
      case 'tool_call_request':
        this.#openReply().calls.push({
          id: event.callId ?? null,
          name: event.name,
          args: textOf(event.args),
        });
        break;
      case 'tool_result': {
        this.#finish({});
        const { callId = null, result, isError } = event;
        const about = { callId, ...(isError != null && { isError }) };
        this.#messages.push({ role: 'tool', text: textOf(result), ...about });
        break;
      }
      case 'turn_finished': {
        const { finishReason = null, usage, model = null } = event;
        this.#finish({ finishReason, model, ...(usage != null && { usage }) });
        break;
      }
      case 'retry':
        this.#reply = undefined;
        break;
      default:
    }
  }

  /** Adds the reached limit to the last result, as the model gets it. */
  addLimit(message: string): void {
    const at = this.#messages.findLastIndex(({ role }) => role === 'tool');
    const result = this.#messages[at];
    if (result !== undefined) this.#messages[at] = { ...result, text: limitedResult(result.text, message) };
  }

  #openReply(): OpenReply {
    this.#reply ??= { text: '', thought: '', calls: [] };
    return this.#reply;
  }

  #finish(about: Partial<Message>): void {
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply === undefined) return;
    const { text, thought, calls } = reply;
    this.#messages.push({
      role: 'assistant',
      text,
      ...(thought !== '' && { thought }),
      ...(calls.length > 0 && { calls }),
      ...about,
    });
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
