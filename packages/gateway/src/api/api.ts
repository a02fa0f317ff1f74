import type { StreamedAnswer } from '@loopwatch/formats/wire';
import type { ApiKind } from '../http/api-error.ts';
import type { Conversation, Guidance, GuidanceAs, Json, Reply, SyntheticReply } from './conversation.ts';
import type { Framing } from './framing.ts';
import type { StreamEvent } from './stream-event.ts';

/** An API that the gateway supports: how to read and write its requests and replies. */
export interface Api {
  readonly kind: Exclude<ApiKind, 'other'>;
  /** Default name of the backend in logs and settings. */
  readonly backend: string;
  /** Key of the list with the history in a request. */
  readonly historyKey: 'messages' | 'input' | 'contents';
  /** Key of the usage in a reply. */
  readonly usageKey: 'usage' | 'usageMetadata';
  /** Of its streams. */
  readonly framing: Framing;
  /** @returns undefined if the body is not a request of this API; it is passed through then */
  readRequest(body: Json): Conversation | undefined;
  /** @returns undefined if the body is not a reply of this API */
  readReply(body: Json): Reply | undefined;
  /** The request with every user text edited; a message left empty is removed. */
  withUserTexts(body: Json, edit: (text: string) => string, isCommandReply: (text: string) => boolean): Json;
  /** The request with the reply whose call was not made, and guidance about it. */
  withGuidance(body: Json, reply: Json, guidance: Guidance): Json;
  /** The request with a note to the model after its last tool result. */
  withNote(body: Json, text: string, as: GuidanceAs): Json;
  /** The request with the reached limit in its last tool result, and tool choice off. */
  withLimit(body: Json, message: string): Json;
  /** For APIs with several choices in a reply: the reply with some of them replaced. @param refused by their index */
  withRefused?(body: Json, reply: Json, refused: ReadonlyMap<number, SyntheticReply>): Json;
  /** A synthetic reply in the form of the API. */
  syntheticReply(body: Json, reply: SyntheticReply, usage: Json | null): Json;
  /**
   * For APIs that keep the history: rewrites a request that continues from a synthetic reply, which the API does not know,
   * to continue from what was before that reply.
   *
   * @param earlier the request that the gateway answered
   * @param reply its text; null if the model must not see it
   */
  withEarlier?(body: Json, earlier: Json, reply: string | null): Json;
  /**
   * For APIs that keep the history: an empty request that continues from a reply.
   *
   * @param body the request that the reply answers
   * @returns null if nothing can continue from it, because the request carries its history itself
   */
  requestAfter?(replyId: string, body: Json): Json | null;
  /** For APIs that store replies: the calls in a reply, to which a request can refer by the ids of their items. */
  callItems?(reply: Json): readonly Json[];
  /** The request with calls in place of the references to them, to be judged; the same object if it has none. */
  withCallItems?(body: Json, callOf: (id: string) => Json | undefined): Json;
  stream(body: Json): ApiStream;
}

/** One streamed reply: can finish or continue the stream in the upstream's place. */
export interface ApiStream {
  /** Reads the reply. */
  readonly answer: StreamedAnswer;
  /** Notes an event that was sent to the client. */
  markSent(event: StreamEvent): void;
  /**
   * The reply so far, as far as {@link Api.withGuidance} needs it.
   *
   * @param calls how many of its calls to include
   */
  reply(calls: number): Json;
  /**
   * Events that end the stream with a synthetic reply.
   *
   * @param usage of all replies that were paid for; null if unknown
   */
  finish(reply: SyntheticReply, usage: Json | null): string;
  /** For replies with several choices: ends one of them; the events that follow are to be passed through {@link remaining}. */
  refuse?(choice: number, reply: SyntheticReply): string;
  /** What is left of an event without refused choices. */
  remaining?(event: StreamEvent): Buffer | string;
  /** Events that append a complete reply and end the stream. */
  continueWith(reply: Json): string;
  /** Rewrites an event of a second reply to continue this stream, with any events needed before it. */
  continueEvent(event: StreamEvent): string;
  /** For APIs whose streams have a form of their own: an error that ends the stream. */
  error?(error: object): string;
  /** For APIs that keep the history: the request with the calls sent to the client, which will return their results. */
  withSentCalls?(body: Json): Json;
}
