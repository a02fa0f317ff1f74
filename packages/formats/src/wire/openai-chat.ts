import type { ToolCall, ToolResult, Usage } from '../record/conversation.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, tokensOf } from '../record/json.ts';
import { type AnswerDelta, noDelta, type StreamedAnswer } from './answer.ts';

export function chatUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: tokensOf(value['prompt_tokens']),
    outputTokens: tokensOf(value['completion_tokens']),
    cachedInputTokens: tokensOf(objectOf(value['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: tokensOf(objectOf(value['completion_tokens_details'])['reasoning_tokens']),
  };
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
  /** The first chunk. */
  first: JsonObject | undefined;
  readonly results: readonly ToolResult[] = [];
  readonly #calls = new Map<string, ChatCall>();
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

  /** In the order of their starts. */
  get parts(): ChatCall[] {
    return [...this.#calls.values()];
  }

  get calls(): readonly ToolCall[] {
    return distinctCalls([...this.#byChoice.values()]);
  }

  get choices(): ReadonlyMap<number, readonly ToolCall[]> | undefined {
    return this.#choices > 1 ? this.#byChoice : undefined;
  }

  get #byChoice(): Map<number, ToolCall[]> {
    const choices = new Map<number, ToolCall[]>([[0, []]]);
    for (const { choice, id, name, text, isCustom } of this.#calls.values()) {
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
    let news = before;
    const text = textOf(delta['content']);
    const thought = chatThought(delta);
    if (index === 0 && text !== undefined) {
      this.content += text;
      news = { ...news, text: (news.text ?? '') + text };
    }
    if (index === 0 && thought !== undefined) news = { ...news, thought: (news.thought ?? '') + thought };
    const older = delta['function_call'];
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
    const key = `${String(choice)}/${String(numberOf(part['index']) ?? at)}`;
    const call = this.#calls.get(key) ?? { choice, id: null, name: '', text: '', isCustom: false };
    this.#calls.set(key, call);
    call.isComplete = undefined;
    call.isCustom ||= isObject(part['custom']);
    call.id ??= textOf(part['id']) ?? null;
    const inner = objectOf(part['function'] ?? part['custom']);
    // Some backends send the name once, others with each part.
    const name = textOf(inner['name']) ?? '';
    if (call.name !== name) call.name += name;
    // Some backends send the arguments as an object, at once.
    const args = inner['arguments'] ?? inner['input'];
    call.text += isObject(args) ? JSON.stringify(args) : (textOf(args) ?? '');
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
