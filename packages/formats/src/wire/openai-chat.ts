import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, tokensOf } from '../record/json.ts';
import type { ToolCall, ToolResult, Usage } from '../record/message.ts';
import { type AnswerDelta, noDelta, type StreamedAnswer } from './answer.ts';
import { addCallExtras, addMessageExtras, type Extras } from './chat-extras.ts';

/** Usage of Chat Completions; of its copies, DeepSeek, Moonshot, OpenRouter and LiteLLM have details under names of their own. */
export function chatUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const ofInput = objectOf(value['prompt_tokens_details']);
  const first = (...counts: readonly unknown[]) =>
    counts.map(tokensOf).find((tokens) => tokens !== undefined);
  return {
    inputTokens: tokensOf(value['prompt_tokens']),
    outputTokens: tokensOf(value['completion_tokens']),
    cachedInputTokens: first(
      ofInput['cached_tokens'],
      value['prompt_cache_hit_tokens'],
      value['cached_tokens'],
      value['cache_read_input_tokens'],
    ),
    cacheWriteTokens: first(ofInput['cache_write_tokens'], value['cache_creation_input_tokens']),
    reasoningTokens: tokensOf(objectOf(value['completion_tokens_details'])['reasoning_tokens']),
  };
}

/** What OpenRouter and others say that an answer cost, in US dollars; 0 is that of a key of one's own. */
export function costIn(usage: unknown): number | undefined {
  const cost = numberOf(objectOf(usage)['cost']);
  return cost !== undefined && cost > 0 ? cost : undefined;
}

/** The reasoning in a message or delta: the API has none, its many copies use one of these fields. */
export function chatThought(message: JsonObject): string | undefined {
  return textOf(message['reasoning_content']) ?? textOf(message['reasoning']);
}

/** The calls of several choices. Choices are alternatives, so a call repeated in a later one counts once. */
export function distinctCalls(choices: readonly (readonly ToolCall[])[]): readonly ToolCall[] {
  const [first = [], ...others] = choices;
  if (others.length === 0) return first;
  const known = new Set(first.map(keyOf));
  return [...first, ...others.flat().filter((call) => !known.has(keyOf(call)) && known.add(keyOf(call)))];
}

function keyOf({ name, args }: ToolCall): string {
  return JSON.stringify([name, args]);
}

/** A call of a streamed answer so far. */
export interface ChatCall {
  readonly choice: number;
  id: string | null;
  name: string;
  /** Of a custom tool: its input. */
  text: string;
  isCustom: boolean;
  readonly extras: Extras;
  /** Cached: long arguments must not be parsed at each event. */
  isComplete?: boolean | undefined;
}

/** A streamed answer of Chat Completions. */
export class ChatAnswer implements StreamedAnswer {
  id: string | null = null;
  rawUsage: JsonObject | null = null;
  finishReason: string | null = null;
  /** Text of the first choice. */
  content = '';
  /** Whether its call is in the form of before tools, without an id. */
  isOlder = false;
  /** Of the message of the first choice. */
  readonly extras: Extras = {};
  /** The first chunk. */
  first: JsonObject | undefined;
  readonly results: readonly ToolResult[] = [];
  readonly #calls: ChatCall[] = [];
  /** The latest call of each index. */
  readonly #byIndex = new Map<string, ChatCall>();
  readonly #choices: number;
  readonly #hasUsage: boolean;
  readonly #finished = new Set<number>();

  /** @param request as far as it decides when the answer is complete: its choices, and whether usage comes after them */
  constructor({ n, stream_options: options }: JsonObject) {
    this.#choices = numberOf(n) ?? 1;
    this.#hasUsage = objectOf(options)['include_usage'] === true;
  }

  get usage(): Usage | null {
    return chatUsage(this.rawUsage) ?? null;
  }

  get costUsd(): number | undefined {
    return costIn(this.rawUsage);
  }

  /** In the order of their starts. */
  get parts(): readonly ChatCall[] {
    return this.#calls;
  }

  get calls(): readonly ToolCall[] {
    return distinctCalls([...this.#byChoice.values()]);
  }

  get choices(): ReadonlyMap<number, readonly ToolCall[]> | undefined {
    return this.#choices > 1 ? this.#byChoice : undefined;
  }

  get #byChoice(): Map<number, ToolCall[]> {
    const choices = new Map<number, ToolCall[]>([[0, []]]);
    for (const { choice, id, name, text, isCustom } of this.#calls) {
      const calls = choices.get(choice) ?? [];
      choices.set(choice, calls);
      calls.push({ id, name, args: isCustom ? { input: text } : text });
    }
    return choices;
  }

  /** A call is complete once the next one starts, unless they are interleaved, as those of several choices are. */
  get completeCalls(): number {
    if (this.#areFinished) return this.calls.length;
    if (this.#choices > 1) return 0;
    const before = this.parts.slice(0, -1);
    const open = before.findIndex((call) => !isComplete(call));
    return open === -1 ? before.length : open;
  }

  get #areFinished(): boolean {
    return this.#finished.size >= this.#choices;
  }

  read(chunk: JsonObject): AnswerDelta {
    if (this.first === undefined) {
      this.first = chunk;
      this.id = textOf(chunk['id']) ?? null;
    }
    if (isObject(chunk['usage'])) this.rawUsage = chunk['usage'];
    let delta = noDelta;
    for (const choice of listOf(chunk['choices'])) delta = this.#readChoice(objectOf(choice), delta);
    // Requested usage comes after the choices have ended.
    const isEnd = this.#areFinished && !(this.#hasUsage && this.rawUsage === null);
    return isEnd ? { ...delta, isEnd } : delta;
  }

  #readChoice(choice: JsonObject, before: AnswerDelta): AnswerDelta {
    const index = numberOf(choice['index']) ?? 0;
    const delta = objectOf(choice['delta']);
    // Moonshot.
    if (isObject(choice['usage'])) this.rawUsage = choice['usage'];
    let news = before;
    const text = textOf(delta['content']);
    const thought = chatThought(delta);
    if (index === 0 && text !== undefined) {
      this.content += text;
      news = { ...news, text: (news.text ?? '') + text };
    }
    if (index === 0 && thought !== undefined) news = { ...news, thought: (news.thought ?? '') + thought };
    if (index === 0) addMessageExtras(this.extras, delta);
    const older = delta['function_call'];
    this.isOlder ||= isObject(older);
    const calls = isObject(older) ? [{ function: older }] : listOf(delta['tool_calls']);
    for (const [i, value] of calls.entries()) this.#addPart(index, objectOf(value), i);
    if (calls.length > 0) news = { ...news, isOfCall: true };
    if (typeof choice['finish_reason'] === 'string') {
      if (index === 0) this.finishReason = choice['finish_reason'];
      this.#finished.add(index);
    }
    return news;
  }

  #addPart(choice: number, part: JsonObject, at: number): void {
    const inner = objectOf(part['function'] ?? part['custom']);
    const id = textOf(part['id']) ?? null;
    const name = textOf(inner['name']) ?? '';
    // Some backends send the arguments as an object, at once.
    const held = inner['arguments'] ?? inner['input'];
    const args = isObject(held) ? JSON.stringify(held) : (textOf(held) ?? '');
    const call = this.#callAt(
      `${String(choice)}/${String(numberOf(part['index']) ?? at)}`,
      choice,
      (open) => {
        // Gemini's copy of the API, among others, gives parallel calls the same index, or none.
        const isOther = id !== null && open.id !== null && id !== open.id;
        const isAfter = args.startsWith('{') && open.text.endsWith('}') && !open.isCustom && isComplete(open);
        return name !== '' && (isOther || isAfter);
      },
    );
    call.isComplete = undefined;
    call.isCustom ||= isObject(part['custom']);
    call.id ??= id;
    addCallExtras(call.extras, part);
    // Some backends send the name once, others with each part.
    if (call.name !== name) call.name += name;
    call.text += args;
  }

  /** The call that a part belongs to. @param isNext whether the part starts another one at the same index */
  #callAt(index: string, choice: number, isNext: (open: ChatCall) => boolean): ChatCall {
    const open = this.#byIndex.get(index);
    if (open !== undefined && !isNext(open)) return open;
    const call: ChatCall = { choice, id: null, name: '', text: '', isCustom: false, extras: {} };
    this.#byIndex.set(index, call);
    this.#calls.push(call);
    return call;
  }
}

function isComplete(call: ChatCall): boolean {
  if (call.isComplete === undefined) {
    try {
      call.isComplete = isObject(JSON.parse(call.text));
    } catch {
      call.isComplete = false;
    }
  }
  return call.isComplete;
}
