import { createHash } from 'node:crypto';
import type { AgentEvent, KnownEvent } from '@loopwatch/contract';
import type { Item, OwnAnswer } from '../api/conversation.ts';
import { limitedResult } from '../api/json.ts';

/** A message of a conversation, as it is stored. */
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
  /** Said by the gateway, not by the model. */
  readonly byGateway?: boolean;
}

interface Answer {
  text: string;
  thought: string;
  calls: { id: string | null; name: string; args: string }[];
}

/** Puts messages together from what a session sees, each of them once. */
export class Transcript {
  private messages: Message[] = [];
  private answer: Answer | undefined;
  /** Hash of the system prompt that was noted last. */
  system = '';

  /** The messages since the last time. */
  take(): readonly Message[] {
    return this.messages.splice(0);
  }

  noteSystem(items: readonly Item[]): void {
    const text = items.flatMap((item) => (item.role === 'system' ? [item.text] : [])).join('\n\n');
    if (text === '') return;
    const hash = createHash('sha256').update(text).digest('base64');
    if (hash === this.system) return;
    this.system = hash;
    this.messages.push({ role: 'system', text });
  }

  /** What the user said to the gateway. */
  noteUser(text: string): void {
    this.messages.push({ role: 'user', text });
  }

  noteOwn({ text, stop }: OwnAnswer): void {
    this.finish({});
    this.messages.push({ role: 'assistant', text, finishReason: stop, byGateway: true });
  }

  noteEvent(given: AgentEvent): void {
    const event = given as KnownEvent;
    switch (event.type) {
      case 'prompt_started':
        this.finish({});
        this.messages.push({ role: 'user', text: event.text ?? '' });
        break;
      case 'turn_started':
        this.finish({});
        break;
      case 'content':
        this.begun().text += event.text;
        break;
      case 'thought':
        this.begun().thought += event.text;
        break;
      case 'tool_call_request':
        this.begun().calls.push({ id: event.callId ?? null, name: event.name, args: textOf(event.args) });
        break;
      case 'tool_result': {
        this.finish({});
        const { callId = null, result, isError } = event;
        const about = { callId, ...(isError != null && { isError }) };
        this.messages.push({ role: 'tool', text: textOf(result), ...about });
        break;
      }
      case 'turn_finished': {
        const { finishReason = null, usage, model = null } = event;
        this.finish({ finishReason, model, ...(usage != null && { usage }) });
        break;
      }
      case 'retry':
        this.answer = undefined;
        break;
      default:
    }
  }

  /** The last result says that the limit is reached, as the model gets it. */
  noteLimit(message: string): void {
    const at = this.messages.findLastIndex(({ role }) => role === 'tool');
    const result = this.messages[at];
    if (result !== undefined) this.messages[at] = { ...result, text: limitedResult(result.text, message) };
  }

  private begun(): Answer {
    this.answer ??= { text: '', thought: '', calls: [] };
    return this.answer;
  }

  private finish(about: Partial<Message>): void {
    const { answer } = this;
    this.answer = undefined;
    if (answer === undefined) return;
    const { text, thought, calls } = answer;
    this.messages.push({
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
