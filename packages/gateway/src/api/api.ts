import type { ApiKind } from '../http/api-error.ts';
import type { SseEvent } from '../stream/sse.ts';
import type {
  Conversation,
  Guidance,
  GuidanceAs,
  Json,
  OwnAnswer,
  Reply,
  ToolCall,
  Usage,
} from './conversation.ts';

/** An API that the gateway understands: how its requests and answers are read and written. */
export interface Api {
  readonly kind: Exclude<ApiKind, 'other'>;
  /** Name of the backend in logs and settings where none is configured. */
  readonly backend: string;
  /** @returns undefined where the body is no request of this API; then it is passed on as it is */
  readRequest(body: Json): Conversation | undefined;
  /** @returns undefined where the body is no answer of this API */
  readReply(body: Json): Reply | undefined;
  /** The request with every text of the user run through a function; a message left without any is taken out. */
  withUserTexts(body: Json, edit: (text: string) => string, isOwnAnswer: (text: string) => boolean): Json;
  /** The request once more, with the answer whose call was not made and what the model is told about it. */
  withGuidance(body: Json, reply: Json, guidance: Guidance): Json;
  /** The request with something said to the model behind its last tool result. */
  withNote(body: Json, text: string, as: GuidanceAs): Json;
  /** The request with the last tool result saying that the limit is reached, and without a choice of tools. */
  withLimit(body: Json, message: string): Json;
  /** An answer of the gateway's own. */
  answer(body: Json, answer: OwnAnswer, usage: Json | null): Json;
  /**
   * Where the API keeps the history: a request that goes on from an answer of the gateway's own, which the API does not
   * know, as one that goes on from what was before it.
   *
   * @param earlier the request that was answered here
   * @param told the answer; null where the model is not to hear of it
   */
  withEarlier?(body: Json, earlier: Json, told: string | null): Json;
  /**
   * Where the API keeps the history: a request that goes on from an answer, and says nothing yet.
   *
   * @param body the request that was answered
   * @returns null where nothing can go on from the answer, because the request keeps its history itself
   */
  requestAfter?(answerId: string, body: Json): Json | null;
  stream(body: Json): ApiStream;
}

/** What an event of a stream adds. */
export interface StreamNews {
  readonly text?: string;
  readonly thought?: string;
  /** The event belongs to a tool call: it and what follows is held back until the call is complete and judged. */
  readonly holds?: boolean;
  /** The answer is complete, its usage included. */
  readonly ends?: boolean;
}

/** One streamed answer: reads its events, and can end or go on in the upstream's place. */
export interface ApiStream {
  read(event: SseEvent): StreamNews;
  /** What the client has got: events that were read, but not held back. */
  passed(event: SseEvent): void;
  readonly id: string | null;
  readonly calls: readonly ToolCall[];
  /** How many of the calls, from the first on, are known to be complete. */
  readonly completeCalls: number;
  readonly usage: Usage | null;
  /** Usage as the API reports it; null where it has not come. */
  readonly rawUsage: Json | null;
  readonly finishReason: string | null;
  /**
   * The answer so far as a whole, as far as {@link Api.withGuidance} needs it.
   *
   * @param calls how many of its calls are taken
   */
  reply(calls: number): Json;
  /**
   * Events that end the stream with words of the gateway's own.
   *
   * @param usage of all answers that were paid for; null where it is not known
   */
  finish(answer: OwnAnswer, usage: Json | null): string;
  /** Events that go on with an answer that was taken as a whole, and end the stream. */
  continueWith(reply: Json): string;
  /** An event of another answer as one that goes on with this stream, what has to come before it included. */
  continued(event: SseEvent): string;
  /** Where the API keeps the history: the request with the calls that the client has got, since it sends their results. */
  withPassedCalls?(body: Json): Json;
}
