import { GeminiAnswer, geminiCall } from '@loopwatch/formats/wire';
import type { ApiStream } from './api.ts';
import type { Json, SyntheticReply } from './conversation.ts';
import { FINISHED, modelContent, partsOf, refusal } from './gemini-parts.ts';
import { count, isObject, objects, summed, text } from './json.ts';
import { sseText } from './sse.ts';
import type { StreamEvent } from './stream-event.ts';

/** A synthetic answer. */
export function syntheticAnswer(
  model: string,
  { id, text: said, details }: SyntheticReply,
  usage: Json | null,
): Json {
  return {
    candidates: [{ index: 0, content: modelContent(said), finishReason: FINISHED }],
    usageMetadata: usage ?? { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: model,
    responseId: `loopwatch-${id}`,
    ...(details && { loopwatch: details }),
  };
}

/** A streamed reply of Gemini: server-sent events, or the elements of a JSON array. */
export class GeminiStream implements ApiStream {
  readonly answer: GeminiAnswer;
  readonly #model: string;
  readonly #isArray: boolean;
  /** Whether the client has got anything. */
  #hasBegun = false;
  /** Whether a text of a second reply was sent; clients join texts. */
  #hasContinuedText = false;
  /** Candidates that end early. */
  readonly #refused = new Set<number>();

  constructor(body: Json, { model, isArray }: { readonly model: string; readonly isArray: boolean }) {
    this.answer = new GeminiAnswer(body);
    this.#model = model;
    this.#isArray = isArray;
  }

  markSent(): void {
    this.#hasBegun = true;
  }

  reply(calls: number): Json {
    let made = 0;
    const parts = this.answer.parts.filter((part) => geminiCall(part) === undefined || ++made <= calls);
    return { candidates: [{ index: 0, content: { role: 'model', parts } }] };
  }

  finish(reply: SyntheticReply, usage: Json | null): string {
    const separated = { ...reply, text: this.#separated(reply.text) };
    return this.#frame({ ...syntheticAnswer(this.#model, separated, usage), ...this.#head }) + this.#end();
  }

  continueWith(reply: Json): string {
    return this.#continued(reply) + this.#end();
  }

  continueEvent({ json, raw }: StreamEvent): string {
    if (json === undefined) return raw.toString('utf8');
    const { usageMetadata: usage } = json;
    const sum = isObject(usage) && { usageMetadata: summed(this.answer.rawUsage, usage) };
    return this.#continued({ ...json, ...sum });
  }

  refuse(choice: number, reply: SyntheticReply): string {
    this.#refused.add(choice);
    return this.#frame({ candidates: [{ index: choice, ...refusal(reply) }], ...this.#head });
  }

  remaining({ raw, json }: StreamEvent): Buffer | string {
    if (json === undefined) return raw;
    const candidates = objects(json['candidates']);
    const left = candidates.filter(({ index }, i) => !this.#refused.has(count(index) ?? i));
    if (left.length === 0 && !isObject(json['usageMetadata'])) return '';
    return left.length === candidates.length && !this.#isArray
      ? raw
      : this.#frame({ ...json, candidates: left });
  }

  /** An error within the stream. */
  error(error: object): string {
    return this.#frame(error) + this.#end();
  }

  /** The fields that all records of a stream share. */
  get #head(): Json {
    const { responseId, modelVersion } = this.answer.first ?? {};
    return {
      ...(responseId !== undefined && { responseId }),
      ...(modelVersion !== undefined && { modelVersion }),
    };
  }

  #continued(reply: Json): string {
    const candidates = objects(reply['candidates']).map((candidate) => {
      const { content } = candidate;
      if (!isObject(content)) return candidate;
      return {
        ...candidate,
        content: { ...content, parts: partsOf(content).map((part) => this.#continuedPart(part)) },
      };
    });
    return this.#frame({ ...reply, candidates, ...this.#head });
  }

  #continuedPart(part: Json): Json {
    const said = text(part['text']) ?? '';
    if (said === '' || part['thought'] === true || this.#hasContinuedText) return part;
    const separated = this.#separated(said);
    this.#hasContinuedText = true;
    return { ...part, text: separated };
  }

  #separated(said: string): string {
    return this.answer.content !== '' || this.#hasContinuedText ? `\n\n${said}` : said;
  }

  #frame(record: object): string {
    const before = this.#hasBegun ? ',\n' : '[';
    this.#hasBegun = true;
    return this.#isArray ? before + JSON.stringify(record) : sseText(record);
  }

  #end(): string {
    return this.#isArray ? ']' : '';
  }
}
