import { isObject, unwrapped } from './json.ts';
import { remember } from './remember.ts';

/** A call that the span of a model or of a tool has reported. */
interface KnownCall {
  /** Unique in its session. */
  readonly id: string;
  readonly name: string;
  /** Its arguments; undefined if they were not recorded. */
  readonly key: string | undefined;
}

/** Calls of a session that only messages or only spans have reported, to match, and calls and results to remember. */
const MAX_OPEN = 500;
const MAX_KNOWN = 10_000;

/** Identifies arguments among the calls of a tool; OpenInference has only the value of a single one. */
export function keyOf(args: unknown): string {
  const value = unwrapped(args);
  const [only, ...others] = isObject(value) ? Object.values(value) : [];
  return JSON.stringify(typeof only === 'string' && others.length === 0 ? only : value);
}

/**
 * The calls of a session. Both the messages of a model and the spans of tools report a call, in any order, often with different
 * ids: of the same name and arguments, the first in messages is the first in spans. Whatever is read again gets the same id.
 */
export class KnownCalls {
  /** Calls that only messages or only spans have reported, the oldest first. */
  readonly #open = { messages: [] as KnownCall[], spans: [] as KnownCall[] };
  /** Ids in use. */
  readonly #ids = new Map<string, true>();
  readonly #byMessage = new Map<string, KnownCall>();
  readonly #bySpan = new Map<string, KnownCall>();
  /** Calls by the span around theirs, which may be another one of the same call. */
  readonly #byParent = new Map<string, KnownCall>();
  readonly #byResult = new Map<string, KnownCall>();
  /** Calls in messages of an API without ids, whose results follow in the same order. */
  readonly #withoutId: KnownCall[] = [];
  /** Where calls were reported before the session was known, by id. */
  readonly #reportedIn = new Map<string, string>();

  /**
   * The id of a call in a message.
   *
   * @param messageId identifies it among the messages
   * @param callId as the model states it; several responses may have the same
   */
  ofMessage(messageId: string, callId: string | undefined, name: string, key: string): string {
    const known = this.#byMessage.get(messageId);
    if (known !== undefined) return known.id;
    const call =
      takeCall(this.#open.spans, callId, name, key) ?? this.#add(this.#open.messages, messageId, name, key);
    if (callId === undefined) keepOpen(this.#withoutId, call);
    remember(this.#byMessage, messageId, call, MAX_KNOWN);
    return call.id;
  }

  /** The id of the call that a result in a message belongs to. */
  ofMessageResult(messageId: string, callId: string | undefined): string | undefined {
    if (callId !== undefined) return this.#byMessage.get(messageId)?.id;
    const call = this.#byResult.get(messageId) ?? this.#withoutId.shift();
    if (call !== undefined) remember(this.#byResult, messageId, call, MAX_KNOWN);
    return call?.id;
  }

  /**
   * The id of the call of a tool's span.
   *
   * @param span its id and that of its parent: two instrumentations of one call make one span inside the other
   * @param key undefined if the span lacks the arguments
   */
  ofSpan(
    { id: spanId, parentId = '' }: { readonly id: string; readonly parentId?: string | undefined },
    callId: string | undefined,
    name: string,
    key: string | undefined,
  ): string {
    const known =
      this.#bySpan.get(spanId) ??
      sameCall(this.#byParent.get(spanId), name, key) ??
      sameCall(this.#bySpan.get(parentId), name, key);
    if (known !== undefined) {
      remember(this.#bySpan, spanId, known, MAX_KNOWN);
      return known.id;
    }
    const call =
      takeCall(this.#open.messages, callId, name, key) ??
      this.#add(this.#open.spans, callId ?? spanId, name, key);
    remember(this.#bySpan, spanId, call, MAX_KNOWN);
    if (parentId !== '') remember(this.#byParent, parentId, call, MAX_KNOWN);
    return call.id;
  }

  /** Whether messages have a call of this name, and of these arguments if they are given, that no span has reported. */
  isRequested(name: string, key?: string): boolean {
    return this.#open.messages.some((call) => call.name === name && (key ?? call.key) === call.key);
  }

  /** The id of the call of a span that was read. */
  idOfSpan(spanId: string): string | undefined {
    return this.#bySpan.get(spanId)?.id;
  }

  /** Whether no span has reported this call of a message. */
  isOpen(callId: string): boolean {
    return this.#open.messages.some(({ id }) => id === callId);
  }

  /** The session in which a call was reported; undefined if it is this one. */
  sessionOf(callId: string | undefined): string | undefined {
    return callId === undefined ? undefined : this.#reportedIn.get(callId);
  }

  /** Knows the calls that were reported in another session, before this one was known. They stay there. */
  adopt(early: KnownCalls, sessionId: string): void {
    this.#open.messages.push(...early.#open.messages);
    this.#open.spans.push(...early.#open.spans);
    this.#withoutId.push(...early.#withoutId);
    for (const id of early.#ids.keys()) {
      remember(this.#ids, id, true, MAX_KNOWN);
      remember(this.#reportedIn, id, sessionId, MAX_KNOWN);
    }
    const maps = [
      [this.#byMessage, early.#byMessage],
      [this.#bySpan, early.#bySpan],
      [this.#byParent, early.#byParent],
      [this.#byResult, early.#byResult],
    ] as const;
    for (const [own, other] of maps) for (const [key, call] of other) remember(own, key, call, MAX_KNOWN);
  }

  #add(open: KnownCall[], id: string, name: string, key: string | undefined): KnownCall {
    let unique = id;
    for (let i = 2; this.#ids.has(unique); i += 1) unique = `${id}:${String(i)}`;
    remember(this.#ids, unique, true, MAX_KNOWN);
    const call = { id: unique, name, key };
    keepOpen(open, call);
    return call;
  }
}

function keepOpen(open: KnownCall[], call: KnownCall): void {
  open.push(call);
  if (open.length > MAX_OPEN) open.shift();
}

/** Removes the call from the open ones: the one of this id, otherwise the first of this name and these arguments. */
function takeCall(
  open: KnownCall[],
  callId: string | undefined,
  name: string,
  key: string | undefined,
): KnownCall | undefined {
  const call =
    open.find(({ id }) => id === callId) ??
    open.find((one) => one.name === name && (one.key ?? key) === (key ?? one.key));
  if (call !== undefined) open.splice(open.indexOf(call), 1);
  return call;
}

function sameCall(call: KnownCall | undefined, name: string, key: string | undefined): KnownCall | undefined {
  if (call?.name !== name) return undefined;
  return call.key === undefined || (key ?? call.key) === call.key ? call : undefined;
}
