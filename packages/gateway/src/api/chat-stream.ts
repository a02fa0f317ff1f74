import type { ApiStream, StreamDelta } from './api.ts';
import type { Json, SyntheticReply, ToolCall, Usage } from './conversation.ts';
import { count, isObject, objects, parseObject, summed, text, usageOf, without } from './json.ts';
import { type SseEvent, sseText } from './sse.ts';

const NO_DELTA: StreamDelta = {};

interface CallInParts {
  id: string | null;
  name: string;
  args: string;
}

/** A streamed reply of Chat Completions. */
export class ChatStream implements ApiStream {
  id: string | null = null;
  rawUsage: Json | null = null;
  finishReason: string | null = null;
  private readonly parts = new Map<string, CallInParts>();
  /** Cache of {@link isComplete}: long arguments must not be parsed at each event. */
  private readonly complete = new Map<CallInParts, boolean>();
  /** The common fields of all chunks, from the first one. */
  private head: Json | undefined;
  private readonly syntheticHead: (id: string) => Json;
  private readonly choices: number;
  private readonly wantsUsage: boolean;
  private finished = 0;
  private hasRole = false;
  private content = '';
  /** Calls sent to the client, complete or not. */
  private sentCalls = 0;
  /** Calls sent before a second reply continued this stream. */
  private earlierCalls: number | undefined;
  private hasContinuedText = false;

  constructor(body: Json, syntheticHead: (id: string) => Json) {
    this.syntheticHead = syntheticHead;
    this.choices = typeof body['n'] === 'number' ? body['n'] : 1;
    const options = body['stream_options'];
    this.wantsUsage = isObject(options) && options['include_usage'] === true;
  }

  get usage(): Usage | null {
    return chatUsage(this.rawUsage);
  }

  /** The calls of all choices. Choices are alternatives, so a call repeated in a later one counts once. */
  get calls(): readonly ToolCall[] {
    const calls = [...this.parts].filter(([key]) => key.startsWith('0/')).map(([, call]) => call);
    const known = new Set(calls.map(keyOf));
    return [
      ...calls,
      ...[...this.parts.values()].filter((call) => !known.has(keyOf(call)) && known.add(keyOf(call))),
    ];
  }

  /** A call is complete once the next one starts, unless they are interleaved, as those of several choices are. */
  get completeCalls(): number {
    if (this.choices > 1) return 0;
    const before = [...this.parts.values()].slice(0, -1);
    const open = before.findIndex((call) => !this.isComplete(call));
    return open === -1 ? before.length : open;
  }

  read({ data, json: chunk }: SseEvent): StreamDelta {
    if (data === '[DONE]') return { isEnd: true };
    if (chunk === undefined) return NO_DELTA;
    if (this.id === null) this.begin(chunk);
    this.rawUsage = usageOf(chunk) ?? this.rawUsage;
    let news = NO_DELTA;
    for (const choice of objects(chunk['choices'])) news = this.readChoice(choice, news);
    // Requested usage comes after the choices have ended.
    const isComplete = this.finished >= this.choices && !(this.wantsUsage && this.rawUsage === null);
    return isComplete ? { ...news, isEnd: true } : news;
  }

  private begin(chunk: Json): void {
    this.id = text(chunk['id']);
    const { id, object, created, model } = chunk;
    this.head = { id, object, created, model };
  }

  private readChoice(choice: Json, before: StreamDelta): StreamDelta {
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
      const position = typeof part['index'] === 'number' ? part['index'] : i;
      this.addPart(`${String(index)}/${String(position)}`, part['id'], part['function'] ?? part['custom']);
    });
    if (isObject(delta['function_call']))
      this.addPart(`${String(index)}/older`, null, delta['function_call']);
    if (calls.length > 0 || isObject(delta['function_call'])) news = { ...news, isOfCall: true };
    if (typeof choice['finish_reason'] === 'string') {
      if (index === 0) this.finishReason = choice['finish_reason'];
      this.finished += 1;
    }
    return news;
  }

  private addPart(key: string, id: unknown, part: unknown): void {
    const call = this.parts.get(key) ?? { id: null, name: '', args: '' };
    this.parts.set(key, call);
    this.complete.delete(call);
    call.id ??= text(id);
    if (!isObject(part)) return;
    // Some backends send the name once, others with each part.
    const name = text(part['name']) ?? '';
    if (call.name !== name) call.name += name;
    call.args += text(part['arguments']) ?? text(part['input']) ?? '';
  }

  private isComplete(call: CallInParts): boolean {
    const isComplete = this.complete.get(call) ?? parseObject(call.args) !== undefined;
    this.complete.set(call, isComplete);
    return isComplete;
  }

  markSent({ data, json }: SseEvent): void {
    if (!this.hasRole && data.includes('"role"')) this.hasRole = true;
    if (data.includes('"tool_calls"')) this.noteCalls(json ?? {});
  }

  private noteCalls(chunk: Json): void {
    for (const { delta } of objects(chunk['choices']))
      for (const { index } of objects(isObject(delta) ? delta['tool_calls'] : []))
        if (typeof index === 'number') this.sentCalls = Math.max(this.sentCalls, index + 1);
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

  finish({ id, text: message, stop, details }: SyntheticReply, usage: Json | null): string {
    this.head ??= this.syntheticHead(id);
    const content = this.content === '' && !this.hasContinuedText ? message : `\n\n${message}`;
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
        tool_calls: objects(calls).map((call, i) => ({ ...call, index: this.sentCalls + i })),
      }),
    };
    const finishReason = choice?.['finish_reason'] ?? 'stop';
    return this.chunk(delta, null) + this.chunk({}, finishReason) + this.end(usageOf(reply));
  }

  continueEvent({ data, json: chunk, raw }: SseEvent): string {
    if (data === '[DONE]') return raw.toString('utf8');
    if (chunk === undefined) return '';
    this.earlierCalls ??= this.sentCalls;
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
    const usageEvent = this.wantsUsage && usage !== null ? sseText({ ...this.head, choices: [], usage }) : '';
    return `${usageEvent}data: [DONE]\n\n`;
  }
}

function keyOf({ name, args }: CallInParts): string {
  return JSON.stringify([name, args]);
}

/** Tokens from a Chat Completions usage object. */
export function chatUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  return { inputTokens: count(usage['prompt_tokens']), outputTokens: count(usage['completion_tokens']) };
}
