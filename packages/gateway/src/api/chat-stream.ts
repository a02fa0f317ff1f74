import type { SseEvent } from '../stream/sse.ts';
import { sseText } from '../stream/sse.ts';
import type { ApiStream, StreamNews } from './api.ts';
import { chatUsage } from './chat-usage.ts';
import type { Json, OwnAnswer, ToolCall, Usage } from './conversation.ts';
import { isObject, objects, parseObject, summed, text, usageOf, without } from './json.ts';

const NO_NEWS: StreamNews = {};

interface CallInParts {
  id: string | null;
  name: string;
  args: string;
}

/** A streamed answer of Chat Completions. */
export class ChatStream implements ApiStream {
  id: string | null = null;
  rawUsage: Json | null = null;
  finishReason: string | null = null;
  private readonly parts = new Map<string, CallInParts>();
  /** Whether a call's arguments are whole, where nothing came since: long ones are not to be parsed at each event. */
  private readonly whole = new Map<CallInParts, boolean>();
  /** What all chunks begin with, once one has come. */
  private head: Json | undefined;
  private readonly ownHead: (id: string) => Json;
  private readonly choices: number;
  private readonly wantsUsage: boolean;
  private finished = 0;
  private hasRole = false;
  private content = '';
  /** Calls that the client has begun to get. */
  private passedCalls = 0;
  /** Of those, the ones from before this stream went on with another answer. */
  private earlierCalls: number | undefined;
  private hasContinuedText = false;

  constructor(body: Json, ownHead: (id: string) => Json) {
    this.ownHead = ownHead;
    this.choices = typeof body['n'] === 'number' ? body['n'] : 1;
    const options = body['stream_options'];
    this.wantsUsage = isObject(options) && options['include_usage'] === true;
  }

  get usage(): Usage | null {
    return chatUsage(this.rawUsage);
  }

  /** Those of the first choice, where there are several: the others are alternatives to it. */
  get calls(): readonly ToolCall[] {
    const calls = [...this.parts].filter(([key]) => key.startsWith('0/')).map(([, call]) => call);
    const known = new Set(calls.map(keyOf));
    return [
      ...calls,
      ...[...this.parts.values()].filter((call) => !known.has(keyOf(call)) && known.add(keyOf(call))),
    ];
  }

  /** A call is complete when the next one begins, unless they come side by side, as those of alternatives do. */
  get completeCalls(): number {
    if (this.choices > 1) return 0;
    const before = [...this.parts.values()].slice(0, -1);
    const open = before.findIndex((call) => !this.isWhole(call));
    return open === -1 ? before.length : open;
  }

  read({ data }: SseEvent): StreamNews {
    if (data === '[DONE]') return { ends: true };
    const chunk = data === '' ? undefined : parseObject(data);
    if (chunk === undefined) return NO_NEWS;
    if (this.id === null) this.begin(chunk);
    this.rawUsage = usageOf(chunk) ?? this.rawUsage;
    let news = NO_NEWS;
    for (const choice of objects(chunk['choices'])) news = this.readChoice(choice, news);
    // Usage that was asked for comes behind the end of the choices.
    const isComplete = this.finished >= this.choices && !(this.wantsUsage && this.rawUsage === null);
    return isComplete ? { ...news, ends: true } : news;
  }

  private begin(chunk: Json): void {
    this.id = text(chunk['id']);
    const { id, object, created, model } = chunk;
    this.head = { id, object, created, model };
  }

  private readChoice(choice: Json, before: StreamNews): StreamNews {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
    const delta = isObject(choice['delta']) ? choice['delta'] : {};
    let news = before;
    const content = text(delta['content']);
    const thought = text(delta['reasoning_content']) ?? text(delta['reasoning']);
    if (index === 0) {
      if (content !== null && content !== '') {
        this.content += content;
        news = { ...news, text: (news.text ?? '') + content };
      }
      if (thought !== null && thought !== '') news = { ...news, thought: (news.thought ?? '') + thought };
    }
    const calls = objects(delta['tool_calls']);
    calls.forEach((part, i) => {
      const place = typeof part['index'] === 'number' ? part['index'] : i;
      this.addPart(`${String(index)}/${String(place)}`, part['id'], part['function'] ?? part['custom']);
    });
    if (isObject(delta['function_call']))
      this.addPart(`${String(index)}/older`, null, delta['function_call']);
    if (calls.length > 0 || isObject(delta['function_call'])) news = { ...news, holds: true };
    if (typeof choice['finish_reason'] === 'string') {
      if (index === 0) this.finishReason = choice['finish_reason'];
      this.finished += 1;
    }
    return news;
  }

  private addPart(key: string, id: unknown, part: unknown): void {
    const call = this.parts.get(key) ?? { id: null, name: '', args: '' };
    this.parts.set(key, call);
    this.whole.delete(call);
    call.id ??= text(id);
    if (!isObject(part)) return;
    // Some backends send the name once, others with each part.
    const name = text(part['name']) ?? '';
    if (call.name !== name) call.name += name;
    call.args += text(part['arguments']) ?? text(part['input']) ?? '';
  }

  private isWhole(call: CallInParts): boolean {
    const isWhole = this.whole.get(call) ?? parseObject(call.args) !== undefined;
    this.whole.set(call, isWhole);
    return isWhole;
  }

  passed({ data }: SseEvent): void {
    if (!this.hasRole && data.includes('"role"')) this.hasRole = true;
    if (data.includes('"tool_calls"')) this.noteCalls(parseObject(data) ?? {});
  }

  private noteCalls(chunk: Json): void {
    for (const { delta } of objects(chunk['choices']))
      for (const { index } of objects(isObject(delta) ? delta['tool_calls'] : []))
        if (typeof index === 'number') this.passedCalls = Math.max(this.passedCalls, index + 1);
  }

  reply(count: number): Json {
    const calls = [...this.parts.values()].slice(0, count).map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    const message = {
      role: 'assistant',
      content: this.content === '' ? null : this.content,
      tool_calls: calls,
    };
    return { choices: [{ index: 0, message }] };
  }

  finish({ id, text: told, stop, details }: OwnAnswer, usage: Json | null): string {
    this.head ??= this.ownHead(id);
    const content = this.content === '' && !this.hasContinuedText ? told : `\n\n${told}`;
    return (
      this.chunk({ content }, null) +
      this.chunk({}, stop, details && { loopwatch: details }) +
      this.end(usage)
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
      ...(content !== null && this.content !== '' && { content: `\n\n${content}` }),
      ...(Array.isArray(calls) && {
        tool_calls: objects(calls).map((call, i) => ({ ...call, index: this.passedCalls + i })),
      }),
    };
    const finishReason = choice?.['finish_reason'] ?? 'stop';
    return this.chunk(delta, null) + this.chunk({}, finishReason) + this.end(usageOf(reply));
  }

  continued({ data, raw }: SseEvent): string {
    if (data === '[DONE]') return raw.toString('utf8');
    const chunk = data === '' ? undefined : parseObject(data);
    if (chunk === undefined) return '';
    this.earlierCalls ??= this.passedCalls;
    const choices = objects(chunk['choices']).map((choice) => ({
      ...choice,
      delta: this.continuedDelta(isObject(choice['delta']) ? choice['delta'] : {}),
    }));
    const usage = usageOf(chunk);
    const whole = {
      ...chunk,
      ...this.head,
      choices,
      ...(usage !== null && { usage: summed(this.rawUsage, usage) }),
    };
    this.noteCalls(whole);
    return sseText(whole);
  }

  private continuedDelta(delta: Json): Json {
    const { earlierCalls = 0 } = this;
    const rest = this.hasRole ? without(delta, 'role') : delta;
    this.hasRole ||= 'role' in delta;
    const content = text(delta['content']) ?? '';
    const begins = content !== '' && !this.hasContinuedText;
    this.hasContinuedText ||= begins;
    const separated = begins && this.content !== '';
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

  private chunk(delta: Json, finishReason: unknown, more: Json = {}): string {
    const whole = this.hasRole ? delta : { role: 'assistant', ...delta };
    this.hasRole = true;
    const choices = [{ index: 0, delta: whole, logprobs: null, finish_reason: finishReason }];
    return sseText({ ...this.head, choices, ...more });
  }

  private end(usage: Json | null): string {
    const told = this.wantsUsage && usage !== null ? sseText({ ...this.head, choices: [], usage }) : '';
    return `${told}data: [DONE]\n\n`;
  }
}

function keyOf({ name, args }: CallInParts): string {
  return JSON.stringify([name, args]);
}
