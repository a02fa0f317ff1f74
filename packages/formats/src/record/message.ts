import type { KnownEvent } from '@loopwatch/contract';
import type { JsonObject } from './json.ts';

/** A tool call that a model requests. */
export interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  /** An object, or the raw text from the model. */
  readonly args: JsonObject | string;
  /** Whether the record leaves them out: two such calls need not be the same. */
  readonly hasUnknownArgs?: boolean;
}

/** The result of a tool call. */
export interface ToolResult {
  /** Id of the call. */
  readonly id: string | null;
  readonly result: unknown;
  /** Undefined if the API does not say; the result itself may. */
  readonly isError?: boolean | undefined;
}

export type Usage = NonNullable<Extract<KnownEvent, { type: 'turn_finished' }>['usage']>;

/** A message of a conversation, independent of the API. Its time is in epoch ms; undefined if it is that of its record. */
export type Message = { readonly time?: number | undefined } & (
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly origin?: 'harness' | undefined }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }
  | {
      readonly role: 'assistant';
      /** Name of the agent, in a conversation of several. */
      readonly agent?: string | undefined;
      readonly thought?: string | undefined;
      readonly text?: string | undefined;
      readonly calls: readonly ToolCall[];
      readonly usage?: Usage | undefined;
      readonly costUsd?: number | undefined;
    }
);

export type UserMessage = Extract<Message, { role: 'user' }>;

export type AssistantMessage = Extract<Message, { role: 'assistant' }>;
