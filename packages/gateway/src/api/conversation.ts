import type { ToolCall } from '@loopwatch/formats/wire';

/** Requests to models and their replies, independent of the API. */

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

export type { Answer as Reply, ToolCall } from '@loopwatch/formats/wire';

/** One step of a conversation's history. */
export type Item =
  | { readonly role: 'system' | 'user'; readonly text: string }
  /** A text in the same message as results. */
  | { readonly role: 'note'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: 'result';
      readonly callId: string | null;
      readonly result: unknown;
      /** Undefined if the API does not say; the result itself may. */
      readonly isError?: boolean;
    };

/** Names of a conversation in a request body. Several conversations may share any of them. */
export interface SessionNames {
  /** From the request's metadata. */
  readonly session: string | null;
  /** OpenAI's `prompt_cache_key`: some clients set it per session, others keep it constant. */
  readonly cacheKey: string | null;
  /** A conversation stored by the API. */
  readonly conversation: string | null;
}

/** A parsed request. */
export interface Conversation {
  readonly model: string | null;
  readonly stream: boolean;
  readonly items: readonly Item[];
  /** Names of the conversation in the body. */
  readonly names: SessionNames;
  /** Id of the reply that this request continues from, if the API keeps the history. */
  readonly previous: string | null;
  /** Whether the API keeps the history, so that the request has only new items. */
  readonly keepsHistory: boolean;
}

/** Finish reason of a synthetic reply. */
export type StopReason = 'error' | 'stop' | 'max_turn_requests';

/** A reply that the gateway sends instead of the model's, or of the rest of it. */
export interface SyntheticReply {
  /** Random part of the reply's id. */
  readonly id: string;
  readonly text: string;
  readonly stop: StopReason;
  /** The reason, for programs. */
  readonly details?: Json;
}

/** The role in which guidance is given to the model. */
export type GuidanceAs = 'tool' | 'assistant';

/** What the model is told about a call that was not made. */
export interface Guidance {
  readonly text: string;
  readonly as: GuidanceAs;
  /** Index of the call among those of the reply. */
  readonly call: number;
  /** How many earlier calls of the reply the client has already received. */
  readonly sentCalls: number;
}

const notMade =
  'This call was not made, because another call of the same answer was not. Call again if you still need it.';
const beingMade = 'This call is being made; its result follows later.';

/** The result for each call of a reply with a blocked call. @param index index of the call in the reply */
export function guidanceFor({ text, call, sentCalls }: Guidance, index: number): string {
  if (index === call) return text;
  return index < sentCalls ? beingMade : notMade;
}

/** Follows guidance in the assistant's role if the API does not allow a conversation to end with it. */
export const continuePrompt = 'Please go on, and take this into account.';

/** Guidance in the assistant's role, as messages. */
export function asAssistant(content: string): Json[] {
  return [
    { role: 'assistant', content },
    { role: 'user', content: continuePrompt },
  ];
}
