/** A request to a model and its answer, as all APIs mean them; each API's own file reads and writes its spelling. */

/** Parsed JSON of an object. */
export type Json = Readonly<Record<string, unknown>>;

/** A tool call that a model asks for. */
export interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  /** An object, or the text that the model wrote. */
  readonly args: Json | string;
}

/** One step of a conversation's history. */
export type Item =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: 'result';
      readonly callId: string | null;
      readonly result: unknown;
      /** Undefined where the API does not say: the result itself may. */
      readonly isError?: boolean;
    };

/** What a body names a conversation by. None of these proves one: several conversations may share it. */
export interface SessionNames {
  /** Of the request's metadata. */
  readonly session: string | null;
  /** OpenAI's hint for its cache, which some clients make of their session, and others keep constant. */
  readonly cacheKey: string | null;
  /** A conversation that the API keeps. */
  readonly conversation: string | null;
}

/** A request's history and what else decides how it is treated. */
export interface Conversation {
  readonly model: string | null;
  readonly stream: boolean;
  readonly items: readonly Item[];
  /** What the body says of whose it is; null where it says nothing. */
  readonly names: SessionNames;
  /** The answer that this request goes on from, where the API keeps the history. */
  readonly previous: string | null;
  /** Whether the API knows what was before, so that a request holds only what is new. */
  readonly keepsHistory: boolean;
}

export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A model's answer. */
export interface Reply {
  /** The API's own id of it. */
  readonly id: string | null;
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage | null;
  readonly finishReason: string | null;
}

/** Why an answer of the gateway's own ends. */
export type StopReason = 'error' | 'stop' | 'max_turn_requests';

/** An answer of the gateway's own, in place of the model's or of its rest. */
export interface OwnAnswer {
  /** Part of the id that the API gives to answers. */
  readonly id: string;
  readonly text: string;
  readonly stop: StopReason;
  /** What a program may want to know of the reason. */
  readonly details?: Json;
}

/** Who guidance comes from. */
export type GuidanceAs = 'tool' | 'assistant';

/** What the model is told about a call of its answer that was not made. */
export interface Guidance {
  readonly text: string;
  readonly as: GuidanceAs;
  /** Index of the call that is meant, among those of the answer. */
  readonly call: number;
  /** How many of the calls before it are on their way to the client already. */
  readonly made: number;
}

const notMade =
  'This call was not made, because another call of the same answer was not. Call again if you still need it.';
const beingMade = 'This call is being made; its result follows later.';

/** What a call of an answer is told of which another one is not made. @param index of the call */
export function told({ text, call, made }: Guidance, index: number): string {
  if (index === call) return text;
  return index < made ? beingMade : notMade;
}

/** What follows guidance as the assistant where a conversation may not end with it. */
export const goOn = 'Please go on, and take this into account.';
