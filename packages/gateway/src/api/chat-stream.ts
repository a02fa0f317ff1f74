import { ChatAnswer } from '@loopwatch/formats/wire';
import type { ApiStream } from './api.ts';
import type { Json, SyntheticReply } from './conversation.ts';
import { count, isJsonFormat, isObject, objects, summed, text, usageOf, without } from './json.ts';
import { sseText } from './sse.ts';
import type { StreamEvent } from './stream-event.ts';

/** As many as the API gives. */
const MAX_CHOICES = 128;

/** How many choices a request asks for. */
export function choicesOf(body: Json): number {
  return Math.min(Math.max(1, Math.trunc(count(body['n']) ?? 1)), MAX_CHOICES);
}

/** What the client gets in place of the model's message, or of the rest of it. The answer to a command is no refusal. */
export function saidInstead(body: Json, said: string, { details }: SyntheticReply): Json {
  return details !== undefined && isJsonFormat(body['response_format'])
    ? { refusal: said }
    : { content: said };
}

/** A streamed reply of Chat Completions. */
export class ChatStream implements ApiStream {
  readonly answer: ChatAnswer;
  readonly #body: Json;
  readonly #syntheticHead: (id: string) => Json;
  readonly #wantsUsage: boolean;
  readonly #choices: number;
  /** The common fields of all chunks. */
  #begun: Json | undefined;
  /** Choices whose role the client has got. */
  readonly #roles = new Set<number>();
  /** Choices that end early; the client gets nothing more of them. */
  readonly #refused = new Set<number>();
  /** Calls sent to the client, complete or not. */
  #sentCalls = 0;
  /** Calls sent before a second reply continued this stream. */
  #earlierCalls: number | undefined;
  #hasContinuedText = false;

  constructor(body: Json, syntheticHead: (id: string) => Json) {
    this.answer = new ChatAnswer(body);
    this.#body = body;
    this.#syntheticHead = syntheticHead;
    this.#choices = choicesOf(body);
    const options = body['stream_options'];
    this.#wantsUsage = isObject(options) && options['include_usage'] === true;
  }

  get #head(): Json | undefined {
    if (this.#begun === undefined && this.answer.first !== undefined) {
      const { id, object, created, model } = this.answer.first;
      this.#begun = { id, object, created, model };
    }
    return this.#begun;
  }

  markSent({ data, json }: StreamEvent): void {
    if (this.#roles.size < this.#choices && data.includes('"role"'))
      for (const { index, delta } of objects(json?.['choices']))
        if (isObject(delta) && 'role' in delta) this.#roles.add(count(index) ?? 0);
    if (data.includes('"tool_calls"')) this.#noteCalls(json ?? {});
  }

  #noteCalls(chunk: Json): void {
    for (const { delta } of objects(chunk['choices']))
      for (const { index } of objects(isObject(delta) ? delta['tool_calls'] : []))
        if (typeof index === 'number') this.#sentCalls = Math.max(this.#sentCalls, index + 1);
  }

  reply(count: number): Json {
    const parts = this.answer.parts.slice(0, count);
    const calls = parts.map(({ id, name, text: given, isCustom, extras }) =>
      isCustom
        ? { id, type: 'custom', custom: { name, input: given }, ...extras }
        : { id, type: 'function', function: { name, arguments: given }, ...extras },
    );
    const { content, extras, isOlder } = this.answer;
    const message = {
      role: 'assistant',
      content: content === '' ? null : content,
      ...extras,
      ...(isOlder
        ? { function_call: { name: parts[0]?.name, arguments: parts[0]?.text } }
        : { tool_calls: calls }),
    };
    return { choices: [{ index: 0, message }] };
  }

  finish(reply: SyntheticReply, usage: Json | null): string {
    const { id, text: message, stop, details } = reply;
    this.#begun = this.#head ?? this.#syntheticHead(id);
    const others = Array.from({ length: this.#choices - 1 }, (_, i) => this.refuse(i + 1, reply));
    const content = this.answer.content === '' && !this.#hasContinuedText ? message : `\n\n${message}`;
    return (
      this.#chunk(saidInstead(this.#body, content, reply), null) +
      this.#chunk({}, stop, details && { loopwatch: details }) +
      others.join('') +
      this.#end(usage)
    );
  }

  continueWith(reply: Json): string {
    const [choice] = objects(reply['choices']);
    const message = isObject(choice?.['message']) ? choice['message'] : {};
    const { tool_calls: calls } = message;
    const rest = without(message, 'role', 'tool_calls');
    const content = text(rest['content']);
    const delta = {
      ...rest,
      ...(content !== null && this.answer.content !== '' && { content: `\n\n${content}` }),
      ...(Array.isArray(calls) && {
        tool_calls: objects(calls).map((call, i) => ({ ...call, index: this.#sentCalls + i })),
      }),
    };
    const finishReason = choice?.['finish_reason'] ?? 'stop';
    return this.#chunk(delta, null) + this.#chunk({}, finishReason) + this.#end(usageOf(reply));
  }

  continueEvent({ data, json: chunk, raw }: StreamEvent): string {
    if (data === '[DONE]') return raw.toString('utf8');
    if (chunk === undefined) return '';
    this.#earlierCalls ??= this.#sentCalls;
    const choices = objects(chunk['choices']).map((choice) => ({
      ...choice,
      delta: this.#continuedDelta(isObject(choice['delta']) ? choice['delta'] : {}),
    }));
    const usage = usageOf(chunk);
    const whole = {
      ...chunk,
      ...this.#head,
      choices,
      ...(usage !== null && { usage: summed(this.answer.rawUsage, usage) }),
    };
    this.#noteCalls(whole);
    return sseText(whole);
  }

  #continuedDelta(delta: Json): Json {
    const earlierCalls = this.#earlierCalls ?? 0;
    const rest = this.#roles.has(0) ? without(delta, 'role') : delta;
    if ('role' in delta) this.#roles.add(0);
    const content = text(delta['content']) ?? '';
    const begins = content !== '' && !this.#hasContinuedText;
    this.#hasContinuedText ||= begins;
    const separated = begins && this.answer.content !== '';
    const calls = delta['tool_calls'];
    return {
      ...rest,
      ...(separated && { content: `\n\n${content}` }),
      ...(Array.isArray(calls) && {
        tool_calls: objects(calls).map((call, i) => ({
          ...call,
          index: earlierCalls + (typeof call['index'] === 'number' ? call['index'] : i),
        })),
      }),
    };
  }

  refuse(choice: number, reply: SyntheticReply): string {
    const { text: said, stop, details } = reply;
    this.#refused.add(choice);
    const more = details && { loopwatch: details };
    return (
      this.#chunk(saidInstead(this.#body, said, reply), null, {}, choice) +
      this.#chunk({}, stop, more, choice)
    );
  }

  remaining({ raw, json: chunk }: StreamEvent): Buffer | string {
    const choices = objects(chunk?.['choices']);
    const left = choices.filter(({ index }) => !this.#refused.has(count(index) ?? 0));
    if (left.length === choices.length) return raw;
    return left.length === 0 && usageOf(chunk ?? {}) === null ? '' : sseText({ ...chunk, choices: left });
  }

  #chunk(delta: Json, finishReason: unknown, more: Json = {}, choice = 0): string {
    const whole = this.#roles.has(choice) ? delta : { role: 'assistant', ...delta };
    this.#roles.add(choice);
    const choices = [{ index: choice, delta: whole, logprobs: null, finish_reason: finishReason }];
    return sseText({ ...this.#head, choices, ...more });
  }

  #end(usage: Json | null): string {
    const usageEvent =
      this.#wantsUsage && usage !== null ? sseText({ ...this.#head, choices: [], usage }) : '';
    return `${usageEvent}data: [DONE]\n\n`;
  }
}
